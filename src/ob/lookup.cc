#include "ob/lookup.h"

namespace ob {

const char* describe(LookupFault fault) {
  switch (fault) {
    case LookupFault::Null:
      return "the handle is null";
    case LookupFault::Pseudo:
      return "a pseudo-handle stands where a real handle is needed";
    case LookupFault::Malformed:
      return "the value has bits that no handle has";
    case LookupFault::WrongTable:
      return "the handle belongs to another table: local and global handles differ in their low bits";
    case LookupFault::BadIndex:
      return "no handle with this index was ever given out";
    case LookupFault::StaleGeneration:
      return "the handle was closed, and its slot has moved on";
    case LookupFault::Unused:
      return "the handle is not open";
    case LookupFault::Reserved:
      return "the handle's object is still being created";
    case LookupFault::WrongType:
      return "the handle stands for an object of another type";
    case LookupFault::Closing:
      return "the handle is being closed";
    case LookupFault::Destroyed:
      return "the object was destroyed and waits for its last use to end";
  }
  return "unknown fault";
}

}  // namespace ob
