// Allocators, as minidrivers and other kernel clients ask for them.
#include <cstring>

#include "ks/allocator/allocator.h"
#include "ks/allocator/allocator_registry.h"
#include "ks/allocator/framing.h"
#include "ks/exports/function_table.h"
#include "ks/exports/kernel_entry.h"
#include "ks/object/create_name.h"
#include "nt/io/file_objects.h"
#include "nt/io/irp_buffers.h"
#include "nt/mm/pool.h"

namespace ks {
namespace {

// "If an external allocator is not provided, this parameter must be set to NULL."
bool judge_external(const KernelEntry& call, const AllocatorRoutines& routines) {
  int given = (routines.allocate != nullptr) + (routines.free != nullptr) + (routines.initialize != nullptr) +
              (routines.remove != nullptr);
  bool whole = given == 4 || (given == 0 && !routines.initialize_context);
  if (!whole) {
    call.report_violation(
        nt::Violation::KsAllocatorExternalPartial,
        std::string(call.name()) +
            " was given some of an external allocator's routines; all are to be given, or none of its parameters");
  }
  return whole;
}

// A copy of the framing in the name of the file that is being created. In the name it lies behind an odd number of
// characters, and so not aligned; the copy goes when the I/O manager finishes the request.
base::Result<KSALLOCATOR_FRAMING*> framing_of_create(nt::Machine& machine, IRP& irp) {
  CreateName name = TRY(parse_create_name(IoGetCurrentIrpStackLocation(&irp)->FileObject->FileName));
  if (name.class_id != KSNAME_Allocator) {
    return base::Failure(STATUS_INVALID_PARAMETER, "the create request is not for an allocator");
  }
  if (name.parameters.size() != sizeof(KSALLOCATOR_FRAMING)) {
    return base::Failure(STATUS_INVALID_BUFFER_SIZE, "an allocator is created with a KSALLOCATOR_FRAMING");
  }
  void* copy = machine.pool().allocate(sizeof(KSALLOCATOR_FRAMING), 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  if (!copy) return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for the framing");
  memcpy(copy, name.parameters.data(), sizeof(KSALLOCATOR_FRAMING));
  nt::release_system_buffer(machine, irp);  // an earlier copy
  nt::give_system_buffer(irp, copy, 0);
  auto* framing = static_cast<KSALLOCATOR_FRAMING*>(copy);
  TRY(judge(*framing));
  return framing;
}

base::Result<HANDLE> create_allocator(const KernelEntry& call, HANDLE connection, const KSALLOCATOR_FRAMING& framing) {
  nt::Machine& machine = call.machine();
  FILE_OBJECT* pin = TRY(machine.files().find(machine.self().process, connection, KernelMode));
  auto handle = machine.files().open_handle(
      nullptr, {*pin->DeviceObject, pin, make_create_name(KSNAME_Allocator, &framing, sizeof(framing)), 0, KernelMode});
  machine.files().dereference(*pin);
  return handle;
}

}  // namespace
}  // namespace ks

extern "C" {

NTSTATUS KsCreateAllocator(HANDLE ConnectionHandle, PKSALLOCATOR_FRAMING AllocatorFraming, PHANDLE AllocatorHandle) {
  ks::KernelEntry call{ks::Fn::KsCreateAllocator};
  if (call.lacks_resources()) return STATUS_INSUFFICIENT_RESOURCES;
  auto handle = ks::create_allocator(call, ConnectionHandle, *AllocatorFraming);
  if (!handle.ok()) return call.refuse(handle.failure());
  *AllocatorHandle = handle.take();
  return STATUS_SUCCESS;
}

NTSTATUS KsCreateDefaultAllocator(PIRP Irp) {
  ks::KernelEntry call{ks::Fn::KsCreateDefaultAllocator};
  if (call.lacks_resources()) return STATUS_INSUFFICIENT_RESOURCES;
  return ks::AllocatorNode::create_default(call.system(), *Irp, nullptr, call.drivers_scope());
}

NTSTATUS KsCreateDefaultAllocatorEx(PIRP Irp, PVOID InitializeContext, PFNKSDEFAULTALLOCATE DefaultAllocate,
                                    PFNKSDEFAULTFREE DefaultFree, PFNKSINITIALIZEALLOCATOR InitializeAllocator,
                                    PFNKSDELETEALLOCATOR DeleteAllocator) {
  ks::KernelEntry call{ks::Fn::KsCreateDefaultAllocatorEx};
  if (call.lacks_resources()) return STATUS_INSUFFICIENT_RESOURCES;
  ks::AllocatorRoutines routines{.initialize_context = InitializeContext,
                                 .allocate = DefaultAllocate,
                                 .free = DefaultFree,
                                 .initialize_pin = nullptr,
                                 .initialize = InitializeAllocator,
                                 .remove = DeleteAllocator};
  if (!ks::judge_external(call, routines)) return STATUS_INVALID_PARAMETER;
  return ks::AllocatorNode::create_default(call.system(), *Irp, DefaultAllocate ? &routines : nullptr,
                                           call.drivers_scope());
}

NTSTATUS KsValidateAllocatorCreateRequest(PIRP Irp, PKSALLOCATOR_FRAMING* AllocatorFraming) {
  ks::KernelEntry call{ks::Fn::KsValidateAllocatorCreateRequest};
  auto framing = ks::framing_of_create(call.machine(), *Irp);
  if (!framing.ok()) return call.refuse(framing.failure());
  *AllocatorFraming = framing.take();
  return STATUS_SUCCESS;
}

// The page says no more than that it is reserved; ours: the framing is well formed and goes with what the pin asks for.
NTSTATUS KsValidateAllocatorFramingEx(PKSALLOCATOR_FRAMING_EX Framing, ULONG BufferSize,
                                      const KSALLOCATOR_FRAMING_EX* PinFraming) {
  ks::KernelEntry call{ks::Fn::KsValidateAllocatorFramingEx};
  auto judged = ks::judge(*Framing, BufferSize);
  if (!judged.ok()) return call.refuse(judged.failure());
  auto agreed = ks::negotiate(Framing, PinFraming, 0);
  return agreed.ok() ? STATUS_SUCCESS : call.refuse(agreed.failure());
}

NTSTATUS KStrAllocateFrame(PFILE_OBJECT FileObject, PVOID* Frame) {
  ks::KernelEntry call{ks::Fn::KStrAllocateFrame};
  *Frame = nullptr;
  ks::AllocatorNode* allocator = call.system().allocators().find(FileObject);
  if (!allocator) return call.refuse(base::Failure(STATUS_INVALID_PARAMETER, "that is no allocator's file"));
  *Frame = allocator->allocate();
  return *Frame ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

VOID KStrFreeFrame(PFILE_OBJECT FileObject, PVOID Frame) {
  ks::KernelEntry call{ks::Fn::KStrFreeFrame};
  ks::AllocatorNode* allocator = call.system().allocators().find(FileObject);
  if (allocator && allocator->free(Frame)) return;
  call.refuse(base::Failure(STATUS_INVALID_PARAMETER, "that is no frame of the allocator's, or not handed out"));
}

}  // extern "C"
