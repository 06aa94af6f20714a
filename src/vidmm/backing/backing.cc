#include "vidmm/backing/backing.h"

#include <utility>

#include "base/check.h"

namespace vidmm {

base::Result<void*> Backing::map(uint64_t bytes) {
  if (!cell_.address) {
    cell_ = TRY(BackingPool::instance().take(bytes));
    bytes_ = bytes;
  }
  return cell_.address;
}

FilePart Backing::file() const {
  CHECK(owned());
  return {cell_.slab->file.get(), static_cast<uint64_t>(cell_.address - cell_.slab->base), bytes_};
}

void Backing::decommit() {
  if (owned()) BackingPool::zero(cell_, bytes_);
}

void Backing::drop() {
  BackingCell cell = std::exchange(cell_, {});
  if (cell.slab) BackingPool::instance().give(cell, bytes_);
}

}  // namespace vidmm
