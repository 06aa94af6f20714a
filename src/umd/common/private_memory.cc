#include "umd/common/private_memory.h"

#include <algorithm>
#include <cstring>

#include "base/sanitizer.h"

namespace umd {
namespace {

// Makes it visible that a driver takes fresh memory for zeros, or freed memory for its object.
constexpr uint8_t kFreshFill = 0xCD, kGuardFill = 0xFD, kFreedFill = 0xDD;
constexpr size_t kGuard = 32;

}  // namespace

// No driver's handle is null, so even an object without memory of its own has an address.
PrivateBlock::PrivateBlock(size_t bytes, const char* what)
    : memory_(new uint8_t[bytes + kGuard]), bytes_(bytes), what_(what) {
  std::memset(memory_.get(), kFreshFill, bytes);
  std::memset(memory_.get() + bytes, kGuardFill, kGuard);
  base::poison(memory_.get() + bytes, kGuard);
}

PrivateBlock::~PrivateBlock() {
  if (memory_) base::unpoison(memory_.get(), bytes_ + kGuard);
}

PrivateBlock& PrivateBlock::operator=(PrivateBlock&& other) noexcept {
  if (memory_) base::unpoison(memory_.get(), bytes_ + kGuard);
  memory_ = std::move(other.memory_);
  bytes_ = other.bytes_;
  what_ = other.what_;
  return *this;
}

bool PrivateBlock::overrun() {
  const uint8_t* guard = memory_.get() + bytes_;
  base::unpoison(guard, kGuard);
  bool whole = std::all_of(guard, guard + kGuard, [](uint8_t each) { return each == kGuardFill; });
  base::poison(guard, kGuard);
  return !whole;
}

void PrivateBlock::forbid_access() {
  std::memset(memory_.get(), kFreedFill, bytes_);
  base::poison(memory_.get(), bytes_);
}

size_t PrivateBlock::first_touched() {
  base::unpoison(memory_.get(), bytes_);
  const uint8_t* end = memory_.get() + bytes_;
  const uint8_t* touched =
      std::find_if(memory_.get(), memory_.get() + bytes_, [](uint8_t each) { return each != kFreedFill; });
  size_t offset = bytes_ - static_cast<size_t>(end - touched);
  forbid_access();
  return offset;
}

std::vector<Trespass> FreedBlockQuarantine::add(PrivateBlock block, base::StackId destroyed_at) {
  std::vector<Trespass> found;
  if (block.overrun()) found.push_back({block.what(), block.bytes(), block.bytes(), false, destroyed_at});
  block.forbid_access();
  look(freed_[(next_ + kKept - 1) % kKept], found);
  look(freed_[next_], found);
  freed_[next_] = {std::move(block), destroyed_at};
  next_ = (next_ + 1) % kKept;
  return found;
}

std::vector<Trespass> FreedBlockQuarantine::check() {
  std::vector<Trespass> found;
  for (FreedBlock& freed : freed_) look(freed, found);
  return found;
}

void FreedBlockQuarantine::look(FreedBlock& freed, std::vector<Trespass>& found) {
  if (!freed.block) return;
  size_t offset = freed.block.first_touched();
  if (offset == freed.block.bytes()) return;
  found.push_back({freed.block.what(), freed.block.bytes(), offset, true, freed.destroyed_at});
}

}  // namespace umd
