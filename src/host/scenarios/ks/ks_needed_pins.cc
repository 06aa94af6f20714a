// The pins that a filter needs: "Any attempt to change the state of a filter that does not have this number of
// instances of this type of pin fails" (InstancesNecessary, ns-ks-_kspin_descriptor_ex), and a filter that processes
// for all of its pins waits for frames on each of them. A program that streams with one of the pins uses the others
// with it.
#include <fmt/format.h>

#include <algorithm>

#include "host/scenarios/ks/ks_player.h"

namespace host {
namespace {

constexpr ULONG kMostNeeded = 16;  // of one kind, whatever a descriptor says

}  // namespace

bool KsPlayer::open_missing(HANDLE filter, KSPIN_DATAFLOW flow, Refusal refusal, std::vector<KsPlayedPin*>& opened) {
  for (const auto& [its_filter, query] : necessary_) {
    if (its_filter != filter || query.flow != flow) continue;
    const ULONG id = query.pin;
    auto open = std::count_if(pins_.begin(), pins_.end(),
                              [&](const auto& pin) { return pin->filter == filter && pin->query.pin == id; });
    std::string called = fmt::format("pin {}, which the filter needs,", id);
    for (auto i = static_cast<ULONG>(open); i < std::min(query.necessary, kMostNeeded); ++i) {
      if (refusal == Refusal::Told) expect(takes_requests(query), called + " takes requests of a program");
      if (!takes_requests(query)) return false;
      KsPlayedPin* pin = open_alone(filter, query, refusal, called);
      if (!pin) return false;
      opened.push_back(pin);
    }
  }
  return true;
}

// The format of an output may follow that of an input: inputs are opened first.
KsPlayedPin* KsPlayer::open(HANDLE filter, const KsPinQuery& query, Refusal refusal) {
  std::vector<KsPlayedPin*> inputs;
  KsPlayedPin* pin = nullptr;
  if (query.flow == KSPIN_DATAFLOW_IN || open_missing(filter, KSPIN_DATAFLOW_IN, refusal, inputs)) {
    pin = open_alone(filter, query, refusal, fmt::format("pin {}", query.pin));
  }
  if (!pin) {
    for (KsPlayedPin* each : inputs) close(*each);
    return nullptr;
  }
  pin->needed = std::move(inputs);
  if (open_needed(*pin, refusal)) return pin;
  close(*pin);
  return nullptr;
}

bool KsPlayer::open_needed(KsPlayedPin& pin, Refusal refusal) {
  return open_missing(pin.filter, KSPIN_DATAFLOW_IN, refusal, pin.needed) &&
         open_missing(pin.filter, KSPIN_DATAFLOW_OUT, refusal, pin.needed);
}

void KsPlayer::feed_needed(KsPlayedPin& pin, size_t count) {
  for (KsPlayedPin* each : pin.needed) send_alone(*each, count);
}

void KsPlayer::renew_needed(KsPlayedPin& pin) {
  for (KsPlayedPin* each : pin.needed) {
    std::erase_if(each->frames, [&](const auto& frame) {
      if (frame->pending()) return false;
      settle(*each, *frame);
      if (!NT_SUCCESS(frame->status().Status)) return true;
      send_again(*each, *frame);
      return false;
    });
  }
}

uint64_t KsPlayer::needed_frames(const KsPlayedPin& pin) {
  uint64_t frames = 0;
  for (const KsPlayedPin* each : pin.needed) {
    frames += each->came;
    for (const auto& frame : each->frames) frames += came_with_data(*frame);
  }
  return frames;
}

NTSTATUS KsPlayer::go(KsPlayedPin& pin, KSSTATE to) {
  if (pin.needed.empty()) return go_alone(pin, to);
  std::vector<KsPlayedPin*> order = pin.needed;
  auto now = program_.state(pin.handle);
  bool up = !now.ok() || now.value() < to;
  order.insert(up ? order.end() : order.begin(), &pin);
  for (KsPlayedPin* each : order) {
    NTSTATUS status = go_alone(*each, to);
    if (!NT_SUCCESS(status)) return status;
  }
  return STATUS_SUCCESS;
}

}  // namespace host
