#include "ks/object/outer_unknown.h"

#include <fmt/format.h>

#include <new>

#include "ks/device/device.h"
#include "ks/exports/callback.h"
#include "ks/exports/kernel_entry.h"
#include "nt/mm/pool.h"

namespace ks {
namespace {

// {00000000-0000-0000-C000-000000000046}
constexpr GUID kUnknown = {0, 0, 0, {0xC0, 0, 0, 0, 0, 0, 0, 0x46}};

}  // namespace

void register_adapter(Device& device, PADAPTER_OBJECT adapter, ULONG max_bytes, ULONG stride) {
  nt::Machine& machine = device.machine();
  if (stride < sizeof(KSMAPPING)) {
    machine.report_violation(
        nt::Violation::KsMappingStride,
        fmt::format("{} registers its DMA adapter with a MappingTableStride of {}; a mapping has {} bytes",
                    device.name(), stride, sizeof(KSMAPPING)));
    stride = sizeof(KSMAPPING);
  }
  device.register_adapter({reinterpret_cast<DMA_ADAPTER*>(adapter), max_bytes, stride, machine.here()});
}

// COM interfaces have no destructor, and no code deletes through one.
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"

struct OuterUnknown::Face final : IKsDeviceFunctions {
  explicit Face(OuterUnknown& its_outer) : outer(its_outer) {}

  NTSTATUS QueryInterface(REFIID id, PVOID* interface) override {
    Object& object = outer.object_;
    bool functions = object.type() == KsObjectTypeDevice && id == IID_IKsDeviceFunctions;
    if (functions || id == kUnknown) {
      ++references;
      *interface = this;
      return STATUS_SUCCESS;
    }
    if (outer.client_) return outer.client_->QueryInterface(id, interface);
    *interface = nullptr;
    return STATUS_INVALID_PARAMETER;
  }
  ULONG AddRef() override { return ++references; }
  ULONG Release() override { return --references; }

  NTSTATUS RegisterAdapterObjectEx(PADAPTER_OBJECT adapter, PDEVICE_DESCRIPTION, ULONG, ULONG max_bytes,
                                   ULONG stride) override {
    KernelEntry call{Fn::RegisterAdapterObjectEx};
    register_adapter(outer.object_.device(), adapter, max_bytes, stride);
    return STATUS_SUCCESS;
  }

  OuterUnknown& outer;
  ULONG references = 1;
};

OuterUnknown::OuterUnknown(Object& object)
    : object_(object),
      face_(new (object.machine().pool().allocate(sizeof(Face), 0, nt::PoolKind::Internal, nt::PoolFill::Zero))
                Face(*this)) {}

OuterUnknown::~OuterUnknown() { object_.machine().pool().free(face_, 0); }

IUnknown* OuterUnknown::get() { return face_; }

}  // namespace ks
