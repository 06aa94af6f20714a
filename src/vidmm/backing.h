#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/result.h"

namespace vidmm {

// The bytes behind an allocation: a memory object of its own that comes into being at the first use, or memory that the
// client brought. Mapped at one address until it goes, so that a pointer kept too long faults at the place of the bug.
// Owned by its allocation, which serialises calls.
class Backing {
 public:
  Backing() = default;
  ~Backing() { drop(); }
  Backing(Backing&& other) noexcept
      : address_(std::exchange(other.address_, nullptr)),
        bytes_(other.bytes_),
        file_(std::exchange(other.file_, -1)),
        owned_(other.owned_) {}
  Backing& operator=(const Backing&) = delete;

  // Before the first use. The client's memory stays the client's.
  void use_client_memory(void* memory) {
    address_ = memory;
    owned_ = false;
  }
  bool client_memory() const { return address_ && !owned_; }

  // Where the bytes are, zeroed when they are new. STATUS_NO_MEMORY.
  base::Result<void*> map(uint64_t bytes);
  bool mapped() const { return address_ != nullptr; }
  // The bytes go back to the system and are zero when next read. Nothing of it is done to a client's own memory.
  void decommit();
  // The memory goes; every pointer to it faults from here on.
  void drop();

 private:
  void* address_ = nullptr;
  uint64_t bytes_ = 0;
  int file_ = -1;  // the memory object, for a process that is not this one
  bool owned_ = true;
};

}  // namespace vidmm
