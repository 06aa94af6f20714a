#pragma once

#include <sys/types.h>

#include <string>

#include "abi/km/wdm_file.h"
#include "base/mutex.h"
#include "base/ref.h"
#include "base/result.h"
#include "base/scoped.h"

namespace nt {

class HostFiles;

// Where a read or a write begins.
struct FilePlace {
  enum class Kind : uint8_t { Offset, Position, End };
  Kind kind;
  LONGLONG offset;  // only for Offset
};

// One opening of a file or a folder of the host, as one handle sees it. Kept by its handle and by every call that uses
// it; its HostFiles outlives it. Any thread.
class HostFile final : public base::RefCounted {
 public:
  struct Made {
    base::ScopedFd fd;
    base::ScopedFd parent;  // the folder that it is in
    std::string host_name;  // its name in that folder
    std::u16string name;    // as FileNameInformation gives it: \dir\x
    ACCESS_MASK access;
    ULONG share;
    ULONG options;
    bool folder;
    dev_t device;
    ino_t inode;
  };
  HostFile(HostFiles& files, Made made) : files_(files), made_(std::move(made)) {}

  // How many bytes were moved. STATUS_END_OF_FILE when nothing is there to be read.
  base::Result<ULONG> read(void* buffer, ULONG length, FilePlace from) EXCLUDES(lock_);
  base::Result<ULONG> write(const void* buffer, ULONG length, FilePlace to) EXCLUDES(lock_);

  // The file pointer, which only synchronous openings have.
  base::Result<LONGLONG> position() const EXCLUDES(lock_);
  base::Result<> set_position(LONGLONG to) EXCLUDES(lock_);
  base::Result<LONGLONG> end_of_file() const;
  base::Result<> set_end_of_file(LONGLONG to) EXCLUDES(lock_);
  // Whether the file is deleted when its handle is closed.
  base::Result<> set_delete(bool wanted) EXCLUDES(lock_);
  bool delete_pending() const EXCLUDES(lock_);

  bool folder() const { return made_.folder; }
  int fd() const { return made_.fd.get(); }
  const std::u16string& name() const { return made_.name; }
  ACCESS_MASK access() const { return made_.access; }
  bool is_same_file(const HostFile& other) const {
    return made_.device == other.made_.device && made_.inode == other.made_.inode;
  }
  // Whether the two cannot be open at the same time.
  bool excludes(const HostFile& other) const;

 private:
  friend class HostFiles;
  ~HostFile() override;

  // The opening succeeded: from now on closing it may delete the file.
  void opened() EXCLUDES(lock_);
  bool synchronous() const;
  base::Result<> check(ACCESS_MASK any_of) const REQUIRES(lock_);
  base::Result<LONGLONG> resolve(FilePlace place) const REQUIRES(lock_);

  HostFiles& files_;
  const Made made_;
  mutable base::Mutex<base::LockRank::Table> lock_;
  LONGLONG position_ GUARDED_BY(lock_) = 0;
  bool delete_ GUARDED_BY(lock_) = false;
  bool delete_on_close_ GUARDED_BY(lock_) = false;
};

// What the host's errno means to a driver.
base::Failure host_failure(int error);

}  // namespace nt
