#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "nt/store/host_file.h"

namespace nt {

// The machine's files: one folder of the host, in which a folder "c" is drive C: and so on (host_path.h). Names are
// found without regard to case. Nothing outside of the folder can be reached: no path leads upward, and symbolic links
// are not followed. Owned by the machine; any of its threads.
class HostFiles {
 public:
  // `folder` empty: there are no files.
  explicit HostFiles(std::string folder) : folder_(std::move(folder)) {}

  struct Request {
    const HostFile* root;  // null: the path is a full one
    std::u16string_view path;
    ACCESS_MASK access;  // specific rights only
    ULONG share;
    ULONG disposition;
    ULONG options;
  };
  struct Opened {
    base::Ref<HostFile> file;
    ULONG action;  // FILE_OPENED, FILE_CREATED, …
  };
  base::Result<Opened> create(const Request& request) EXCLUDES(lock_);
  // Whether anything was opened in a way that lets the host's folder be changed.
  bool changed() const { return changed_.load(std::memory_order_relaxed); }

 private:
  friend class HostFile;

  base::Result<base::ScopedFd> start(const HostFile* root) const;
  // Later opens are judged against this file from now on. STATUS_SHARING_VIOLATION if an earlier open forbids this one.
  base::Result<> share(HostFile& file) EXCLUDES(lock_);
  void closed(HostFile& file) EXCLUDES(lock_);

  const std::string folder_;
  base::Mutex<base::LockRank::Table> lock_;
  std::vector<HostFile*> open_ GUARDED_BY(lock_);
  std::atomic<bool> changed_{false};
};

}  // namespace nt
