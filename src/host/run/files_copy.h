#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "base/result.h"

namespace host {

// A folder of our own in the system's folder for temporary files, removed with this.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }  // empty: it could not be made

 private:
  std::string path_;
};

// The machine's files as each seed gets them: a copy of the folder that the caller named. No run changes that folder.
// One for each process that runs seeds; the copy lies in `scratch`, under the number of the process.
class FilesCopy {
 public:
  // `folder` empty: the machine has no files, and nothing is copied.
  FilesCopy(std::string folder, std::string scratch) : folder_(std::move(folder)), scratch_(std::move(scratch)) {}

  // The path of the copy, with the folder's original contents. The error is one sentence.
  base::Expected<std::filesystem::path, std::string> fresh();
  // Removes what the process `pid`, which has ended, left in `scratch`.
  static void remove(const std::string& scratch, pid_t pid);
  // A run has changed the copy.
  void spoil() { spoilt_ = true; }

 private:
  const std::string folder_;
  const std::string scratch_;
  bool spoilt_ = true;
};

}  // namespace host
