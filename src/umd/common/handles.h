#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "abi/shared/ntdef.h"

namespace umd {

enum class HandleKind : uint8_t { None, Adapter, Device, Resource, Context };
const char* to_string(HandleKind kind);  // "a resource handle", …

// The handles that the runtime gives to a driver. They are no addresses: a driver that dereferences one faults. A
// closed handle's value is never given out again. Owned by the adapter; guarded by its lock.
class Handles {
 public:
  HANDLE add(HandleKind kind, void* object);
  void remove(HANDLE handle);

  struct Found {
    HandleKind kind = HandleKind::None;  // None: never was one of the runtime's
    bool live = false;
    void* object = nullptr;  // of a live one
  };
  Found find(HANDLE handle) const;
  size_t live() const { return live_; }

 private:
  struct Entry {
    void* object = nullptr;
    uint32_t generation = 0;
    uint32_t next_free = 0;
    HandleKind kind = HandleKind::None;
  };

  std::vector<Entry> entries_;
  uint32_t free_ = 0;  // index + 1
  size_t live_ = 0;
};

}  // namespace umd
