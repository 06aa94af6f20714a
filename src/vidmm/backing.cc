#include "vidmm/backing.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "base/check.h"

namespace vidmm {

base::Result<void*> Backing::map(uint64_t bytes) {
  if (address_) return address_;
  int file = memfd_create("allocation", MFD_CLOEXEC);
  if (file < 0) return base::Failure(STATUS_NO_MEMORY, "the system gives no memory object");
  if (ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    close(file);
    return base::Failure(STATUS_NO_MEMORY, "the system gives no memory of that size");
  }
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (address == MAP_FAILED) {
    close(file);
    return base::Failure(STATUS_NO_MEMORY, "the system maps no more memory");
  }
  file_ = file;
  bytes_ = bytes;
  address_ = address;
  return address;
}

void Backing::decommit() {
  if (!address_ || !owned_) return;
  CHECK(fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes_)) == 0);
}

void Backing::drop() {
  void* address = std::exchange(address_, nullptr);
  if (!address || !owned_) return;
  munmap(address, bytes_);
  close(std::exchange(file_, -1));
}

}  // namespace vidmm
