#include "nt/store/host_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "base/utf.h"
#include "nt/store/host_path.h"

using base::Failure;
using base::Result;
using base::ScopedFd;

namespace nt {
namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr int kFile = O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;  // a pipe must not keep us waiting

// The entry of `folder` that is called `name` but for case. Of several the one that is spelt so, or the first in the
// order of bytes: the host's own order is not the same on every run.
Result<std::optional<std::string>> find_entry(int folder, const std::u16string& name) {
  ScopedFd again(openat(folder, ".", kFolder));
  if (!again) return host_failure(errno);
  DIR* listing = fdopendir(again.get());
  if (!listing) return host_failure(errno);
  (void)again.release();  // closed with the listing
  std::optional<std::string> exact = base::to_utf8(name), found;
  while (const dirent* entry = readdir(listing)) {
    std::string each = entry->d_name;
    std::optional<std::u16string> wide = base::to_utf16(each);
    if (!wide || !same_name(*wide, name)) continue;
    if (!found || each == exact || (found != exact && each < *found)) found = each;
  }
  closedir(listing);
  return found;
}

// The same for what may be made under that name.
Result<std::string> spelling(const std::u16string& name) {
  std::optional<std::string> narrow = base::to_utf8(name);
  if (!narrow) return Failure(STATUS_OBJECT_NAME_INVALID, "a name that is no well-formed text");
  return *narrow;
}

Result<mode_t> kind_of(int folder, const std::string& name) {
  struct stat facts;
  if (fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) return host_failure(errno);
  if (S_ISLNK(facts.st_mode)) return host_failure(ELOOP);
  if (!S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode)) {
    return Failure(STATUS_ACCESS_DENIED, "the host has something there that is neither a file nor a folder");
  }
  return facts.st_mode;
}

// The folder that the last component is in.
Result<ScopedFd> walk(ScopedFd folder, const std::vector<std::u16string>& components) {
  for (size_t i = 0; i + 1 < components.size(); ++i) {
    std::optional<std::string> entry = TRY(find_entry(folder.get(), components[i]));
    if (!entry) return Failure(STATUS_OBJECT_PATH_NOT_FOUND, "the host has no such folder");
    if (!S_ISDIR(TRY(kind_of(folder.get(), *entry)))) {
      return Failure(STATUS_OBJECT_PATH_NOT_FOUND, "a part of the path is a file and no folder");
    }
    ScopedFd next(openat(folder.get(), entry->c_str(), kFolder));
    if (!next) return host_failure(errno);
    folder = std::move(next);
  }
  return folder;
}

// What the pages say must not be.
Result<> check(const HostFiles::Request& request) {
  const ULONG options = request.options;
  auto wrong = [](const char* why) { return Failure(STATUS_INVALID_PARAMETER, why); };
  ULONG synchronous = options & (FILE_SYNCHRONOUS_IO_ALERT | FILE_SYNCHRONOUS_IO_NONALERT);
  if (request.disposition > FILE_MAXIMUM_DISPOSITION) return wrong("a CreateDisposition that there is not");
  if (request.share & ~static_cast<ULONG>(FILE_SHARE_VALID_FLAGS)) return wrong("ShareAccess with unknown flags");
  if (synchronous && !(request.access & SYNCHRONIZE)) return wrong("FILE_SYNCHRONOUS_IO_* without SYNCHRONIZE");
  if (synchronous == (FILE_SYNCHRONOUS_IO_ALERT | FILE_SYNCHRONOUS_IO_NONALERT)) {
    return wrong("both FILE_SYNCHRONOUS_IO_ALERT and FILE_SYNCHRONOUS_IO_NONALERT");
  }
  if ((options & FILE_DELETE_ON_CLOSE) && !(request.access & DELETE)) {
    return wrong("FILE_DELETE_ON_CLOSE without DELETE");
  }
  if ((options & FILE_NO_INTERMEDIATE_BUFFERING) && (request.access & FILE_APPEND_DATA)) {
    return wrong("FILE_NO_INTERMEDIATE_BUFFERING with FILE_APPEND_DATA");
  }
  if ((options & FILE_DIRECTORY_FILE) && (options & FILE_NON_DIRECTORY_FILE)) {
    return wrong("both FILE_DIRECTORY_FILE and FILE_NON_DIRECTORY_FILE");
  }
  bool replaces = request.disposition == FILE_SUPERSEDE || request.disposition == FILE_OVERWRITE ||
                  request.disposition == FILE_OVERWRITE_IF;
  if ((options & FILE_DIRECTORY_FILE) && replaces) return wrong("a folder cannot be overwritten");
  if (options & FILE_OPEN_BY_FILE_ID) return Failure(STATUS_NOT_SUPPORTED, "files have no ids here");
  return {};
}

// What is to be done with a file that exists, or not.
Result<ULONG> action_of(ULONG disposition, bool exists) {
  bool opens_only = disposition == FILE_OPEN || disposition == FILE_OVERWRITE;
  if (!exists && opens_only) return Failure(STATUS_OBJECT_NAME_NOT_FOUND, "the host has no such file");
  if (!exists) return ULONG{FILE_CREATED};
  switch (disposition) {
    case FILE_CREATE:
      return Failure(STATUS_OBJECT_NAME_COLLISION, "the file exists already");
    case FILE_SUPERSEDE:
      return ULONG{FILE_SUPERSEDED};
    case FILE_OVERWRITE:
    case FILE_OVERWRITE_IF:
      return ULONG{FILE_OVERWRITTEN};
    default:
      return ULONG{FILE_OPENED};
  }
}

Result<> check_kind(bool folder, ULONG options, ULONG action) {
  if (folder && ((options & FILE_NON_DIRECTORY_FILE) || action != FILE_OPENED)) {
    return Failure(STATUS_FILE_IS_A_DIRECTORY, "there is a folder of this name");
  }
  if (!folder && (options & FILE_DIRECTORY_FILE)) {
    return Failure(STATUS_NOT_A_DIRECTORY, "there is a file of this name");
  }
  return {};
}

Result<ScopedFd> open_folder(int parent, const std::string& name, ULONG action) {
  if (action == FILE_CREATED && mkdirat(parent, name.c_str(), 0777) != 0) return host_failure(errno);
  ScopedFd fd(openat(parent, name.c_str(), kFolder));
  if (!fd) return host_failure(errno);
  return fd;
}

Result<ScopedFd> open_file(int parent, const std::string& name, ULONG action, ACCESS_MASK access) {
  bool writes = action != FILE_OPENED || (access & (FILE_WRITE_DATA | FILE_APPEND_DATA)) != 0;
  int flags = kFile | (writes ? O_RDWR : O_RDONLY) | (action == FILE_CREATED ? O_CREAT | O_EXCL : 0);
  ScopedFd fd(openat(parent, name.c_str(), flags, 0666));
  if (!fd) return host_failure(errno);
  return fd;
}

// \dir\x: the drive is no part of it.
std::u16string name_of(const HostFile* root, const std::vector<std::u16string>& components) {
  std::u16string name = root && root->name() != u"\\" ? root->name() : u"";
  for (size_t i = root ? 0 : 1; i < components.size(); ++i) name += u"\\" + components[i];
  return name.empty() ? u"\\" : name;
}

}  // namespace

Result<ScopedFd> HostFiles::start(const HostFile* root) const {
  if (root && !root->folder()) return Failure(STATUS_OBJECT_PATH_NOT_FOUND, "RootDirectory is a file and no folder");
  if (!root && folder_.empty()) {
    return Failure(STATUS_OBJECT_PATH_NOT_FOUND, "the machine was given no folder for its files");
  }
  ScopedFd fd(root ? openat(root->fd(), ".", kFolder) : open(folder_.c_str(), kFolder & ~O_NOFOLLOW));
  if (!fd) return Failure(STATUS_OBJECT_PATH_NOT_FOUND, "the folder of the machine's files cannot be opened");
  return fd;
}

Result<HostFiles::Opened> HostFiles::create(const Request& request) {
  TRY(check(request));
  auto components = TRY(request.root ? relative_host_path(request.path) : host_path(request.path));
  // Our policy: without a folder of the host drive C is there, and empty.
  if (!request.root && folder_.empty() && components.size() == 2 && components[0] == u"c") {
    return Failure(STATUS_OBJECT_NAME_NOT_FOUND, "the machine was given no folder for its files");
  }
  ScopedFd beginning = TRY(start(request.root));
  ScopedFd parent = TRY(walk(std::move(beginning), components));
  std::optional<std::string> entry = TRY(find_entry(parent.get(), components.back()));
  ULONG action = TRY(action_of(request.disposition, entry.has_value()));
  std::string host_name = entry ? *entry : TRY(spelling(components.back()));
  bool folder = entry ? S_ISDIR(TRY(kind_of(parent.get(), host_name))) : (request.options & FILE_DIRECTORY_FILE) != 0;
  if (entry) TRY(check_kind(folder, request.options, action));
  if (action != FILE_OPENED || request.access & (FILE_WRITE_DATA | FILE_APPEND_DATA | DELETE)) changed_.store(true);

  ScopedFd fd = TRY(folder ? open_folder(parent.get(), host_name, action)
                           : open_file(parent.get(), host_name, action, request.access));
  struct stat facts;
  if (fstat(fd.get(), &facts) != 0) return host_failure(errno);
  auto file = base::make_ref<HostFile>(
      *this, HostFile::Made{std::move(fd), std::move(parent), std::move(host_name), name_of(request.root, components),
                            request.access, request.share, request.options, folder, facts.st_dev, facts.st_ino});
  TRY(share(*file));
  if (action == FILE_SUPERSEDED || action == FILE_OVERWRITTEN) {
    if (ftruncate(file->fd(), 0) != 0) return host_failure(errno);
  }
  file->opened();
  return Opened{std::move(file), action};
}

Result<> HostFiles::share(HostFile& file) {
  base::Guard guard(lock_);
  for (const HostFile* other : open_) {
    if (file.excludes(*other)) {
      return Failure(STATUS_SHARING_VIOLATION, "the file is open, and the two ShareAccess do not allow both");
    }
  }
  open_.push_back(&file);
  return {};
}

void HostFiles::closed(HostFile& file) {
  base::Guard guard(lock_);
  open_.erase(std::remove(open_.begin(), open_.end(), &file), open_.end());
}

}  // namespace nt
