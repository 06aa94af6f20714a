// System threads, and the current thread. Pages: wdm/nf-wdm-pscreatesystemthread, nf-wdm-psterminatesystemthread, …
#include <string>

#include "nt/boundary/driver_call.h"
#include "nt/boundary/kernel_entry.h"
#include "nt/boundary/lacks_resources.h"
#include "nt/boundary/refuse.h"
#include "nt/ex/kernel_handles.h"
#include "nt/ke/process.h"
#include "nt/machine/driver_scope.h"

using nt::Fn;
using nt::KernelEntry;
using nt::Machine;
using nt::Thread;
using nt::ThreadBody;

namespace {

HANDLE id_of(const Thread& thread) { return reinterpret_cast<HANDLE>(uintptr_t{thread.ordinal} * 4); }

Thread& thread_of(PETHREAD object) { return *reinterpret_cast<ThreadBody*>(object)->thread; }

PEPROCESS current_process(KernelEntry& call) {
  nt::Process* program = call.thread().process;
  return program ? &program->body() : &call.machine().handles().process();
}

base::Result<> check_request(Machine& machine, POBJECT_ATTRIBUTES attributes, HANDLE process) {
  constexpr ULONG kInvalid = OBJ_PERMANENT | OBJ_EXCLUSIVE | OBJ_OPENIF;
  if (attributes && attributes->Attributes & kInvalid) {
    return base::Failure(STATUS_INVALID_PARAMETER, "OBJ_PERMANENT, OBJ_EXCLUSIVE and OBJ_OPENIF are not for threads");
  }
  if (process) TRY(machine.handles().find(process, *PsProcessType));
  return {};
}

Thread& start_thread(Machine& machine, PKSTART_ROUTINE routine, PVOID context) {
  nt::Scope* scope = nt::driver_scope(machine.self().scope);
  return machine.create_thread({
      .name = "driver thread " + std::to_string(machine.count_system_thread()),
      .body = [&machine, scope, routine,
               context] { nt::call_driver(machine, "system thread", scope, routine, context); },
      .scope = scope,
      .critical_regions = 1,  // it runs inside of one, as documented
      .system = true,
  });
}

}  // namespace

extern "C" {

NTSTATUS PsCreateSystemThread(PHANDLE handle, ULONG access, POBJECT_ATTRIBUTES attributes, HANDLE process,
                              PCLIENT_ID client_id, PKSTART_ROUTINE routine, PVOID context) {
  KernelEntry call{Fn::PsCreateSystemThread};
  if (nt::lacks_resources(Fn::PsCreateSystemThread)) return STATUS_INSUFFICIENT_RESOURCES;
  Machine& machine = call.machine();
  if (auto checked = check_request(machine, attributes, process); !checked.ok()) {
    return nt::refuse(machine, checked.failure());
  }
  Thread& thread = start_thread(machine, routine, context);
  if (handle) {
    auto opened = machine.handles().open_thread(thread, access);
    CHECK(opened.ok());  // a table of millions
    *handle = opened.take();
  }
  if (client_id) *client_id = {machine.handles().process().id, id_of(thread)};
  machine.executor().yield(base::Point::Call);
  return STATUS_SUCCESS;
}

NTSTATUS PsTerminateSystemThread(NTSTATUS) {
  KernelEntry call{Fn::PsTerminateSystemThread};
  if (!call.thread().system) {
    return nt::refuse(call.machine(), base::Failure(STATUS_INVALID_PARAMETER,
                                                    "PsTerminateSystemThread on a thread that is no system thread"));
  }
  call.machine().exit_thread();
}

PETHREAD PsGetCurrentThread() {
  KernelEntry call{Fn::PsGetCurrentThread};
  return reinterpret_cast<PETHREAD>(call.thread().body);
}

PEPROCESS PsGetCurrentProcess() {
  KernelEntry call{Fn::PsGetCurrentProcess};
  return current_process(call);
}

PEPROCESS IoGetCurrentProcess() {
  KernelEntry call{Fn::IoGetCurrentProcess};
  return current_process(call);
}

HANDLE PsGetCurrentProcessId() {
  KernelEntry call{Fn::PsGetCurrentProcessId};
  return current_process(call)->id;
}

HANDLE PsGetCurrentThreadId() {
  KernelEntry call{Fn::PsGetCurrentThreadId};
  return id_of(call.thread());
}

HANDLE PsGetThreadId(PETHREAD thread) {
  KernelEntry call{Fn::PsGetThreadId};
  return id_of(thread_of(thread));
}

HANDLE PsGetProcessId(PEPROCESS process) {
  KernelEntry call{Fn::PsGetProcessId};
  return process->id;
}

}  // extern "C"
