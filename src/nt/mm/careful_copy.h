#pragma once

#include <cstddef>

#include "base/result.h"

// Copies from and to a client's memory, which may be unmapped. It needs no system call: a fault in the copying code is
// caught (fault.h) and becomes STATUS_ACCESS_VIOLATION. Any thread, in a machine or not.
namespace nt {

base::Result<> careful_read(void* to, const void* from, size_t bytes);
// Writes all or nothing, unless the client takes the memory away meanwhile.
base::Result<> careful_write(void* to, const void* from, size_t bytes);
// Whether all of it can be written; changes nothing.
base::Result<> careful_probe_write(void* at, size_t bytes);
// Whether all of it can be read.
base::Result<> careful_probe_read(const void* at, size_t bytes);

}  // namespace nt
