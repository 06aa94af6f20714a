// Private protocols between two pins of the class. Pages: ks/nf-ks-kspinhandshake,
// nf-ks-kspinregisterhandshakecallback, nc-ks-pfnkspinhandshake, ni-ks-ioctl_ks_handshake.
#include "ks/exports/callback.h"
#include "ks/exports/kernel_entry.h"
#include "ks/pin/pin.h"
#include "nt/boundary/refuse.h"

namespace ks {

// The class has no protocol of its own: its pins find each other without one.
NTSTATUS Pin::handshake(KSHANDSHAKE& in, KSHANDSHAKE& out) {
  if (!handshake_) {
    return nt::refuse(machine(), base::Failure(STATUS_INVALID_DEVICE_REQUEST, "the pin has no handshake routine"));
  }
  return call(machine(), Ddi::PinHandshake, &scope(), handshake_, body_, &in, &out);
}

NTSTATUS Pin::handshake_request(IRP& irp) {
  auto refuse = [&](NTSTATUS status, const char* why) { return nt::refuse(machine(), base::Failure(status, why)); };
  const auto& control = IoGetCurrentIrpStackLocation(&irp)->Parameters.DeviceIoControl;
  if (irp.RequestorMode != KernelMode) return refuse(STATUS_INVALID_DEVICE_REQUEST, "handshakes are the kernel's");
  if (control.InputBufferLength != sizeof(KSHANDSHAKE) || control.OutputBufferLength != sizeof(KSHANDSHAKE)) {
    return refuse(STATUS_INVALID_BUFFER_SIZE, "both buffers are one KSHANDSHAKE");
  }
  NTSTATUS status =
      handshake(*static_cast<KSHANDSHAKE*>(control.Type3InputBuffer), *static_cast<KSHANDSHAKE*>(irp.UserBuffer));
  if (NT_SUCCESS(status)) irp.IoStatus.Information = sizeof(KSHANDSHAKE);
  return status;
}

}  // namespace ks

using ks::Fn;
using ks::KernelEntry;

extern "C" {

void KsPinRegisterHandshakeCallback(PKSPIN body, PFNKSPINHANDSHAKE handshake) {
  KernelEntry call{Fn::KsPinRegisterHandshakeCallback};
  auto* pin = call.system().object_as<ks::Pin>(body, call.name());
  if (pin) pin->set_handshake(handshake);
}

NTSTATUS KsPinHandshake(PKSPIN body, PKSHANDSHAKE in, PKSHANDSHAKE out) {
  KernelEntry call{Fn::KsPinHandshake};
  auto* pin = call.system().object_as<ks::Pin>(body, call.name());
  if (!pin) return STATUS_INVALID_PARAMETER;
  if (!pin->peer()) {
    return call.refuse(base::Failure(STATUS_INVALID_DEVICE_REQUEST, "the pin is not connected to one of this class"));
  }
  return pin->peer()->handshake(*in, *out);
}

}  // extern "C"
