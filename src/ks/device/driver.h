#pragma once

#include <string>

#include "abi/ks/ks.h"
#include "nt/machine/scope.h"

namespace ks {

class System;

// A minidriver between KsInitializeDriver and its unloading. Owned by the system.
class Driver {
 public:
  Driver(System& its_system, DRIVER_OBJECT& its_object, const KSDEVICE_DESCRIPTOR* its_descriptor, nt::Scope& its_scope,
         std::string its_name)
      : system(its_system),
        object(its_object),
        descriptor(its_descriptor),
        scope(its_scope),
        name(std::move(its_name)) {}

  System& system;
  DRIVER_OBJECT& object;
  const KSDEVICE_DESCRIPTOR* const descriptor;  // null: the driver makes its filter factories itself
  nt::Scope& scope;                             // of the image: the parent of its devices' scopes
  const std::string name;
  uint32_t devices = 0;  // made so far: numbers them
};

}  // namespace ks
