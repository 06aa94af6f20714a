// Interfaces behind objects, and the registration of DMA adapters. Pages: ks/nf-ks-ksgetouterunknown,
// nf-ks-ksdeviceregisteradapterobject, nf-ks-iksdevicefunctions-registeradapterobjectex.
#include <fmt/format.h>

#include "ks/device/device.h"
#include "ks/exports/kernel_entry.h"
#include "ks/object/outer_unknown.h"

using ks::Fn;
using ks::KernelEntry;

extern "C" {

void KsDeviceRegisterAdapterObject(PKSDEVICE body, PADAPTER_OBJECT adapter, ULONG max_bytes, ULONG stride) {
  KernelEntry call{Fn::KsDeviceRegisterAdapterObject};
  auto* device = call.system().object_as<ks::Device>(body, call.name());
  if (!device) return;
  call.report_violation(
      nt::Violation::KsAdapterNotEx,
      fmt::format("{} registers its DMA adapter with KsDeviceRegisterAdapterObject on a 64-bit system",
                  device->name()));
  ks::register_adapter(*device, adapter, max_bytes, stride);
}

PUNKNOWN KsGetOuterUnknown(PVOID body) {
  KernelEntry call{Fn::KsGetOuterUnknown};
  ks::Object* object = call.system().object(body, call.name());
  return object ? object->outer_unknown().get() : nullptr;
}

PUNKNOWN KsRegisterAggregatedClientUnknown(PVOID body, PUNKNOWN client) {
  KernelEntry call{Fn::KsRegisterAggregatedClientUnknown};
  ks::Object* object = call.system().object(body, call.name());
  if (!object) return nullptr;
  object->outer_unknown().aggregate(client);
  return object->outer_unknown().get();
}

}  // extern "C"
