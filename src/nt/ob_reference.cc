// References to objects, and handles. Pages: wdm/nf-wdm-obreferenceobjectbyhandle, nf-wdm-obfreferenceobject,
// nf-wdm-zwclose, …
#include "nt/call.h"
#include "nt/refuse.h"

using nt::Call;
using nt::Fn;
using nt::ObjectReferences;

namespace {

_OBJECT_TYPE g_thread_type{ob::ObjectKind::Thread};
_OBJECT_TYPE g_process_type{ob::ObjectKind::Process};
_OBJECT_TYPE g_event_type{ob::ObjectKind::Event};
POBJECT_TYPE g_thread = &g_thread_type;
POBJECT_TYPE g_process = &g_process_type;
POBJECT_TYPE g_event = &g_event_type;

// In kernel mode every access is granted. Our handles are kernel handles, which user mode has no use of (documented);
// the status is ours.
NTSTATUS reference(Call& call, HANDLE handle, POBJECT_TYPE type, KPROCESSOR_MODE mode, ULONG tag, PVOID* object,
                   POBJECT_HANDLE_INFORMATION information, const char* by) {
  nt::Machine& machine = call.machine();
  *object = nullptr;
  if (mode == UserMode) {
    return nt::refuse(machine, base::Failure(STATUS_INVALID_HANDLE, "a kernel handle is used for user mode"));
  }
  auto found = machine.handles().find(handle, type);
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
  Call call{Fn::ObReferenceObjectByHandle};
  return reference(call, handle, type, mode, ObjectReferences::kDefaultTag, object, information,
                   "ObReferenceObjectByHandle");
}

NTSTATUS ObReferenceObjectByHandleWithTag(HANDLE handle, ACCESS_MASK, POBJECT_TYPE type, KPROCESSOR_MODE mode,
                                          ULONG tag, PVOID* object, POBJECT_HANDLE_INFORMATION information) {
  Call call{Fn::ObReferenceObjectByHandleWithTag};
  return reference(call, handle, type, mode, tag, object, information, "ObReferenceObjectByHandleWithTag");
}

LONG_PTR ObfReferenceObject(PVOID object) {
  Call call{Fn::ObfReferenceObject};
  return count(call.machine().references().take(object, ObjectReferences::kDefaultTag, "ObReferenceObject"));
}

LONG_PTR ObfReferenceObjectWithTag(PVOID object, ULONG tag) {
  Call call{Fn::ObfReferenceObjectWithTag};
  return count(call.machine().references().take(object, tag, "ObReferenceObjectWithTag"));
}

LONG_PTR ObfDereferenceObject(PVOID object) {
  Call call{Fn::ObfDereferenceObject};
  return count(call.machine().references().drop(object, ObjectReferences::kDefaultTag, "ObDereferenceObject"));
}

LONG_PTR ObfDereferenceObjectWithTag(PVOID object, ULONG tag) {
  Call call{Fn::ObfDereferenceObjectWithTag};
  return count(call.machine().references().drop(object, tag, "ObDereferenceObjectWithTag"));
}

NTSTATUS ZwClose(HANDLE handle) {
  Call call{Fn::ZwClose};
  auto closed = call.machine().handles().close(handle);
  return closed.ok() ? STATUS_SUCCESS : nt::refuse(call.machine(), closed.failure());
}

}  // extern "C"
