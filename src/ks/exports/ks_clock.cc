// Clocks, as drivers make and read them. Pages: stream/default-clocks, stream/avstream-clocks,
// nf-ks-ksallocatedefaultclockex, nf-ks-kspingetreferenceclockinterface, …
#include <cstring>

#include "ks/clock/clock.h"
#include "ks/clock/clock_functions.h"
#include "ks/clock/default_clock.h"
#include "ks/exports/callback.h"
#include "ks/exports/kernel_entry.h"
#include "ks/object/create_name.h"
#include "ks/pin/pin.h"
#include "nt/io/file_objects.h"
#include "nt/io/irp_buffers.h"
#include "nt/machine/driver_scope.h"
#include "nt/mm/pool.h"

using ks::ClockNode;
using ks::DefaultClock;
using ks::Fn;
using ks::KernelEntry;

namespace {

struct ClockRoutines {
  void* context;
  PFNKSSETTIMER set_timer;
  PFNKSCANCELTIMER cancel_timer;
  PFNKSCORRELATEDTIME correlated;
};

// A timer is set and cancelled by the driver, or by neither of its routines; other parameters ask for them.
base::Result<> judge(const ClockRoutines& routines, const KSRESOLUTION* resolution, ULONG flags) {
  if (flags) return base::Failure(STATUS_INVALID_PARAMETER, "Flags is reserved");
  if (!routines.set_timer != !routines.cancel_timer) {
    return base::Failure(STATUS_INVALID_PARAMETER, "a timer needs SetTimer and CancelTimer");
  }
  if (resolution && resolution->Granularity && !routines.correlated) {
    return base::Failure(STATUS_INVALID_PARAMETER, "a granularity of its own needs CorrelatedTime");
  }
  if (resolution && resolution->Error && !routines.set_timer) {
    return base::Failure(STATUS_INVALID_PARAMETER, "an error of its own needs SetTimer");
  }
  return {};
}

DefaultClock::Source source_of(const KernelEntry& call, const ClockRoutines& routines, const KSRESOLUTION* resolution) {
  nt::Machine& machine = call.machine();
  nt::Scope* scope = nt::driver_scope(call.drivers_scope());
  DefaultClock::Source source;
  if (routines.correlated) {
    source.correlated = [&machine, scope, routines](LONGLONG* system_time) {
      return ks::call(machine, ks::Ddi::ClockCorrelatedTime, scope, routines.correlated, routines.context, system_time);
    };
  }
  if (routines.set_timer) {
    source.set_timer = [&machine, scope, routines](KTIMER* timer, LARGE_INTEGER due, KDPC* dpc) {
      ks::call(machine, ks::Ddi::ClockSetTimer, scope, routines.set_timer, routines.context, timer, due, dpc);
    };
    source.cancel_timer = [&machine, scope, routines](KTIMER* timer) {
      ks::call(machine, ks::Ddi::ClockCancelTimer, scope, routines.cancel_timer, routines.context, timer);
    };
  }
  if (resolution) source.resolution = [given = *resolution](KSRESOLUTION* to) { *to = given; };
  return source;
}

NTSTATUS allocate(const KernelEntry& call, PKSDEFAULTCLOCK* clock, const ClockRoutines& routines,
                  const KSRESOLUTION* resolution, ULONG flags) {
  *clock = nullptr;
  auto judged = judge(routines, resolution, flags);
  if (!judged.ok()) return call.refuse(judged.failure());
  nt::Machine& machine = call.machine();
  bool fails = machine.fails(nt::FaultKind::Pool, "KsAllocateDefaultClock");
  DefaultClock* made = fails ? nullptr : DefaultClock::make(call.system(), source_of(call, routines, resolution));
  if (!made) return call.refuse(base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for a clock"));
  *clock = made->handle();
  return STATUS_SUCCESS;
}

// A copy of the parameters in the name of the file that is being created; goes with the IRP.
base::Result<KSCLOCK_CREATE*> create_request(nt::Machine& machine, IRP& irp) {
  ks::CreateName name = TRY(ks::parse_create_name(IoGetCurrentIrpStackLocation(&irp)->FileObject->FileName));
  if (name.class_id != KSNAME_Clock) return base::Failure(STATUS_INVALID_PARAMETER, "the request is not for a clock");
  TRY(ks::judge_clock_create(name.parameters.data(), name.parameters.size()));
  void* copy = machine.pool().allocate(sizeof(KSCLOCK_CREATE), 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  if (!copy) return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for the create request");
  memcpy(copy, name.parameters.data(), sizeof(KSCLOCK_CREATE));
  nt::release_system_buffer(machine, irp);  // an earlier copy
  nt::give_system_buffer(irp, copy, 0);
  return static_cast<KSCLOCK_CREATE*>(copy);
}

base::Result<HANDLE> create_clock(const KernelEntry& call, HANDLE connection, const KSCLOCK_CREATE& create) {
  nt::Machine& machine = call.machine();
  FILE_OBJECT* pin = TRY(machine.files().find(machine.self().process, connection, KernelMode));
  auto handle = machine.files().open_handle(
      nullptr, {*pin->DeviceObject, pin, ks::make_create_name(KSNAME_Clock, &create, sizeof(create)), 0, KernelMode});
  machine.files().dereference(*pin);
  return handle;
}

// The clock behind a file of the function table; null, after a finding, if it is none.
DefaultClock* clock_behind(const KernelEntry& call, const FILE_OBJECT* file) {
  if (ClockNode* node = ks::clock_of(file)) return &node->clock();
  call.report_violation(nt::Violation::NotInitialised,
                        std::string(call.name()) + " was given a file that is no clock's");
  return nullptr;
}

}  // namespace

extern "C" {

NTSTATUS KsCreateClock(HANDLE connection, PKSCLOCK_CREATE create, PHANDLE clock) {
  KernelEntry call{Fn::KsCreateClock};
  *clock = nullptr;
  if (call.lacks_resources()) return STATUS_INSUFFICIENT_RESOURCES;
  auto handle = create_clock(call, connection, *create);
  if (!handle.ok()) return call.refuse(handle.failure());
  *clock = handle.value();
  return STATUS_SUCCESS;
}

NTSTATUS KsValidateClockCreateRequest(PIRP irp, PKSCLOCK_CREATE* create) {
  KernelEntry call{Fn::KsValidateClockCreateRequest};
  *create = nullptr;
  if (call.lacks_resources()) return STATUS_INSUFFICIENT_RESOURCES;
  auto found = create_request(call.machine(), *irp);
  if (!found.ok()) return call.refuse(found.failure());
  *create = found.value();
  return STATUS_SUCCESS;
}

NTSTATUS KsAllocateDefaultClock(PKSDEFAULTCLOCK* clock) {
  KernelEntry call{Fn::KsAllocateDefaultClock};
  return allocate(call, clock, {}, nullptr, 0);
}

NTSTATUS KsAllocateDefaultClockEx(PKSDEFAULTCLOCK* clock, PVOID context, PFNKSSETTIMER set_timer,
                                  PFNKSCANCELTIMER cancel_timer, PFNKSCORRELATEDTIME correlated,
                                  const KSRESOLUTION* resolution, ULONG flags) {
  KernelEntry call{Fn::KsAllocateDefaultClockEx};
  return allocate(call, clock, {context, set_timer, cancel_timer, correlated}, resolution, flags);
}

VOID KsFreeDefaultClock(PKSDEFAULTCLOCK handle) {
  KernelEntry call{Fn::KsFreeDefaultClock};
  if (DefaultClock* clock = DefaultClock::find(call.machine(), handle, call.name())) clock->release();
}

NTSTATUS KsCreateDefaultClock(PIRP irp, PKSDEFAULTCLOCK handle) {
  KernelEntry call{Fn::KsCreateDefaultClock};
  if (call.lacks_resources()) return STATUS_INSUFFICIENT_RESOURCES;
  DefaultClock* clock = DefaultClock::find(call.machine(), handle, call.name());
  if (!clock) return STATUS_INVALID_PARAMETER;
  auto request = create_request(call.machine(), *irp);
  return request.ok() ? ClockNode::create(*irp, *clock) : call.refuse(request.failure());
}

KSSTATE KsGetDefaultClockState(PKSDEFAULTCLOCK handle) {
  KernelEntry call{Fn::KsGetDefaultClockState};
  DefaultClock* clock = DefaultClock::find(call.machine(), handle, call.name());
  return clock ? clock->state() : KSSTATE_STOP;
}

VOID KsSetDefaultClockState(PKSDEFAULTCLOCK handle, KSSTATE state) {
  KernelEntry call{Fn::KsSetDefaultClockState};
  if (DefaultClock* clock = DefaultClock::find(call.machine(), handle, call.name())) clock->set_state(state);
}

LONGLONG KsGetDefaultClockTime(PKSDEFAULTCLOCK handle) {
  KernelEntry call{Fn::KsGetDefaultClockTime};
  DefaultClock* clock = DefaultClock::find(call.machine(), handle, call.name());
  return clock ? clock->time() : 0;
}

VOID KsSetDefaultClockTime(PKSDEFAULTCLOCK handle, LONGLONG time) {
  KernelEntry call{Fn::KsSetDefaultClockTime};
  if (DefaultClock* clock = DefaultClock::find(call.machine(), handle, call.name())) clock->set_time(time);
}

NTSTATUS KsPinGetReferenceClockInterface(PKSPIN body, PIKSREFERENCECLOCK* interface) {
  KernelEntry call{Fn::KsPinGetReferenceClockInterface};
  *interface = nullptr;
  auto* pin = call.system().object_as<ks::Pin>(body, call.name());
  if (!pin) return STATUS_INVALID_PARAMETER;
  if (!ks::ReferenceClock::clock_for(*pin)) {
    return call.refuse(
        base::Failure(STATUS_DEVICE_NOT_READY, "the pin has no clock, and was not told of a master clock"));
  }
  if (!pin->reference_clock()) pin->give_reference_clock(std::make_unique<ks::ReferenceClock>(*pin));
  *interface = pin->reference_clock()->interface();
  return STATUS_SUCCESS;
}

VOID KsPinSetPinClockTime(PKSPIN body, LONGLONG time) {
  KernelEntry call{Fn::KsPinSetPinClockTime};
  auto* pin = call.system().object_as<ks::Pin>(body, call.name());
  DefaultClock* clock = pin ? pin->own_clock() : nullptr;
  if (clock) return clock->set_time(time);
  if (pin)
    call.report_violation(nt::Violation::NotInitialised,
                          "KsPinSetPinClockTime of " + pin->name() + ", which provides no clock");
}

LONGLONG KStrClockGetTime(PFILE_OBJECT file) {
  KernelEntry call{Fn::KStrClockGetTime};
  DefaultClock* clock = clock_behind(call, file);
  return clock ? clock->time() : 0;
}

LONGLONG KStrClockGetPhysicalTime(PFILE_OBJECT file) {
  KernelEntry call{Fn::KStrClockGetPhysicalTime};
  DefaultClock* clock = clock_behind(call, file);
  return clock ? clock->physical_time() : 0;
}

LONGLONG KStrClockGetCorrelatedTime(PFILE_OBJECT file, PLONGLONG system_time) {
  KernelEntry call{Fn::KStrClockGetCorrelatedTime};
  DefaultClock* clock = clock_behind(call, file);
  return clock ? clock->correlated_time(system_time) : (*system_time = 0);
}

LONGLONG KStrClockGetCorrelatedPhysicalTime(PFILE_OBJECT file, PLONGLONG system_time) {
  KernelEntry call{Fn::KStrClockGetCorrelatedPhysicalTime};
  DefaultClock* clock = clock_behind(call, file);
  return clock ? clock->correlated_physical_time(system_time) : (*system_time = 0);
}

}  // extern "C"
