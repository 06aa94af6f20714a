#include "nt/io/irp_buffers.h"

#include <fmt/format.h>

#include <algorithm>

#include "nt/io/irps.h"
#include "nt/machine/machine.h"
#include "nt/mm/careful_copy.h"
#include "nt/mm/mdls.h"
#include "nt/mm/physical_memory.h"
#include "nt/mm/pool.h"

namespace nt {
namespace {

base::Failure no_memory(base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for an I/O request", where);
}

// User mode may not name the machine's own memory.
base::Result<> check_address(const void* at, size_t bytes, KPROCESSOR_MODE mode) {
  if (mode == KernelMode || bytes == 0 || !PhysicalMemory::is_kernel(reinterpret_cast<uintptr_t>(at))) return {};
  return base::Failure(STATUS_ACCESS_VIOLATION, "a program names memory of the kernel");
}

// An IRP that is being built: freed at the end of the block unless it is released.
class Building {
 public:
  Building(Machine& machine, DEVICE_OBJECT& device)
      : machine_(machine), irp_(machine.irps().allocate(device.StackSize)) {}
  ~Building() {
    if (!irp_) return;
    free_mdls();
    machine_.irps().free(*irp_);
  }
  Building(const Building&) = delete;
  Building& operator=(const Building&) = delete;

  IRP* get() const { return irp_; }
  IRP* release() { return std::exchange(irp_, nullptr); }

  // A system buffer of `bytes` that begins with what the requester gave.
  base::Result<> buffer(size_t bytes, const void* in, size_t in_bytes, KPROCESSOR_MODE mode);
  base::Result<> describe(void* at, ULONG bytes, LOCK_OPERATION operation, KPROCESSOR_MODE mode);

 private:
  void free_mdls();

  Machine& machine_;
  IRP* irp_;
};

base::Result<> Building::buffer(size_t bytes, const void* in, size_t in_bytes, KPROCESSOR_MODE mode) {
  if (bytes == 0) return {};
  TRY(check_address(in, in_bytes, mode));
  void* memory = machine_.pool().allocate(bytes, 0, PoolKind::Internal, PoolFill::Pattern);
  if (!memory) return no_memory();
  irp_->AssociatedIrp.SystemBuffer = memory;
  irp_->Flags |= IRP_BUFFERED_IO | IRP_DEALLOCATE_BUFFER;
  return careful_read(memory, in, in_bytes);
}

base::Result<> Building::describe(void* at, ULONG bytes, LOCK_OPERATION operation, KPROCESSOR_MODE mode) {
  if (bytes == 0) return {};
  TRY(check_address(at, bytes, mode));
  if (operation == IoReadAccess) {
    TRY(careful_probe_read(at, bytes));
  } else {
    TRY(careful_probe_write(at, bytes));
  }
  irp_->MdlAddress = machine_.mdls().allocate(at, bytes);
  if (!irp_->MdlAddress) return no_memory();
  machine_.mdls().lock(*irp_->MdlAddress, operation);
  return {};
}

void release_mdls(Machine& machine, IRP& irp) {
  while (MDL* mdl = irp.MdlAddress) {
    irp.MdlAddress = mdl->Next;
    if (mdl->MdlFlags & MDL_PAGES_LOCKED) machine.mdls().unlock(*mdl);
    machine.mdls().free(mdl);
  }
}

void Building::free_mdls() { release_mdls(machine_, *irp_); }

// Where write_back() finds how much the requester has room for: a word of the IRP that only the I/O manager uses.
void set_room(IRP& irp, ULONG bytes) { irp.Overlay.AllocationSize.QuadPart = bytes; }
size_t room(const IRP& irp) { return static_cast<size_t>(irp.Overlay.AllocationSize.QuadPart); }

void set_requester(Machine& machine, IRP& irp, KPROCESSOR_MODE mode) {
  irp.RequestorMode = mode;
  irp.Tail.Overlay.Thread = reinterpret_cast<PETHREAD>(machine.self().body);
}

base::Result<> add_control_buffers(Building& building, const ControlRequest& request) {
  IRP& irp = *building.get();
  switch (METHOD_FROM_CTL_CODE(request.code)) {
    case METHOD_BUFFERED:
      TRY(check_address(request.out, request.out_bytes, request.mode));
      TRY(building.buffer(std::max(request.in_bytes, request.out_bytes), request.in, request.in_bytes, request.mode));
      if (request.mode == UserMode) TRY(careful_probe_write(request.out, request.out_bytes));
      irp.UserBuffer = request.out;
      if (request.out_bytes) irp.Flags |= IRP_INPUT_OPERATION;
      set_room(irp, request.out_bytes);
      return {};
    case METHOD_IN_DIRECT:
      TRY(building.buffer(request.in_bytes, request.in, request.in_bytes, request.mode));
      return building.describe(request.out, request.out_bytes, IoReadAccess, request.mode);
    case METHOD_OUT_DIRECT:
      TRY(building.buffer(request.in_bytes, request.in, request.in_bytes, request.mode));
      return building.describe(request.out, request.out_bytes, IoWriteAccess, request.mode);
    default:
      irp.UserBuffer = request.out;
      IoGetNextIrpStackLocation(&irp)->Parameters.DeviceIoControl.Type3InputBuffer = request.in;
      return {};
  }
}

base::Result<> add_transfer_buffer(Building& building, const TransferRequest& request) {
  IRP& irp = *building.get();
  bool reads = request.major == IRP_MJ_READ;
  if (request.device.Flags & DO_DIRECT_IO) {
    return building.describe(request.buffer, request.bytes, reads ? IoWriteAccess : IoReadAccess, request.mode);
  }
  irp.UserBuffer = request.buffer;
  if (!(request.device.Flags & DO_BUFFERED_IO)) return {};
  if (reads) {
    irp.Flags |= IRP_INPUT_OPERATION;
    set_room(irp, request.bytes);
  }
  return building.buffer(request.bytes, request.buffer, reads ? 0 : request.bytes, request.mode);
}

// Whether a request asks for, or sets, information of the file or its volume: buffered, whatever the device's flags.
enum class Information : uint8_t { None, Query, Set };
Information information_of(UCHAR major) {
  switch (major) {
    case IRP_MJ_QUERY_INFORMATION:
    case IRP_MJ_QUERY_VOLUME_INFORMATION:
      return Information::Query;
    case IRP_MJ_SET_INFORMATION:
    case IRP_MJ_SET_VOLUME_INFORMATION:
      return Information::Set;
    default:
      return Information::None;
  }
}

base::Result<> add_information(Building& building, const TransferRequest& request, Information what) {
  IRP& irp = *building.get();
  auto& file = IoGetNextIrpStackLocation(&irp)->Parameters.QueryFile;  // the others have the same members
  file.Length = request.bytes;
  file.FileInformationClass = static_cast<FILE_INFORMATION_CLASS>(request.information_class);
  irp.UserBuffer = request.buffer;
  bool query = what == Information::Query;
  if (query) {
    irp.Flags |= IRP_INPUT_OPERATION;
    set_room(irp, request.bytes);
  }
  return building.buffer(request.bytes, request.buffer, query ? 0 : request.bytes, request.mode);
}

}  // namespace

base::Result<IRP*> build_control(Machine& machine, const ControlRequest& request) {
  Building building(machine, request.device);
  if (!building.get()) return no_memory();
  IRP& irp = *building.get();
  set_requester(machine, irp, request.mode);
  irp.Tail.Overlay.OriginalFileObject = request.file;
  IO_STACK_LOCATION& next = *IoGetNextIrpStackLocation(&irp);
  next.MajorFunction = request.major;
  next.FileObject = request.file;
  next.Parameters.DeviceIoControl.IoControlCode = request.code;
  next.Parameters.DeviceIoControl.InputBufferLength = request.in_bytes;
  next.Parameters.DeviceIoControl.OutputBufferLength = request.out_bytes;
  TRY(add_control_buffers(building, request));
  return building.release();
}

base::Result<IRP*> build_transfer(Machine& machine, const TransferRequest& request) {
  Building building(machine, request.device);
  if (!building.get()) return no_memory();
  IRP& irp = *building.get();
  set_requester(machine, irp, request.mode);
  IO_STACK_LOCATION& next = *IoGetNextIrpStackLocation(&irp);
  next.MajorFunction = request.major;
  next.FileObject = request.file;
  irp.Tail.Overlay.OriginalFileObject = request.file;
  if (Information what = information_of(request.major); what != Information::None) {
    TRY(add_information(building, request, what));
  }
  if (request.major == IRP_MJ_READ || request.major == IRP_MJ_WRITE) {
    next.Parameters.Read.Length = request.bytes;  // Write has the same members
    next.Parameters.Read.ByteOffset = request.offset;
    TRY(add_transfer_buffer(building, request));
  }
  return building.release();
}

void write_back(Machine& machine, IRP& irp) {
  size_t bytes = irp.IoStatus.Information;
  if (irp.Flags & IRP_INPUT_OPERATION && irp.AssociatedIrp.SystemBuffer && !NT_ERROR(irp.IoStatus.Status)) {
    if (bytes > room(irp)) {
      machine.report_violation(
          Violation::IrpInformationTooLarge,
          fmt::format("an IRP is completed with {} bytes, where the requester has room for {}", bytes, room(irp)));
      bytes = room(irp);
    }
    // Our policy: a requester that freed its buffer gets that as the status.
    auto written = careful_write(irp.UserBuffer, irp.AssociatedIrp.SystemBuffer, bytes);
    if (!written.ok()) irp.IoStatus.Status = written.status();
  }
  release_system_buffer(machine, irp);
  release_mdls(machine, irp);
}

void release_system_buffer(Machine& machine, IRP& irp) {
  if (!(irp.Flags & IRP_DEALLOCATE_BUFFER)) return;
  irp.Flags &= ~ULONG{IRP_DEALLOCATE_BUFFER | IRP_BUFFERED_IO};
  machine.pool().free(std::exchange(irp.AssociatedIrp.SystemBuffer, nullptr), 0);
}

void give_system_buffer(IRP& irp, void* memory, ULONG room) {
  irp.AssociatedIrp.SystemBuffer = memory;
  irp.Flags |= IRP_BUFFERED_IO | IRP_DEALLOCATE_BUFFER | (room ? IRP_INPUT_OPERATION : 0);
  set_room(irp, room);
}

}  // namespace nt
