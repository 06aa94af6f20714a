// The device and its place in the computer. Pages: dispmprt/nc-dispmprt-dxgkcb_get_device_information,
// nc-dispmprt-dxgkcb_read_device_space, nc-dispmprt-dxgkcb_acquire_post_display_ownership, …
#include <fmt/format.h>

#include "base/planted.h"
#include "base/raw_enum.h"
#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/adapter_hardware.h"
#include "dxgk/ddi/callbacks.h"
#include "dxgk/object/device_information.h"

namespace dxgk {
namespace {

constexpr ULONG kConfigBytes = 256;

NTSTATUS get_device_information(HANDLE device, PDXGK_DEVICE_INFO info) {
  CallbackCall call(Cb::GetDeviceInformation);
  Adapter* adapter = call.adapter(device);
  if (!adapter || !info) return STATUS_INVALID_PARAMETER;
  adapter->information().fill(*info);
  return STATUS_SUCCESS;
}

// The device whose configuration space is meant, and how much of [offset, offset + bytes) it has.
base::Result<nt::Device*> config_space(Adapter& adapter, ULONG space, const void* buffer, ULONG offset, ULONG& bytes) {
  if (!buffer) return base::Failure(STATUS_INVALID_PARAMETER, "no buffer is given");
  if (space != DXGK_WHICHSPACE_CONFIG) {
    return base::Failure(STATUS_INVALID_PARAMETER, "only the adapter's own configuration space can be reached");
  }
  nt::Device* model = adapter.hardware().device;
  if (!model || !adapter.present()) return base::Failure(STATUS_UNSUCCESSFUL, "the adapter is on no bus");
  if (base::planted("kmt_callbacks_fuzz")) return model;
  bytes = offset >= kConfigBytes ? 0 : std::min(bytes, kConfigBytes - offset);
  return model;
}

NTSTATUS read_device_space(HANDLE device, ULONG space, PVOID buffer, ULONG offset, ULONG bytes, PULONG bytes_read) {
  CallbackCall call(Cb::ReadDeviceSpace);
  Adapter* adapter = call.adapter(device);
  if (!adapter || !bytes_read) return STATUS_INVALID_PARAMETER;
  *bytes_read = 0;
  auto model = config_space(*adapter, space, buffer, offset, bytes);
  if (!model.ok()) return call.refuse(model.failure());
  auto* to = static_cast<uint8_t*>(buffer);
  for (ULONG i = 0; i < bytes; ++i) to[i] = static_cast<uint8_t>(model.value()->config_read(offset + i, 1));
  *bytes_read = bytes;
  return STATUS_SUCCESS;
}

NTSTATUS write_device_space(HANDLE device, ULONG space, PVOID buffer, ULONG offset, ULONG bytes, PULONG bytes_written) {
  CallbackCall call(Cb::WriteDeviceSpace);
  Adapter* adapter = call.adapter(device);
  if (!adapter || !bytes_written) return STATUS_INVALID_PARAMETER;
  *bytes_written = 0;
  auto model = config_space(*adapter, space, buffer, offset, bytes);
  if (!model.ok()) return call.refuse(model.failure());
  auto* from = static_cast<const uint8_t*>(buffer);
  for (ULONG i = 0; i < bytes; ++i) model.value()->config_write(offset + i, 1, from[i]);
  *bytes_written = bytes;
  return STATUS_SUCCESS;
}

NTSTATUS is_device_present(HANDLE device, PPCI_DEVICE_PRESENCE_PARAMETERS, PBOOLEAN present) {
  CallbackCall call(Cb::IsDevicePresent);
  Adapter* adapter = call.adapter(device);
  if (!adapter || !present) return STATUS_INVALID_PARAMETER;
  *present = adapter->present();
  return STATUS_SUCCESS;
}

// The status is checked and then dropped: there is no display layer yet that would use it.
NTSTATUS indicate_child_status(HANDLE device, PDXGK_CHILD_STATUS status) {
  CallbackCall call(Cb::IndicateChildStatus);
  Adapter* adapter = call.adapter(device);
  if (!adapter || !status) return STATUS_INVALID_PARAMETER;
  if (base::raw(status->Type) == StatusUninitialized) {
    return call.refuse(base::Failure(STATUS_INVALID_PARAMETER, "DXGK_CHILD_STATUS.Type is StatusUninitialized"));
  }
  return STATUS_SUCCESS;
}

NTSTATUS post_display(const CallbackCall& call, HANDLE device, PDXGK_DISPLAY_INFORMATION info) {
  Adapter* adapter = call.adapter(device);
  if (!adapter || !info) return STATUS_INVALID_PARAMETER;
  *info = {};
  info->TargetId = D3DDDI_ID_UNINITIALIZED;
  if (adapter->hardware().post_device) *info = adapter->hardware().post_display;
  return STATUS_SUCCESS;
}

NTSTATUS acquire_post_display_ownership(HANDLE device, PDXGK_DISPLAY_INFORMATION info) {
  CallbackCall call(Cb::AcquirePostDisplayOwnership);
  return post_display(call, device, info);
}

NTSTATUS acquire_post_display_ownership2(HANDLE device, PDXGK_DISPLAY_INFORMATION info,
                                         PDXGK_DISPLAY_OWNERSHIP_FLAGS flags) {
  CallbackCall call(Cb::AcquirePostDisplayOwnership2);
  NTSTATUS status = post_display(call, device, info);
  if (status < 0 || !flags) return status;
  flags->Value = 0;
  flags->FrameBufferState = info->Width ? FrameBufferStateInitializedByFirmware : FrameBufferStateUnknown;
  return STATUS_SUCCESS;
}

VOID log_etw_event(LPCGUID, UCHAR type, USHORT bytes, PVOID) {
  CallbackCall call(Cb::LogEtwEvent);
  constexpr USHORT kAtAnyIrql = 256;
  if (bytes > kAtAnyIrql && call.machine().self().irql != PASSIVE_LEVEL) {
    call.machine().report_violation(
        nt::Violation::CallbackIrql,
        fmt::format("DxgkCbLogEtwEvent was called above PASSIVE_LEVEL with {} bytes, where {} are allowed", bytes,
                    kAtAnyIrql));
  }
  std::string text = fmt::format("ETW event of type {}, {} bytes", type, bytes);
  call.machine().note(trace::DbgPrint{.text = text});
}

}  // namespace

void fill_device_callbacks(DXGKRNL_INTERFACE& interface) {
  interface.DxgkCbGetDeviceInformation = &get_device_information;
  interface.DxgkCbReadDeviceSpace = &read_device_space;
  interface.DxgkCbWriteDeviceSpace = &write_device_space;
  interface.DxgkCbIsDevicePresent = &is_device_present;
  interface.DxgkCbIndicateChildStatus = &indicate_child_status;
  interface.DxgkCbAcquirePostDisplayOwnership = &acquire_post_display_ownership;
  interface.DxgkCbAcquirePostDisplayOwnership2 = &acquire_post_display_ownership2;
  interface.DxgkCbLogEtwEvent = &log_etw_event;
}

}  // namespace dxgk
