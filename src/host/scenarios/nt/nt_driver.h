#pragma once

#include <string>

#include "abi/km/wdm.h"
#include "host/run/driver_image.h"
#include "nt/machine/machine.h"

namespace host {

// A driver in a running machine, from DriverEntry to the audit after its unload. Used on a machine's thread, at
// PASSIVE_LEVEL; the image outlives it.
class NtDriver {
 public:
  NtDriver(nt::Machine& machine, const DriverImage& image);
  NtDriver(const NtDriver&) = delete;
  NtDriver& operator=(const NtDriver&) = delete;

  // Calls DriverEntry. When it fails, Windows unloads the image: what it left behind is judged at once.
  NTSTATUS load();
  // Calls the unload routine and judges what is left. False when the driver has none, and so can never be unloaded.
  bool unload();

  DRIVER_OBJECT& object() { return *object_; }
  nt::Scope& scope() { return scope_; }

 private:
  void judge_remains();

  nt::Machine& machine_;
  const DriverImage& image_;
  nt::Scope scope_;
  DRIVER_OBJECT* object_;
  UNICODE_STRING* registry_path_;
};

}  // namespace host
