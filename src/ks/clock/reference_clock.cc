// IKsReferenceClock. Pages: stream/avstream-clocks, nf-ks-iksreferenceclock-*.
#include <atomic>
#include <new>

#include "ks/clock/clock.h"
#include "ks/clock/default_clock.h"
#include "ks/exports/kernel_entry.h"
#include "ks/pin/pin.h"
#include "nt/mm/pool.h"

namespace ks {
namespace {

// {00000000-0000-0000-C000-000000000046}
constexpr GUID kUnknown = {0, 0, 0, {0xC0, 0, 0, 0, 0, 0, 0, 0x46}};

}  // namespace

// COM interfaces have no destructor, and no code deletes through one.
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"

struct ReferenceClock::Face final : IKsReferenceClock {
  explicit Face(Pin& its_pin) : pin(its_pin) {}

  NTSTATUS QueryInterface(REFIID id, PVOID* interface) override {
    bool known = id == IID_IKsReferenceClock || id == kUnknown;
    *interface = known ? this : nullptr;
    if (known) AddRef();
    return known ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
  }
  ULONG AddRef() override { return references.fetch_add(1, std::memory_order_relaxed) + 1; }
  ULONG Release() override {
    KernelEntry call{Fn::IKsReferenceClock_Release};
    ULONG before = references.load(std::memory_order_relaxed);
    while (before && !references.compare_exchange_weak(before, before - 1)) {
    }
    if (before) return before - 1;
    call.report_violation(nt::Violation::ReferenceUnderflow,
                          pin.name() + ": its reference clock is released more often than it was got");
    return 0;
  }

  LONGLONG GetTime() override {
    KernelEntry call{Fn::IKsReferenceClock_GetTime};
    DefaultClock* clock = clock_for(pin);
    LONGLONG time = clock ? clock->time() : 0;
    last_time.store(time, std::memory_order_relaxed);
    return time;
  }
  LONGLONG GetPhysicalTime() override {
    KernelEntry call{Fn::IKsReferenceClock_GetPhysicalTime};
    DefaultClock* clock = clock_for(pin);
    return clock ? clock->physical_time() : 0;
  }
  LONGLONG GetCorrelatedTime(PLONGLONG system_time) override {
    KernelEntry call{Fn::IKsReferenceClock_GetCorrelatedTime};
    correlated.store(true, std::memory_order_relaxed);
    DefaultClock* clock = clock_for(pin);
    return clock ? clock->correlated_time(system_time) : (*system_time = 0);
  }
  LONGLONG GetCorrelatedPhysicalTime(PLONGLONG system_time) override {
    KernelEntry call{Fn::IKsReferenceClock_GetCorrelatedPhysicalTime};
    DefaultClock* clock = clock_for(pin);
    return clock ? clock->correlated_physical_time(system_time) : (*system_time = 0);
  }
  NTSTATUS GetResolution(PKSRESOLUTION resolution) override {
    KernelEntry call{Fn::IKsReferenceClock_GetResolution};
    DefaultClock* clock = clock_for(pin);
    if (!clock) return no_clock(call);
    *resolution = clock->resolution();
    return STATUS_SUCCESS;
  }
  NTSTATUS GetState(PKSSTATE state) override {
    KernelEntry call{Fn::IKsReferenceClock_GetState};
    DefaultClock* clock = clock_for(pin);
    if (!clock) return no_clock(call);
    *state = clock->state();
    return STATUS_SUCCESS;
  }

  static NTSTATUS no_clock(const KernelEntry& call) {
    return call.refuse(base::Failure(STATUS_DEVICE_NOT_READY, "no clock is assigned to the pin"));
  }

  Pin& pin;
  std::atomic<uint32_t> references{0};
  std::atomic<LONGLONG> last_time{-1};
  std::atomic<bool> correlated{false};
};

ReferenceClock::ReferenceClock(Pin& pin)
    : face_(new (pin.machine().pool().allocate(sizeof(Face), 0, nt::PoolKind::Internal, nt::PoolFill::Zero))
                Face(pin)) {}

ReferenceClock::~ReferenceClock() { face_->pin.machine().pool().free(face_, 0); }

DefaultClock* ReferenceClock::clock_for(Pin& pin) {
  if (ClockNode* master = clock_of(pin.clock_file())) return &master->clock();
  return pin.own_clock();
}

IKsReferenceClock* ReferenceClock::interface() {
  face_->AddRef();
  return face_;
}

uint32_t ReferenceClock::references() const { return face_->references.load(std::memory_order_relaxed); }

bool ReferenceClock::gave_time(LONGLONG time) const {
  return !face_->correlated.load(std::memory_order_relaxed) && face_->last_time.load(std::memory_order_relaxed) == time;
}

}  // namespace ks
