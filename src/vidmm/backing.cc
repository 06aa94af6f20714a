#include "vidmm/backing.h"

#include <utility>

namespace vidmm {

base::Result<void*> Backing::map(uint64_t bytes) {
  if (!cell_.address) {
    cell_ = TRY(BackingPool::instance().take(bytes));
    bytes_ = bytes;
  }
  return cell_.address;
}

void Backing::decommit() {
  if (owned()) BackingPool::zero(cell_, bytes_);
}

void Backing::drop() {
  BackingCell cell = std::exchange(cell_, {});
  if (cell.slab) BackingPool::instance().give(cell, bytes_);
}

}  // namespace vidmm
