#pragma once

#include <cstdint>
#include <string>

#include "base/debug/stack_table.h"

namespace nt {

// What a driver can obtain and must give back.
enum class ResourceKind : uint8_t {
  Pool,
  WorkItem,
  IoMapping,
  Interrupt,
  Device,
  ObjectReference,
  Handle,
  Thread,
  ContiguousMemory,
  Mdl,
  LockedPages,
  MdlPages,
  MdlMapping,
  ContextAllocation,
  DmaAdapter,
  CommonBuffer,
  MapRegisters,
  ScatterGatherList,
  Irp,
  SymbolicLink
};
const char* to_string(ResourceKind kind);
inline constexpr uint32_t kAllKinds = UINT32_MAX;
constexpr uint32_t kind_bit(ResourceKind kind) { return uint32_t{1} << static_cast<uint32_t>(kind); }

class Scope;

// One thing a driver obtained, on the list of the scope in which it was obtained. Embedded in whatever holds the thing.
struct Tracked {
  Tracked* next = nullptr;
  Tracked* prev = nullptr;
  Scope* scope = nullptr;
  ResourceKind kind = ResourceKind::Pool;
  base::StackId stack = 0;
  uint32_t ordinal = 0;  // counts within the machine
};

enum class ScopeKind : uint8_t {
  Machine,
  Driver,
  Adapter,
  Device,
  Context,
  Resource,
  Allocation,
  StreamDevice,
  Filter,
  Pin,
  Allocator
};
const char* to_string(ScopeKind kind);

// Everything obtained between two points of an object's life. When the scope ends, what is left was leaked. A scope
// outlives its children; the code that opened it owns it. Guarded by the machine's pool lock.
class Scope {
 public:
  Scope(ScopeKind kind, std::string name, Scope* parent) : kind_(kind), name_(std::move(name)), parent_(parent) {
    list_.next = list_.prev = &list_;
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  void add(Tracked& item) {
    item.scope = this;
    item.prev = list_.prev;
    item.next = &list_;
    list_.prev->next = &item;
    list_.prev = &item;
    ++count_;
  }
  static void remove(Tracked& item) {
    if (!item.scope) return;
    item.prev->next = item.next;
    item.next->prev = item.prev;
    --item.scope->count_;
    item.scope = nullptr;
  }

  ScopeKind kind() const { return kind_; }
  const std::string& name() const { return name_; }
  Scope* parent() const { return parent_; }
  size_t count() const { return count_; }
  template <typename F>
  void for_each(F&& f) {
    for (Tracked* item = list_.next; item != &list_;) {
      Tracked* next = item->next;
      f(*item);
      item = next;
    }
  }

 private:
  ScopeKind kind_;
  std::string name_;
  Scope* parent_;
  Tracked list_;
  size_t count_ = 0;
};

}  // namespace nt
