#include "nt/store/host_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "nt/store/host_files.h"

using base::Failure;
using base::Result;

namespace nt {
namespace {

// Calls `move(done)` until nothing is left or nothing more comes. An error counts only before the first byte.
template <typename Move>
Result<ULONG> move_all(ULONG length, Move&& move) {
  ULONG done = 0;
  while (done < length) {
    ssize_t moved = move(done);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0 && done == 0) return host_failure(errno);
    if (moved <= 0) break;
    done += static_cast<ULONG>(moved);
  }
  return done;
}

bool is_empty(int folder) {
  int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* listing = again < 0 ? nullptr : fdopendir(again);
  if (!listing) return false;
  int entries = 0;
  while (readdir(listing)) ++entries;
  closedir(listing);
  return entries <= 2;  // "." and ".."
}

// The kinds of access of one opening that the share mode of another may forbid.
ULONG uses(ACCESS_MASK access) {
  ULONG used = 0;
  if (access & (FILE_READ_DATA | FILE_EXECUTE)) used |= FILE_SHARE_READ;
  if (access & (FILE_WRITE_DATA | FILE_APPEND_DATA)) used |= FILE_SHARE_WRITE;
  if (access & DELETE) used |= FILE_SHARE_DELETE;
  return used;
}

}  // namespace

Failure host_failure(int error) {
  switch (error) {
    case ENOENT:
      return Failure(STATUS_OBJECT_NAME_NOT_FOUND, "the host has no such file");
    case EEXIST:
      return Failure(STATUS_OBJECT_NAME_COLLISION, "the host has this file already");
    case EACCES:
    case EPERM:
    case EROFS:
      return Failure(STATUS_ACCESS_DENIED, "the host does not allow it");
    case ELOOP:
      return Failure(STATUS_ACCESS_DENIED, "symbolic links of the host are not followed");
    case ENOTDIR:
      return Failure(STATUS_NOT_A_DIRECTORY, "the host has a file where a folder is wanted");
    case ENOTEMPTY:
      return Failure(STATUS_DIRECTORY_NOT_EMPTY, "the folder is not empty");
    case ENAMETOOLONG:
      return Failure(STATUS_NAME_TOO_LONG, "the name is too long for the host");
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return Failure(STATUS_DISK_FULL, "the host has no room");
    case EMFILE:
    case ENFILE:
      return Failure(STATUS_TOO_MANY_OPENED_FILES, "the host lets no more files be open");
    case EFAULT:
      return Failure(STATUS_ACCESS_VIOLATION, "the buffer is not there");
    default:
      return Failure(STATUS_UNEXPECTED_IO_ERROR, "the host failed");
  }
}

// The file itself goes when the last opening of it does, as the host's files do.
HostFile::~HostFile() {
  files_.closed(*this);
  if (delete_pending()) unlinkat(made_.parent.get(), made_.host_name.c_str(), made_.folder ? AT_REMOVEDIR : 0);
}

void HostFile::opened() {
  base::Guard guard(lock_);
  delete_on_close_ = (made_.options & FILE_DELETE_ON_CLOSE) != 0;
}

bool HostFile::synchronous() const {
  return (made_.options & (FILE_SYNCHRONOUS_IO_ALERT | FILE_SYNCHRONOUS_IO_NONALERT)) != 0;
}

bool HostFile::excludes(const HostFile& other) const {
  return is_same_file(other) &&
         ((uses(made_.access) & ~other.made_.share) != 0 || (uses(other.made_.access) & ~made_.share) != 0);
}

Result<> HostFile::check(ACCESS_MASK any_of) const {
  if (delete_) return Failure(STATUS_DELETE_PENDING, "the file is marked for deletion: its handle can only be closed");
  if (made_.folder) return Failure(STATUS_INVALID_DEVICE_REQUEST, "the handle stands for a folder");
  if (!(made_.access & any_of)) {
    return Failure(STATUS_ACCESS_DENIED, "the file was opened without the access that this needs");
  }
  return {};
}

Result<LONGLONG> HostFile::resolve(FilePlace place) const {
  switch (place.kind) {
    case FilePlace::Kind::Position:
      if (!synchronous()) {
        return Failure(STATUS_INVALID_PARAMETER, "no offset is given, and only synchronous files have a position");
      }
      return position_;
    case FilePlace::Kind::End:
      return end_of_file();
    case FilePlace::Kind::Offset:
      break;
  }
  if (place.offset < 0) return Failure(STATUS_INVALID_PARAMETER, "a negative offset");
  return place.offset;
}

Result<ULONG> HostFile::read(void* buffer, ULONG length, FilePlace from) {
  base::Guard guard(lock_);
  TRY(check(FILE_READ_DATA));
  LONGLONG at = TRY(resolve(from));
  ULONG done = TRY(move_all(length, [&](ULONG so_far) {
    return pread(fd(), static_cast<char*>(buffer) + so_far, length - so_far, at + so_far);
  }));
  if (done == 0 && length != 0) return Failure(STATUS_END_OF_FILE, "the read begins at the end of the file or behind");
  position_ = at + done;
  return done;
}

// A handle that may only append writes at the end, whatever offset is given.
Result<ULONG> HostFile::write(const void* buffer, ULONG length, FilePlace to) {
  base::Guard guard(lock_);
  TRY(check(FILE_WRITE_DATA | FILE_APPEND_DATA));
  if (!(made_.access & FILE_WRITE_DATA)) to = {FilePlace::Kind::End, 0};
  LONGLONG at = TRY(resolve(to));
  ULONG done = TRY(move_all(length, [&](ULONG so_far) {
    return pwrite(fd(), static_cast<const char*>(buffer) + so_far, length - so_far, at + so_far);
  }));
  position_ = at + done;
  return done;
}

Result<LONGLONG> HostFile::position() const {
  base::Guard guard(lock_);
  TRY(check(FILE_READ_DATA | FILE_WRITE_DATA));
  return resolve({FilePlace::Kind::Position, 0});
}

Result<> HostFile::set_position(LONGLONG to) {
  base::Guard guard(lock_);
  TRY(check(FILE_READ_DATA | FILE_WRITE_DATA));
  TRY(resolve({FilePlace::Kind::Position, 0}));
  position_ = TRY(resolve({FilePlace::Kind::Offset, to}));
  return {};
}

Result<LONGLONG> HostFile::end_of_file() const {
  struct stat facts;
  if (fstat(fd(), &facts) != 0) return host_failure(errno);
  return made_.folder ? LONGLONG{0} : static_cast<LONGLONG>(facts.st_size);
}

Result<> HostFile::set_end_of_file(LONGLONG to) {
  base::Guard guard(lock_);
  TRY(check(FILE_WRITE_DATA));
  LONGLONG end = TRY(resolve({FilePlace::Kind::Offset, to}));
  if (ftruncate(fd(), end) != 0) return host_failure(errno);
  return {};
}

Result<> HostFile::set_delete(bool wanted) {
  base::Guard guard(lock_);
  if (!(made_.access & DELETE)) {
    return Failure(STATUS_ACCESS_DENIED, "the file was opened without DELETE access");
  }
  if (wanted && made_.folder && !is_empty(fd())) return host_failure(ENOTEMPTY);
  delete_ = wanted;
  return {};
}

bool HostFile::delete_pending() const {
  base::Guard guard(lock_);
  return delete_ || delete_on_close_;
}

}  // namespace nt
