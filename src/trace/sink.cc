#include "trace/sink.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace trace {
namespace {

base::Failure write_failure(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return {STATUS_UNEXPECTED_IO_ERROR, "no space left for the trace file"};
    case EBADF:
      return {STATUS_FILE_CLOSED, "the trace file is closed"};
    default:
      return {STATUS_UNEXPECTED_IO_ERROR, "the trace file could not be written"};
  }
}

}  // namespace

base::Result<> MemorySink::write(std::span<const std::byte> bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  return {};
}

base::Result<std::unique_ptr<FileSink>> FileSink::create(const std::string& path) {
  base::ScopedFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file) {
    bool no_path = errno == ENOENT || errno == ENOTDIR;
    return base::Failure(no_path ? STATUS_OBJECT_PATH_NOT_FOUND : STATUS_ACCESS_DENIED,
                         "the trace file could not be created");
  }
  return std::unique_ptr<FileSink>(new FileSink(std::move(file)));
}

base::Result<> FileSink::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written >= 0) {
      bytes = bytes.subspan(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      return write_failure(errno);
    }
  }
  return {};
}

base::Result<> FileSink::close() {
  if (!file_) return {};
  if (::close(file_.release()) != 0) return write_failure(errno);
  return {};
}

}  // namespace trace
