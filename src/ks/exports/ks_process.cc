// Processing: attempts, gates, the processing mutex, process pins, power routines. Pages:
// ks/nf-ks-kspinattemptprocessing, nf-ks-ksfilterattemptprocessing, nf-ks-kspinattachandgate, nf-ks-kspinattachorgate,
// nf-ks-ksprocesspinupdate, …; stream/flow-control-gates-in-avstream, processing-mutex-in-avstream.
#include <fmt/format.h>

#include "ks/exports/kernel_entry.h"
#include "ks/object/filter.h"
#include "ks/pin/pin.h"
#include "ks/stream/processor.h"

using ks::Fn;
using ks::GateKind;
using ks::KernelEntry;

namespace {

// The object that a driver passed, and its processor: a pin's own or its filter's. A pin without a processor is not
// processed, and the call has nothing to do.
struct Named {
  ks::Object* object = nullptr;
  ks::Processor* processor = nullptr;
};

Named named_pin(const KernelEntry& call, PKSPIN body) {
  auto* pin = call.system().object_as<ks::Pin>(body, call.name());
  return pin ? Named{pin, pin->processor()} : Named{};
}

Named named_filter(const KernelEntry& call, PKSFILTER body) {
  auto* filter = call.system().object_as<ks::Filter>(body, call.name());
  return filter ? Named{filter, filter->processor()} : Named{};
}

void acquire(const KernelEntry& call, const Named& named) {
  if (!named.processor) return;
  if (!named.processor->mutex().held()) {
    named.processor->hold();
    return;
  }
  // On Windows the thread would wait for itself.
  call.report_violation(nt::Violation::KsMutexRecursive,
                        fmt::format("{} acquires the processing mutex of {}, which this thread holds already",
                                    call.name(), named.object->name()));
  named.processor->mutex().acquire();
}

void release(const KernelEntry& call, const Named& named) {
  if (!named.processor) return;
  if (named.processor->mutex().held()) {
    named.processor->let_go();
    return;
  }
  call.report_violation(
      nt::Violation::LockNotHeld,
      fmt::format("{} of {}, whose processing mutex this thread does not hold", call.name(), named.object->name()));
}

// Null, or the sentence that says why the pin cannot be an input of this gate.
const char* unsuitable(ks::Pin& pin, const KSGATE* gate) {
  if (!pin.filter().processor()) return "its filter does not process, and so has no gate that this one could lead to";
  if (pin.has_flag(KSPIN_FLAG_SOME_FRAMES_REQUIRED_FOR_PROCESSING)) {
    return "KSPIN_FLAG_SOME_FRAMES_REQUIRED_FOR_PROCESSING has the class attach one already";
  }
  if (gate && gate->NextGate && gate->NextGate != &pin.filter().processor()->gate()) {
    return "the gate leads to another one already";
  }
  return nullptr;
}

void attach(const KernelEntry& call, PKSPIN body, KSGATE* gate, GateKind kind) {
  auto* pin = call.system().object_as<ks::Pin>(body, call.name());
  if (!pin) return;
  if (pin->state() != KSSTATE_STOP) {
    call.report_violation(nt::Violation::KsGateAttachedInMotion,
                          fmt::format("{} of {}, which has left KSSTATE_STOP: it is in state {}", call.name(),
                                      pin->name(), static_cast<int>(pin->state())));
    return;
  }
  if (const char* why = unsuitable(*pin, gate)) {
    call.report_violation(nt::Violation::KsGateMisused, fmt::format("{} of {}: {}", call.name(), pin->name(), why));
    return;
  }
  if (gate && !ks::judge_gate(call.machine(), *gate, kind, pin->name())) return;
  pin->filter().processor()->attach_gate(*pin, gate, kind);
}

}  // namespace

extern "C" {

void KsPinAttemptProcessing(PKSPIN body, BOOLEAN asynchronous) {
  KernelEntry call{Fn::KsPinAttemptProcessing};
  if (!body) {
    call.report_violation(nt::Violation::KsAttemptWithoutPin, "KsPinAttemptProcessing was called without a pin");
    return;
  }
  if (ks::Processor* processor = named_pin(call, body).processor) processor->attempt(asynchronous);
}

void KsFilterAttemptProcessing(PKSFILTER body, BOOLEAN asynchronous) {
  KernelEntry call{Fn::KsFilterAttemptProcessing};
  if (ks::Processor* processor = named_filter(call, body).processor) processor->attempt(asynchronous);
}

PKSGATE KsPinGetAndGate(PKSPIN body) {
  KernelEntry call{Fn::KsPinGetAndGate};
  ks::Processor* processor = named_pin(call, body).processor;
  return processor ? &processor->gate() : nullptr;
}

PKSGATE KsFilterGetAndGate(PKSFILTER body) {
  KernelEntry call{Fn::KsFilterGetAndGate};
  ks::Processor* processor = named_filter(call, body).processor;
  return processor ? &processor->gate() : nullptr;
}

void KsPinAttachAndGate(PKSPIN body, PKSGATE gate) {
  KernelEntry call{Fn::KsPinAttachAndGate};
  attach(call, body, gate, GateKind::And);
}

void KsPinAttachOrGate(PKSPIN body, PKSGATE gate) {
  KernelEntry call{Fn::KsPinAttachOrGate};
  attach(call, body, gate, GateKind::Or);
}

void KsPinAcquireProcessingMutex(PKSPIN body) {
  KernelEntry call{Fn::KsPinAcquireProcessingMutex};
  acquire(call, named_pin(call, body));
}

void KsPinReleaseProcessingMutex(PKSPIN body) {
  KernelEntry call{Fn::KsPinReleaseProcessingMutex};
  release(call, named_pin(call, body));
}

void KsFilterAcquireProcessingMutex(PKSFILTER body) {
  KernelEntry call{Fn::KsFilterAcquireProcessingMutex};
  acquire(call, named_filter(call, body));
}

void KsFilterReleaseProcessingMutex(PKSFILTER body) {
  KernelEntry call{Fn::KsFilterReleaseProcessingMutex};
  release(call, named_filter(call, body));
}

BOOLEAN KsProcessPinUpdate(PKSPROCESSPIN process_pin) {
  KernelEntry call{Fn::KsProcessPinUpdate};
  ks::Processor* processor = named_pin(call, process_pin->Pin).processor;
  return processor && processor->update(*process_pin);
}

void KsPinRegisterPowerCallbacks(PKSPIN body, PFNKSPINPOWER sleep, PFNKSPINPOWER wake) {
  KernelEntry call{Fn::KsPinRegisterPowerCallbacks};
  auto* pin = call.system().object_as<ks::Pin>(body, call.name());
  if (pin && pin->own_processor()) pin->own_processor()->register_power(sleep, wake);
}

void KsFilterRegisterPowerCallbacks(PKSFILTER body, PFNKSFILTERPOWER sleep, PFNKSFILTERPOWER wake) {
  KernelEntry call{Fn::KsFilterRegisterPowerCallbacks};
  auto* filter = call.system().object_as<ks::Filter>(body, call.name());
  if (filter && filter->processor()) filter->register_power(sleep, wake);
}

}  // extern "C"
