#pragma once

#include "abi/km/wdm.h"
#include "base/result.h"

// The buffers of a request as its IRP carries them: copied (buffered), described by an MDL (direct), or passed through
// (neither). What is built here is given back when the I/O manager finishes the IRP.
namespace nt {

class Machine;

struct ControlRequest {
  DEVICE_OBJECT& device;  // the IRP has as many stack locations as this needs
  FILE_OBJECT* file;      // null: none
  UCHAR major;            // IRP_MJ_DEVICE_CONTROL or IRP_MJ_INTERNAL_DEVICE_CONTROL
  ULONG code;
  void* in;
  ULONG in_bytes;
  void* out;
  ULONG out_bytes;
  KPROCESSOR_MODE mode;
};
// An IRP with its next stack location filled in. STATUS_ACCESS_VIOLATION for buffers that are not there,
// STATUS_INSUFFICIENT_RESOURCES.
base::Result<IRP*> build_control(Machine& machine, const ControlRequest& request);

struct TransferRequest {
  DEVICE_OBJECT& device;
  UCHAR major;  // IRP_MJ_READ, IRP_MJ_WRITE, one about information of the file or its volume, or one without a buffer
  void* buffer;
  ULONG bytes;
  LARGE_INTEGER offset;
  KPROCESSOR_MODE mode;
  FILE_OBJECT* file = nullptr;  // null: none
  ULONG information_class = 0;
};
base::Result<IRP*> build_transfer(Machine& machine, const TransferRequest& request);

// The IRP has ended: what the driver left in the system buffer goes to the requester, MDLs are unlocked and freed.
// Violation::IrpInformationTooLarge when the driver says that it left more than there is room for.
void write_back(Machine& machine, IRP& irp);
void release_system_buffer(Machine& machine, IRP& irp);
// Makes `memory`, an internal block of the machine's pool, the system buffer of a request that came without one (a
// class driver's own buffering). `room` bytes of it at most go to the requester's buffer in the end; 0: nothing does.
void give_system_buffer(IRP& irp, void* memory, ULONG room);

}  // namespace nt
