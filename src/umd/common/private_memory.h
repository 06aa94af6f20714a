#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/debug/stack_table.h"

namespace umd {

// The memory behind a D3D10DDI_H* handle: the runtime's, lent to the driver from the creation of an object until its
// destruction returns. Owned by the object.
class PrivateBlock {
 public:
  PrivateBlock() = default;
  PrivateBlock(size_t bytes, const char* what);
  PrivateBlock(PrivateBlock&& other) noexcept = default;
  PrivateBlock& operator=(PrivateBlock&& other) noexcept;
  ~PrivateBlock();

  // A driver's handle is this address.
  void* data() const { return memory_.get(); }
  size_t bytes() const { return bytes_; }
  const char* what() const { return what_; }  // "a resource", …
  explicit operator bool() const { return memory_ != nullptr; }

  // Whether the driver wrote beyond what it had asked for.
  bool overrun();
  // From now on no code may touch it.
  void forbid_access();
  // The first byte that was changed since, or bytes().
  size_t first_touched();

 private:
  std::unique_ptr<uint8_t[]> memory_;  // the memory, and a guard behind it
  size_t bytes_ = 0;
  const char* what_ = "";
};

// What was done to memory that the driver had to leave alone.
struct Trespass {
  const char* what = "";
  size_t bytes = 0;
  size_t offset = 0;
  bool destroyed = false;  // false: it wrote behind its end while it lived
  base::StackId destroyed_at = 0;
};

// The memory of objects that were destroyed, kept back for a while to see whether the driver still writes to it. Owned
// by the device; guarded by the runtime's lock.
class FreedBlockQuarantine {
 public:
  // Takes the memory of an object whose destruction has returned. Returns what was wrong with it, and with the two
  // blocks that are checked now: the one added last and the one that is freed.
  std::vector<Trespass> add(PrivateBlock block, base::StackId destroyed_at);
  std::vector<Trespass> check();

 private:
  static constexpr size_t kKept = 64;

  struct FreedBlock {
    PrivateBlock block;
    base::StackId destroyed_at = 0;
  };
  void look(FreedBlock& freed, std::vector<Trespass>& found);

  std::array<FreedBlock, kKept> freed_;
  size_t next_ = 0;  // where the next one goes
};

}  // namespace umd
