#include "ks/object/request.h"

#include <cstring>
#include <string>

#include "ks/exports/callback.h"
#include "nt/boundary/refuse.h"
#include "nt/io/irp_buffers.h"
#include "nt/mm/careful_copy.h"
#include "nt/mm/physical_memory.h"
#include "nt/mm/pool.h"

namespace ks {
namespace {

const IO_STACK_LOCATION& place(IRP& irp) { return *IoGetCurrentIrpStackLocation(&irp); }

size_t aligned(ULONG bytes) { return (size_t{bytes} + 7) & ~size_t{7}; }

// User mode may not name the machine's own memory.
base::Result<> judge_address(const IRP& irp, const void* at, size_t bytes) {
  if (irp.RequestorMode == KernelMode || bytes == 0) return {};
  if (!nt::PhysicalMemory::is_kernel(reinterpret_cast<uintptr_t>(at))) return {};
  return base::Failure(STATUS_ACCESS_VIOLATION, "a program names memory of the kernel");
}

base::Result<> make_buffer(const Subject& subject, IRP& irp, size_t bytes, PFNKSALLOCATOR allocator) {
  if (allocator) {
    NTSTATUS status = call(subject.machine, Ddi::RequestAllocator, subject.scope, allocator, &irp,
                           static_cast<ULONG>(bytes), BOOL{TRUE});
    if (!NT_SUCCESS(status)) return base::Failure(status, "the driver's allocator refused a buffer");
    if (!irp.AssociatedIrp.SystemBuffer) {
      return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "the driver's allocator left no system buffer");
    }
    return {};
  }
  void* memory = subject.machine.pool().allocate(bytes, 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  if (!memory) return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for a request's buffers");
  nt::give_system_buffer(irp, memory, 0);
  return {};
}

}  // namespace

Request::Request(IRP& irp, ULONG id_bytes, ULONG data_bytes)
    : irp_(&irp), id_bytes_(id_bytes), data_bytes_(data_bytes) {
  auto* buffer = static_cast<uint8_t*>(irp.AssociatedIrp.SystemBuffer);
  data_ = buffer;
  id_ = reinterpret_cast<KSIDENTIFIER*>(buffer + aligned(data_bytes));
}

base::Result<Request> Request::open(nt::Machine& machine, IRP& irp) {
  return open(Subject{machine, nullptr}, irp, nullptr);
}

base::Result<Request> Request::open(const Subject& subject, IRP& irp, PFNKSALLOCATOR allocator) {
  const auto& sizes = place(irp).Parameters.DeviceIoControl;
  if (sizes.InputBufferLength < sizeof(KSIDENTIFIER)) {
    return base::Failure(STATUS_INVALID_BUFFER_SIZE, "the request is shorter than an identifier");
  }
  bool opened = irp.AssociatedIrp.SystemBuffer != nullptr;
  if (!opened) {
    TRY(judge_address(irp, sizes.Type3InputBuffer, sizes.InputBufferLength));
    TRY(judge_address(irp, irp.UserBuffer, sizes.OutputBufferLength));
    TRY(make_buffer(subject, irp, aligned(sizes.OutputBufferLength) + sizes.InputBufferLength, allocator));
  }
  Request request(irp, sizes.InputBufferLength, sizes.OutputBufferLength);
  if (!opened) TRY(nt::careful_read(request.id_, sizes.Type3InputBuffer, sizes.InputBufferLength));
  return request;
}

base::Result<> Request::read_data() const { return nt::careful_read(data_, irp_->UserBuffer, data_bytes_); }

base::Result<> Request::returns_data() const {
  TRY(nt::careful_probe_write(irp_->UserBuffer, data_bytes_));
  if (!drivers_buffer()) nt::give_system_buffer(*irp_, irp_->AssociatedIrp.SystemBuffer, data_bytes_);
  return {};
}

base::Result<> Request::write_data() const {
  size_t bytes = std::min<size_t>(irp_->IoStatus.Information, data_bytes_);
  return nt::careful_write(irp_->UserBuffer, data_, bytes);
}

base::Result<> need_room(const Request& request, size_t bytes) {
  if (request.data_bytes() >= bytes) return {};
  if (request.data_bytes()) return base::Failure(STATUS_BUFFER_TOO_SMALL, "there is too little room for the data");
  request.irp().IoStatus.Information = bytes;
  return base::Failure(STATUS_BUFFER_OVERFLOW, "the request asks for the size of the data");
}

NTSTATUS run_handler(const Subject& subject, Ddi ddi, bool drivers, PFNKSHANDLER handler, IRP& irp, KSIDENTIFIER* id,
                     void* data) {
  if (!drivers) return handler(&irp, id, data);
  // A pending request belongs to the driver: it may be completed and freed by now, so whether it was marked is not
  // looked at.
  return call(subject.machine, ddi, subject.scope, handler, &irp, id, data);
}

NTSTATUS answer_list(IRP& irp, ULONG count, ULONG item_bytes, const void* items) {
  return answer_items(irp, count, {static_cast<const uint8_t*>(items), size_t{count} * item_bytes});
}

NTSTATUS answer_items(IRP& irp, ULONG count, std::span<const uint8_t> items) {
  ULONG room = place(irp).Parameters.DeviceIoControl.OutputBufferLength;
  size_t all = sizeof(KSMULTIPLE_ITEM) + items.size();
  KSMULTIPLE_ITEM head{static_cast<ULONG>(all), count};
  // "the amount of buffer room required by such a list if the return buffer is the size of a ULONG"
  if (room == sizeof(ULONG) || room == sizeof(head)) return answer_bytes(irp, &head, room);
  if (room < all) return answer_bytes(irp, nullptr, all);
  auto* to = static_cast<uint8_t*>(irp.AssociatedIrp.SystemBuffer);
  memcpy(to, &head, sizeof(head));
  if (!items.empty()) memcpy(to + sizeof(head), items.data(), items.size());
  irp.IoStatus.Information = all;
  return STATUS_SUCCESS;
}

NTSTATUS answer_bytes(IRP& irp, const void* bytes, size_t count) {
  ULONG room = place(irp).Parameters.DeviceIoControl.OutputBufferLength;
  irp.IoStatus.Information = room && room < count ? 0 : count;
  if (room == 0 && count) return STATUS_BUFFER_OVERFLOW;
  if (room < count) return STATUS_BUFFER_TOO_SMALL;
  if (count) memcpy(irp.AssociatedIrp.SystemBuffer, bytes, count);
  return STATUS_SUCCESS;
}

NTSTATUS refuse(IRP& irp, const base::Failure& failure) {
  if (NT_ERROR(failure.code())) irp.IoStatus.Information = 0;
  return nt::refuse(*nt::Machine::current(), failure);
}

}  // namespace ks
