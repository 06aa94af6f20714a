// Names of enumerators, as reports show them.
#include <fmt/format.h>

#include "nt/ke/irql.h"
#include "nt/machine/machine_observer.h"
#include "nt/machine/scope.h"

namespace nt {

std::string irql_name(uint8_t irql) {
  switch (irql) {
    case PASSIVE_LEVEL:
      return "PASSIVE_LEVEL";
    case APC_LEVEL:
      return "APC_LEVEL";
    case DISPATCH_LEVEL:
      return "DISPATCH_LEVEL";
    case HIGH_LEVEL:
      return "HIGH_LEVEL";
    default:
      return fmt::format("IRQL {}", irql);
  }
}

const char* to_string(Violation what) {
  switch (what) {
#define VIOLATION(name) \
  case Violation::name: \
    return #name;
#include "nt/machine/violations.def"
#undef VIOLATION
  }
  return "";
}

const char* to_string(FaultKind kind) {
  switch (kind) {
    case FaultKind::Pool:
      return "pool";
    case FaultKind::Mapping:
      return "mapping";
    case FaultKind::Ddi:
      return "DDI";
    case FaultKind::Callback:
      return "callback";
    case FaultKind::ClientCopy:
      return "client copy";
  }
  return "?";
}

const char* to_string(LockKind kind) {
  switch (kind) {
    case LockKind::Spin:
      return "spin lock";
    case LockKind::QueuedSpin:
      return "queued spin lock";
    case LockKind::SharedSpin:
      return "reader/writer spin lock";
    case LockKind::Interrupt:
      return "interrupt spin lock";
    case LockKind::FastMutex:
      return "fast mutex";
    case LockKind::GuardedMutex:
      return "guarded mutex";
    case LockKind::Mutex:
      return "mutex";
    case LockKind::Resource:
      return "executive resource";
    case LockKind::PushLock:
      return "push lock";
  }
  return "";
}

const char* to_string(ResourceKind kind) {
  switch (kind) {
    case ResourceKind::Pool:
      return "a pool block";
    case ResourceKind::WorkItem:
      return "a work item";
    case ResourceKind::IoMapping:
      return "a mapping of device registers";
    case ResourceKind::Interrupt:
      return "a connected interrupt";
    case ResourceKind::Device:
      return "a device object";
    case ResourceKind::ObjectReference:
      return "a reference to an object";
    case ResourceKind::Handle:
      return "a handle";
    case ResourceKind::Thread:
      return "a thread";
    case ResourceKind::ContiguousMemory:
      return "a block of contiguous memory";
    case ResourceKind::Mdl:
      return "an MDL";
    case ResourceKind::LockedPages:
      return "a lock on the pages of an MDL";
    case ResourceKind::MdlPages:
      return "the pages of an MDL";
    case ResourceKind::MdlMapping:
      return "a client's mapping of an MDL";
    case ResourceKind::SymbolicLink:
      return "a symbolic link";
    case ResourceKind::Irp:
      return "an IRP";
    case ResourceKind::ContextAllocation:
      return "a context allocation";
    case ResourceKind::DmaAdapter:
      return "a DMA adapter";
    case ResourceKind::CommonBuffer:
      return "a common buffer";
    case ResourceKind::MapRegisters:
      return "map registers";
    case ResourceKind::ScatterGatherList:
      return "a scatter/gather list";
  }
  return "";
}

const char* to_string(ScopeKind kind) {
  switch (kind) {
    case ScopeKind::Machine:
      return "machine";
    case ScopeKind::Driver:
      return "driver";
    case ScopeKind::Adapter:
      return "adapter";
    case ScopeKind::Device:
      return "device";
    case ScopeKind::Context:
      return "context";
    case ScopeKind::Resource:
      return "resource";
    case ScopeKind::Allocation:
      return "allocation";
    case ScopeKind::StreamDevice:
      return "streaming device";
    case ScopeKind::Filter:
      return "filter";
    case ScopeKind::Pin:
      return "pin";
    case ScopeKind::Allocator:
      return "allocator";
  }
  return "";
}

}  // namespace nt
