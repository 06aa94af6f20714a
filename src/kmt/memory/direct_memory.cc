#include "kmt/memory/direct_memory.h"

#include "nt/machine/machine.h"
#include "nt/mm/careful_copy.h"

namespace kmt {
namespace {

// A client of the thunks gets STATUS_INVALID_PARAMETER, whatever is wrong with its memory.
base::Result<> as_parameter(const base::Result<>& result) {
  if (result.ok()) return {};
  return base::Failure(STATUS_INVALID_PARAMETER, result.failure().why(), result.failure().where());
}

// A client can unmap its memory at any moment. A test injects that as a fault (FaultKind::ClientCopy).
base::Result<> taken_away(const char* how) {
  nt::Machine* machine = nt::Machine::current();
  if (!machine || !machine->fails(nt::FaultKind::ClientCopy, how)) return {};
  return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "a client's memory could not be read in, on purpose");
}

}  // namespace

base::Result<> DirectMemory::read(void* to, uint64_t from, size_t bytes) {
  TRY(taken_away("reading a client's memory"));
  return as_parameter(nt::careful_read(to, reinterpret_cast<const void*>(from), bytes));
}

base::Result<> DirectMemory::write(uint64_t to, const void* from, size_t bytes) {
  TRY(taken_away("writing a client's memory"));
  return as_parameter(nt::careful_write(reinterpret_cast<void*>(to), from, bytes));
}

base::Result<> DirectMemory::probe_write(uint64_t to, size_t bytes) {
  return as_parameter(nt::careful_probe_write(reinterpret_cast<void*>(to), bytes));
}

}  // namespace kmt
