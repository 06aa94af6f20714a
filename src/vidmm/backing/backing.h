#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/result.h"
#include "vidmm/backing/backing_pool.h"
#include "vidmm/backing/cpu_view.h"

namespace vidmm {

// The bytes behind an allocation: memory of the process's pool that is committed at the first use, or memory that the
// client brought. It stays at one address until it is freed. A pointer kept too long then faults at the place of the
// bug, as long as the pool guards its cells (backing_pool.h). Owned by its allocation, which serialises calls.
class Backing {
 public:
  Backing() = default;
  ~Backing() { drop(); }
  Backing(Backing&& other) noexcept : cell_(std::exchange(other.cell_, {})), bytes_(other.bytes_) {}
  Backing& operator=(const Backing&) = delete;

  // Before the first use. The client's memory stays the client's.
  void use_client_memory(void* memory) { cell_ = {static_cast<char*>(memory), nullptr}; }
  bool client_memory() const { return cell_.address && !owned(); }

  // Where the bytes are, zeroed when they are new. STATUS_NO_MEMORY.
  base::Result<void*> map(uint64_t bytes);
  bool mapped() const { return cell_.address != nullptr; }
  // The same bytes for code that maps them elsewhere. Of memory that is mapped and not the client's own.
  FilePart file() const;
  // The bytes go back to the system and are zero when next read. Nothing of it is done to a client's own memory.
  void decommit();
  // The memory goes.
  void drop();

 private:
  bool owned() const { return cell_.slab != nullptr; }

  BackingCell cell_;  // without a slab: the client's
  uint64_t bytes_ = 0;
};

}  // namespace vidmm
