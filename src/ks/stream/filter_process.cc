#include "ks/stream/filter_process.h"

#include <fmt/format.h>

#include <cstring>

#include "ks/exports/callback.h"
#include "ks/pin/pin_process.h"
#include "ks/stream/queue.h"
#include "ks/stream/stream_pointer.h"
#include "nt/mm/pool.h"

namespace ks {
namespace {

template <typename T>
T* make(nt::Machine& machine, size_t count) {
  void* memory = machine.pool().allocate(count * sizeof(T), 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  CHECK(memory);
  return static_cast<T*>(memory);
}

}  // namespace

struct FilterProcess::Shown {
  Shown(nt::Machine& machine, const Instance& what) : instance(what), process_pin(make<KSPROCESSPIN>(machine, 1)) {}

  bool input() const { return instance.body.DataFlow == KSPIN_DATAFLOW_IN; }
  ULONG flags() const { return instance.body.Descriptor->Flags; }
  KSSTATE state() const { return current.load(std::memory_order_relaxed); }
  bool wants_frames() const {
    return !(flags() &
             (KSPIN_FLAG_FRAMES_NOT_REQUIRED_FOR_PROCESSING | KSPIN_FLAG_SOME_FRAMES_REQUIRED_FOR_PROCESSING)) &&
           !frames.gate();
  }

  Instance instance;
  KSPROCESSPIN* const process_pin;
  std::atomic<KSSTATE> current{KSSTATE_STOP};
  GateInput frames;  // of the gate that the driver attached
};

struct FilterProcess::Group {
  const KSPIN_DESCRIPTOR_EX* descriptor = nullptr;
  std::vector<std::unique_ptr<Shown>> pins;
  PKSPROCESSPIN* shown = nullptr;  // room for all of them
};

FilterProcess::FilterProcess(Site site, KSGATE& gate) : site_(std::move(site)), gate_(gate) {}

FilterProcess::~FilterProcess() {
  nt::Pool& pool = site_.machine.pool();
  for (auto& group : groups_) {
    CHECK(group->pins.empty());
    if (group->shown) pool.free(group->shown, 0);
  }
  if (index_) pool.free(index_, 0);
}

void FilterProcess::set_factories(const std::vector<const KSPIN_DESCRIPTOR_EX*>& factories) {
  CHECK(factories.size() >= groups_.size());
  if (index_ && factories.size() > groups_.size()) {
    site_.machine.pool().free(index_, 0);
    index_ = nullptr;
  }
  groups_.reserve(factories.size());
  while (groups_.size() < factories.size()) groups_.push_back(std::make_unique<Group>());
  for (size_t i = 0; i < factories.size(); ++i) groups_[i]->descriptor = factories[i];
  if (!index_ && !groups_.empty()) index_ = make<KSPROCESSPIN_INDEXENTRY>(site_.machine, groups_.size());
}

FilterProcess::Shown* FilterProcess::find(const KSPIN& body) {
  if (body.Id >= groups_.size()) return nullptr;
  for (auto& shown : groups_[body.Id]->pins) {
    if (&shown->instance.body == &body) return shown.get();
  }
  return nullptr;
}

void FilterProcess::rebuild_pins(Group& group) {
  if (group.shown) site_.machine.pool().free(group.shown, 0);
  group.shown = group.pins.empty() ? nullptr : make<PKSPROCESSPIN>(site_.machine, group.pins.size());
}

void FilterProcess::add(const Instance& instance) {
  CHECK(instance.body.Id < groups_.size());
  Group& group = *groups_[instance.body.Id];
  group.pins.push_back(std::make_unique<Shown>(site_.machine, instance));
  rebuild_pins(group);
}

void FilterProcess::remove(const KSPIN& body) {
  Shown* shown = find(body);
  CHECK(shown);
  detach(*shown);
  site_.machine.pool().free(shown->process_pin, 0);
  Group& group = *groups_[body.Id];
  std::erase_if(group.pins, [&](const auto& other) { return other.get() == shown; });
  rebuild_pins(group);
}

void FilterProcess::set_state(const KSPIN& body, KSSTATE state) {
  Shown* shown = find(body);
  CHECK(shown);
  shown->current.store(state, std::memory_order_relaxed);
}

void FilterProcess::attach(const KSPIN& body, KSGATE* gate, GateKind kind) {
  Shown* shown = find(body);
  CHECK(shown);
  detach(*shown);
  if (!gate) return;
  // Several pins may share a gate; the first one brings it to the filter's.
  if (!gate->NextGate) {
    gate->NextGate = &gate_;
    if (!KsGateGetStateUnsafe(gate)) KsGateAddOffInputToAnd(&gate_);
  }
  // A stopped pin is not asked for frames: it neither shuts an AND gate nor opens an OR gate.
  shown->frames.attach(*gate, kind, kind == GateKind::And);
}

void FilterProcess::detach(Shown& shown) {
  KSGATE* gate = shown.frames.gate();
  if (!gate) return;
  auto block = site_.machine.pool().find(reinterpret_cast<uintptr_t>(gate));
  if (block && block->freed) {
    site_.machine.report_violation(nt::Violation::KsGateMisused,
                                   fmt::format("{} was freed with a gate in it that {} is attached to",
                                               nt::Pool::describe(*block), shown.instance.name));
    shown.frames.forget();
    return;
  }
  shown.frames.detach();
  for (auto& group : groups_) {
    for (auto& other : group->pins) {
      if (other->frames.gate() == gate) return;
    }
  }
  if (gate->NextGate != &gate_) return;
  if (!KsGateGetStateUnsafe(gate)) KsGateRemoveOffInputFromAnd(&gate_);
  gate->NextGate = nullptr;
}

bool FilterProcess::states_allow() const {
  bool any = false, wants_run = false, runs = false;
  for (const auto& group : groups_) {
    uint32_t reached = 0;
    for (const auto& shown : group->pins) {
      KSSTATE state = shown->state();
      if (state == KSSTATE_STOP) continue;
      if (state < minimum_processing_state(shown->flags())) return false;
      ++reached;
      if (shown->flags() & KSPIN_FLAG_PROCESS_IF_ANY_IN_RUN_STATE) {
        wants_run = true;
        runs |= state == KSSTATE_RUN;
      }
    }
    if (reached < group->descriptor->InstancesNecessary) return false;
    any |= reached > 0;
  }
  return any && (runs || !wants_run);
}

// Updates every gate of the driver's, also after one is found shut.
bool FilterProcess::frames_allow() {
  bool allow = true;
  for (auto& group : groups_) {
    bool wants_some = false, some = false;
    for (auto& shown : group->pins) {
      bool stopped = shown->state() == KSSTATE_STOP;
      bool frames = !stopped && shown->instance.queue.ready();
      if (shown->frames.gate()) {
        shown->frames.set(stopped ? shown->frames.kind() == GateKind::And : frames);
      } else if (stopped) {
        continue;
      } else if (shown->flags() & KSPIN_FLAG_SOME_FRAMES_REQUIRED_FOR_PROCESSING) {
        wants_some = true;
        some |= frames;
      } else if (!(shown->flags() & KSPIN_FLAG_FRAMES_NOT_REQUIRED_FOR_PROCESSING)) {
        allow &= frames;
      }
    }
    allow &= some || !wants_some;
  }
  return allow;
}

bool FilterProcess::ready() {
  bool frames = frames_allow();
  return frames && states_allow();
}

ProcessLoop::Outcome FilterProcess::run() {
  PFNKSFILTERPROCESS process = site_.body.Descriptor->Dispatch ? site_.body.Descriptor->Dispatch->Process : nullptr;
  if (!process) return ProcessLoop::Outcome::Wait;  // edited away
  if (!prepare()) {
    unlock_all();
    return ProcessLoop::Outcome::NotNow;
  }
  NTSTATUS status = call(site_.machine, Ddi::FilterProcess, site_.scope, process, &site_.body, index_);
  for (auto& group : groups_) {
    for (auto& shown : group->pins) commit(*shown);
  }
  return outcome_of(status);
}

// Inputs before outputs: an input frame without data takes an output frame with it.
bool FilterProcess::prepare() {
  bool complete = true;
  passing_ = false;
  passed_flags_ = 0;
  for (bool input : {true, false}) {
    for (auto& group : groups_) {
      for (auto& shown : group->pins) {
        if (shown->input() != input) continue;
        *shown->process_pin = {};
        if (shown->state() == KSSTATE_STOP) continue;
        shown->process_pin->Pin = &shown->instance.body;
        bool frame = lock(*shown);
        complete &= frame || !shown->wants_frames();
      }
    }
  }
  for (size_t id = 0; id < groups_.size(); ++id) {
    Group& group = *groups_[id];
    ULONG count = 0;
    for (auto& shown : group.pins) {
      if (shown->process_pin->Pin) group.shown[count++] = shown->process_pin;
    }
    // A driver must not read Pins[0] when Count is 0, so Pins is null then.
    index_[id] = {.Pins = count ? group.shown : nullptr, .Count = count};
  }
  return complete;
}

bool FilterProcess::lock(Shown& shown) {
  StreamPointer* leading = shown.instance.queue.leading();
  if (!leading || !NT_SUCCESS(leading->lock())) return false;
  if (shown.input()) {
    if (!pass_on_empty(shown)) return false;
  } else if (passing_) {
    (**leading).StreamHeader->OptionsFlags |= passed_flags_;
    if (!NT_SUCCESS(leading->advance_offsets(0, 0, Eject::Yes, ks::Then::Keep)) || !leading->locked()) return false;
  }
  show(shown);
  return true;
}

// Frames without data go past a driver that did not ask for them (KSFILTER_FLAG_RECEIVE_ZERO_LENGTH_SAMPLES): the
// output pins pass their flags on. False when no frame is left.
bool FilterProcess::pass_on_empty(Shown& input) {
  StreamPointer& leading = *input.instance.queue.leading();
  if (site_.body.Descriptor->Flags & KSFILTER_FLAG_RECEIVE_ZERO_LENGTH_SAMPLES) return true;
  while ((*leading).StreamHeader->DataUsed == 0) {
    passing_ = true;
    passed_flags_ |= (*leading).StreamHeader->OptionsFlags;
    if (!NT_SUCCESS(leading.advance()) || !leading.locked()) return false;
  }
  return true;
}

void FilterProcess::show(Shown& shown) {
  KSSTREAM_POINTER& pointer = **shown.instance.queue.leading();
  const KSSTREAM_POINTER_OFFSET& offset = shown.input() ? pointer.OffsetIn : pointer.OffsetOut;
  KSPROCESSPIN& pin = *shown.process_pin;
  pin.StreamPointer = &pointer;
  pin.Data = offset.Data;
  pin.BytesAvailable = offset.Remaining;
  pin.BytesUsed = 0;
  pin.Flags = shown.input() ? pointer.StreamHeader->OptionsFlags : 0;
  pin.Terminate = FALSE;
}

void FilterProcess::commit(Shown& shown) {
  KSPROCESSPIN& pin = *shown.process_pin;
  StreamPointer* leading = shown.instance.queue.leading();
  if (!pin.StreamPointer || !leading || !leading->locked()) return;
  const KSSTREAM_POINTER_OFFSET& offset = shown.input() ? (**leading).OffsetIn : (**leading).OffsetOut;
  ULONG used = pin.BytesUsed;
  // Asked of the pointer: BytesAvailable is the driver's to write over.
  if (used > offset.Remaining) {
    site_.machine.report_violation(nt::Violation::KsTooMuchUsed,
                                   fmt::format("Process says that it used {} bytes of a frame at {}, which had {}",
                                               used, shown.instance.name, offset.Remaining));
    used = offset.Remaining;
  }
  Eject eject = pin.Terminate ? Eject::Yes : Eject::No;
  pin.StreamPointer = nullptr;
  if (used == 0 && eject == Eject::No) {
    leading->unlock(Eject::No);
  } else {
    leading->advance_offsets(shown.input() ? used : 0, shown.input() ? 0 : used, eject, ks::Then::Unlock);
  }
}

bool FilterProcess::update(KSPROCESSPIN& pin) {
  for (auto& group : groups_) {
    for (auto& shown : group->pins) {
      if (shown->process_pin != &pin) continue;
      if (shown->state() == KSSTATE_STOP) return false;
      commit(*shown);
      pin.Data = nullptr;
      pin.BytesAvailable = pin.BytesUsed = pin.Flags = 0;
      pin.Terminate = FALSE;
      passing_ = false;
      return lock(*shown) || !shown->wants_frames();
    }
  }
  return false;
}

void FilterProcess::unlock_all() {
  for (auto& group : groups_) {
    for (auto& shown : group->pins) {
      StreamPointer* leading = shown->instance.queue.leading();
      if (shown->process_pin->StreamPointer && leading && leading->locked()) leading->unlock(Eject::No);
      shown->process_pin->StreamPointer = nullptr;
    }
  }
}

uint64_t FilterProcess::progress() {
  uint64_t sum = 0;
  for (auto& group : groups_) {
    for (auto& shown : group->pins) sum += shown->instance.queue.progress();
  }
  return sum;
}

bool FilterProcess::cloned() {
  for (auto& group : groups_) {
    for (auto& shown : group->pins) {
      if (shown->instance.queue.first_clone()) return true;
    }
  }
  return false;
}

}  // namespace ks
