#pragma once

#include "kmt/client/user_memory.h"

namespace kmt {

// The memory of a client that lives in this process (nt/mm/careful_copy.h). Any thread, in a machine or not.
class DirectMemory final : public UserMemory {
 public:
  using UserMemory::probe_write;
  using UserMemory::read;
  using UserMemory::write;
  base::Result<> read(void* to, uint64_t from, size_t bytes) override;
  base::Result<> write(uint64_t to, const void* from, size_t bytes) override;
  base::Result<> probe_write(uint64_t to, size_t bytes) override;
};

}  // namespace kmt
