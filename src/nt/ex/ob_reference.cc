// References to objects, and handles. Pages: wdm/nf-wdm-obreferenceobjectbyhandle, nf-wdm-obfreferenceobject,
// nf-wdm-zwclose, …
#include "nt/boundary/kernel_entry.h"
#include "nt/boundary/refuse.h"
#include "nt/ex/kernel_handles.h"
#include "nt/ex/object_references.h"
#include "nt/io/file_objects.h"
#include "nt/ke/process.h"

using nt::Fn;
using nt::KernelEntry;
using nt::ObjectReferences;

namespace {

_OBJECT_TYPE g_thread_type{ob::ObjectKind::Thread};
_OBJECT_TYPE g_process_type{ob::ObjectKind::Process};
_OBJECT_TYPE g_event_type{ob::ObjectKind::Event};
POBJECT_TYPE g_thread = &g_thread_type;
POBJECT_TYPE g_process = &g_process_type;
POBJECT_TYPE g_event = &g_event_type;

// What the handle stands for: a kernel handle, which user mode has no use of (documented; the status is ours), or one
// of the program that the current thread runs in.
base::Result<nt::KernelHandles::Found> find(KernelEntry& call, HANDLE handle, POBJECT_TYPE type, KPROCESSOR_MODE mode) {
  if (nt::Process::is_handle(handle)) {
    nt::Process* process = call.thread().process;
    if (process) return process->find(handle, type);
    return base::Failure(STATUS_INVALID_HANDLE, "a program's handle is used on a thread that is in no program");
  }
  if (mode == UserMode) return base::Failure(STATUS_INVALID_HANDLE, "a kernel handle is used for user mode");
  return call.machine().handles().find(handle, type);
}

// In kernel mode every access is granted.
NTSTATUS reference(KernelEntry& call, HANDLE handle, POBJECT_TYPE type, KPROCESSOR_MODE mode, ULONG tag, PVOID* object,
                   POBJECT_HANDLE_INFORMATION information, const char* by) {
  nt::Machine& machine = call.machine();
  *object = nullptr;
  auto found = find(call, handle, type, mode);
  if (!found.ok()) return nt::refuse(machine, found.failure());
  machine.references().take(found.value().body, tag, by);
  *object = found.value().body;
  if (information) *information = {0, found.value().granted};
  return STATUS_SUCCESS;
}

LONG_PTR count(size_t references) { return static_cast<LONG_PTR>(references); }

}  // namespace

extern "C" {

POBJECT_TYPE* PsThreadType = &g_thread;
POBJECT_TYPE* PsProcessType = &g_process;
POBJECT_TYPE* ExEventObjectType = &g_event;

NTSTATUS ObReferenceObjectByHandle(HANDLE handle, ACCESS_MASK, POBJECT_TYPE type, KPROCESSOR_MODE mode, PVOID* object,
                                   POBJECT_HANDLE_INFORMATION information) {
  KernelEntry call{Fn::ObReferenceObjectByHandle};
  return reference(call, handle, type, mode, ObjectReferences::kDefaultTag, object, information,
                   "ObReferenceObjectByHandle");
}

NTSTATUS ObReferenceObjectByHandleWithTag(HANDLE handle, ACCESS_MASK, POBJECT_TYPE type, KPROCESSOR_MODE mode,
                                          ULONG tag, PVOID* object, POBJECT_HANDLE_INFORMATION information) {
  KernelEntry call{Fn::ObReferenceObjectByHandleWithTag};
  return reference(call, handle, type, mode, tag, object, information, "ObReferenceObjectByHandleWithTag");
}

LONG_PTR ObfReferenceObject(PVOID object) {
  KernelEntry call{Fn::ObfReferenceObject};
  return count(call.machine().references().take(object, ObjectReferences::kDefaultTag, "ObReferenceObject"));
}

LONG_PTR ObfReferenceObjectWithTag(PVOID object, ULONG tag) {
  KernelEntry call{Fn::ObfReferenceObjectWithTag};
  return count(call.machine().references().take(object, tag, "ObReferenceObjectWithTag"));
}

LONG_PTR ObfDereferenceObject(PVOID object) {
  KernelEntry call{Fn::ObfDereferenceObject};
  return count(call.machine().references().drop(object, ObjectReferences::kDefaultTag, "ObDereferenceObject"));
}

LONG_PTR ObfDereferenceObjectWithTag(PVOID object, ULONG tag) {
  KernelEntry call{Fn::ObfDereferenceObjectWithTag};
  return count(call.machine().references().drop(object, tag, "ObDereferenceObjectWithTag"));
}

NTSTATUS ZwClose(HANDLE handle) {
  KernelEntry call{Fn::ZwClose};
  nt::Process* process = nt::Process::is_handle(handle) ? call.thread().process : nullptr;
  auto closed = call.machine().files().close(process, handle);
  return closed.ok() ? STATUS_SUCCESS : nt::refuse(call.machine(), closed.failure());
}

}  // extern "C"
