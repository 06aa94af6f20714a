#pragma once

#include <memory>
#include <string>
#include <vector>

#include "abi/ks/ks.h"
#include "ks/device/control_mutex.h"
#include "ks/object/bag.h"
#include "nt/machine/scope.h"

namespace ks {

class Device;
class EventList;
class OuterUnknown;
class System;

// What devices, filter factories, filters and pins have in common: a place in the tree, a bag, a scope for what the
// driver obtains, and a body (KSDEVICE, …) in the machine's memory that the driver sees. The tree below a device is
// stable while its mutex is held, below a filter while its control mutex is.
class Object {
 public:
  // What the driver obtained for it and still has when it is gone belongs to `outer` then.
  Object(System& system, KSOBJECTTYPE type, Object* parent, nt::Scope& outer, nt::ScopeKind scope_kind,
         std::string name);
  virtual ~Object();
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  System& system() { return system_; }
  nt::Machine& machine();
  KSOBJECTTYPE type() const { return type_; }
  const std::string& name() const { return name_; }  // "pin 0 of filter 1 of testcam": for sentences
  Object* parent() { return parent_; }
  const std::vector<Object*>& children() const { return children_; }  // in the order they were made
  Object* next_sibling();
  virtual void* body() = 0;
  virtual Device& device() = 0;
  // The mutex that guards this object's bag and the tree below it: its device's, or its filter's control mutex.
  virtual ControlMutex& control() = 0;
  Bag& bag() { return bag_; }
  nt::Scope& scope() { return scope_; }
  OuterUnknown& outer_unknown();            // made when it is first asked for
  EventList& events() { return *events_; }  // what clients enabled on it

 protected:
  // A body of the driver-visible kind, zeroed, in the machine's memory.
  template <typename Body>
  Body* make_body() {
    return static_cast<Body*>(allocate_body(sizeof(Body)));
  }
  void* allocate_body(size_t bytes);
  // The end: empties the bag, hands what is left in the scope to the outer scope, and frees the body, so that a later
  // access to it is found.
  void retire();

 private:
  System& system_;
  const KSOBJECTTYPE type_;
  const std::string name_;
  Object* const parent_;
  nt::Scope scope_;
  Bag bag_;
  std::unique_ptr<EventList> events_;
  std::unique_ptr<OuterUnknown> outer_unknown_;
  std::vector<Object*> children_;
};

}  // namespace ks
