#include "host/run/files_copy.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

namespace host {
namespace {

namespace fs = std::filesystem;

// What is neither a file nor a folder nor a link is left out: a machine's file can be none of those
// (nt/store/host_files.h).
void copy_folder(const fs::path& from, const fs::path& to, std::error_code& error) {
  fs::create_directory(to, error);
  if (error) return;
  for (fs::recursive_directory_iterator entry(from, error), end; !error && entry != end; entry.increment(error)) {
    fs::path target = to / entry->path().lexically_relative(from);
    if (entry->is_symlink(error)) {
      fs::copy_symlink(entry->path(), target, error);
    } else if (entry->is_directory(error)) {
      fs::create_directory(target, error);
    } else if (entry->is_regular_file(error)) {
      fs::copy_file(entry->path(), target, error);
    }
    if (error) return;
  }
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::error_code error;
  std::string pattern = (fs::temp_directory_path(error) / "drydock-files-XXXXXX").string();
  if (!error && mkdtemp(pattern.data())) path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

void FilesCopy::remove(const std::string& scratch, pid_t pid) {
  std::error_code ignored;
  if (!scratch.empty()) fs::remove_all(fs::path(scratch) / std::to_string(pid), ignored);
}

base::Expected<fs::path, std::string> FilesCopy::fresh() {
  if (folder_.empty()) return fs::path();
  fs::path copy = fs::path(scratch_) / std::to_string(getpid());
  if (spoilt_) {
    std::error_code failed;
    if (scratch_.empty()) failed = std::make_error_code(std::errc::no_such_file_or_directory);
    if (!failed) fs::remove_all(copy, failed);
    if (!failed) copy_folder(folder_, copy, failed);
    if (failed) return fmt::format("{}: cannot be copied for a run: {}", folder_, failed.message());
    spoilt_ = false;
  }
  return copy;
}

}  // namespace host
