#pragma once

#include <cstddef>

#include "base/result.h"

// Memory that a client named and that may not be there. Copies without a system call: a fault in the copying code is
// caught and means that the range is not there (fault.h). STATUS_ACCESS_VIOLATION then. Any thread, in a machine or
// not.
namespace nt {

base::Result<> careful_read(void* to, const void* from, size_t bytes);
// Writes all or nothing, unless the client takes the memory away meanwhile.
base::Result<> careful_write(void* to, const void* from, size_t bytes);
// Whether all of it can be written; changes nothing.
base::Result<> careful_probe_write(void* at, size_t bytes);
// Whether all of it can be read.
base::Result<> careful_probe_read(const void* at, size_t bytes);

}  // namespace nt
