#include "host/ks_scenarios.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/ks_player.h"
#include "host/stage.h"

namespace host {
namespace {

constexpr base::TimeNs kPatience = 2 * kSecond;

// Of the pins that a program may stream with, one that the seed chooses.
KsPlayedPin* open_some_pin(KsPlayer& player) {
  std::vector<std::pair<HANDLE, KsPinQuery>> all;
  for (HANDLE filter : player.filters()) {
    for (KsPinQuery& query : player.pins(filter)) {
      if (KsPlayer::takes_requests(query)) all.emplace_back(filter, std::move(query));
    }
  }
  if (all.empty()) return nullptr;
  auto& [filter, query] = all[player.stage().choose(static_cast<uint32_t>(all.size()))];
  return player.open(filter, query);
}

// Frames go there and back for a while.
void stream(KsPlayer& player, KsPlayedPin& pin, uint32_t frames) {
  player.send(pin, 2 + player.stage().choose(3));
  for (uint32_t i = 0; i < frames; ++i) {
    if (!player.receive(pin, kPatience, true)) return;
  }
}

void load(ScenarioContext& context) {
  KsStage stage(context);
  if (!stage.started()) return;
  ks::Slot& slot = stage.driver().slot();
  if (!NT_SUCCESS(slot.query_stop())) return;
  if (stage.perhaps()) {
    slot.cancel_stop();
    return;
  }
  slot.stop();
  stage.expect(NT_SUCCESS(slot.start()));
}

// Everything a program can ask without streaming.
void list(ScenarioContext& context) {
  KsStage stage(context);
  if (!stage.started()) return;
  KsPlayer player(stage, "lister");
  auto heard = [](const auto&) {};  // any answer will do
  for (HANDLE filter : player.open_filters()) {
    for (const KsPinQuery& query : player.pins(filter)) {
      stage.expect(query.range_count > 0);
      for (size_t i = 0; i < query.range_count; ++i) {
        if (const KSDATARANGE* range = query.range(i)) heard(player.program().intersect(filter, query.pin, *range));
      }
      KSDATARANGE anything{};
      anything.FormatSize = sizeof(anything);
      heard(player.program().intersect(filter, query.pin, anything));
      for (ULONG id : {KSPROPERTY_PIN_INTERFACES, KSPROPERTY_PIN_MEDIUMS, KSPROPERTY_PIN_GLOBALCINSTANCES,
                       KSPROPERTY_PIN_CONSTRAINEDDATARANGES}) {
        heard(player.program().get_pin(filter, id, query.pin));
      }
    }
    for (ULONG id = KSPROPERTY_TOPOLOGY_CATEGORIES; id <= KSPROPERTY_TOPOLOGY_CONNECTIONS; ++id) {
      heard(player.program().get(filter, KSPROPSETID_Topology, id));
    }
    heard(player.program().get(filter, KSPROPSETID_General, KSPROPERTY_GENERAL_COMPONENTID));
  }
  player.close_in_any_order();
}

void capture_once(KsStage& stage, uint32_t frames) {
  KsPlayer player(stage, "recorder");
  for (HANDLE filter : player.open_filters()) {
    for (const KsPinQuery& query : player.pins(filter)) {
      if (!KsPlayer::takes_requests(query)) continue;
      KsPlayedPin* pin = player.open(filter, query);
      if (!pin) continue;
      if (NT_SUCCESS(player.go(*pin, KSSTATE_RUN))) stream(player, *pin, frames);
      player.go(*pin, KSSTATE_STOP);
      player.close(*pin);
    }
  }
}

void capture(ScenarioContext& context) {
  KsStage stage(context);
  if (!stage.started()) return;
  capture_once(stage, 12);
  capture_once(stage, 3);
}

// Any state from any other, with frames under way.
void states(ScenarioContext& context) {
  KsStage stage(context);
  if (!stage.started()) return;
  KsPlayer player(stage, "walker");
  player.open_filters();
  KsPlayedPin* pin = open_some_pin(player);
  if (!pin) return;
  for (int i = 0; i < 12; ++i) {
    auto to = static_cast<KSSTATE>(stage.choose(4));
    if (stage.perhaps()) {
      player.go(*pin, to);
    } else {
      player.program().set_state(pin->handle, to);
    }
    if (stage.perhaps()) player.send(*pin, 1);
    if (stage.perhaps()) stage.rest(stage.choose(50) * kMillisecond);
    if (stage.choose(4) == 0) player.receive(*pin, 100 * kMillisecond, false);
  }
  player.take_back(*pin);
  player.close(*pin);
}

// The format that a pin has, set again before it processes anything. A driver may have reasons to refuse, but not that.
void keep_format(KsPlayer& player, KsPlayedPin& pin, const char* state) {
  NTSTATUS status = player.program().set(pin.handle, KSPROPSETID_Connection, KSPROPERTY_CONNECTION_DATAFORMAT,
                                         pin.format.data(), static_cast<ULONG>(pin.format.size()));
  KsStage& stage = player.stage();
  if (status != STATUS_INSUFFICIENT_RESOURCES || !stage.undisturbed()) return;
  stage.machine().broke(
      nt::Broke::KsFormatRefused,
      fmt::format("pin {}: KSPROPERTY_CONNECTION_DATAFORMAT with the format that the pin has failed in "
                  "{} with STATUS_INSUFFICIENT_RESOURCES, and nothing is scarce",
                  pin.query.pin, state));
}

void format(ScenarioContext& context) {
  KsStage stage(context);
  if (!stage.started()) return;
  KsPlayer player(stage, "changer");
  for (HANDLE filter : player.open_filters()) {
    for (const KsPinQuery& query : player.pins(filter)) {
      KsPlayedPin* pin = KsPlayer::takes_requests(query) ? player.open(filter, query) : nullptr;
      if (!pin) continue;
      keep_format(player, *pin, "KSSTATE_STOP");
      if (NT_SUCCESS(player.go(*pin, KSSTATE_ACQUIRE))) keep_format(player, *pin, "KSSTATE_ACQUIRE");
      player.go(*pin, KSSTATE_STOP);
      player.close(*pin);
    }
  }
}

void cancel(ScenarioContext& context) {
  KsStage stage(context);
  if (!stage.started()) return;
  KsPlayer player(stage, "canceller");
  player.open_filters();
  KsPlayedPin* pin = open_some_pin(player);
  if (!pin || !NT_SUCCESS(player.go(*pin, stage.perhaps() ? KSSTATE_RUN : KSSTATE_PAUSE))) return;
  for (int round = 0; round < 4; ++round) {
    player.send(*pin, 4);
    Crew crew(stage.machine());
    crew.add("cancel", [&] {
      stage.rest(stage.choose(80) * kMillisecond);
      for (auto& frame : pin->frames) {
        if (stage.perhaps() && frame->pending()) frame->cancel();
      }
    });
    stage.rest(stage.choose(80) * kMillisecond);
    for (auto& frame : pin->frames) {
      if (stage.perhaps() && frame->pending()) frame->cancel();
    }
  }
  player.call_back(*pin);
  if (stage.perhaps()) player.go(*pin, KSSTATE_STOP);
  player.close(*pin);
}

void reset(ScenarioContext& context) {
  KsStage stage(context);
  if (!stage.started()) return;
  KsPlayer player(stage, "resetter");
  player.open_filters();
  KsPlayedPin* pin = open_some_pin(player);
  if (!pin || !NT_SUCCESS(player.go(*pin, KSSTATE_RUN))) return;
  for (int round = 0; round < 3; ++round) {
    player.send(*pin, 3);
    stage.rest(stage.choose(60) * kMillisecond);
    stage.expect(NT_SUCCESS(player.program().reset(pin->handle, KSRESET_BEGIN)));
    player.send(*pin, 1);  // rejected
    stage.expect(!pin->frames.back()->pending());
    player.program().reset(pin->handle, KSRESET_END);
    player.call_back(*pin);
    stream(player, *pin, 2);
  }
  player.take_back(*pin);
  player.close(*pin);
}

void close_in_any_order(ScenarioContext& context) {
  KsStage stage(context);
  if (!stage.started()) return;
  KsPlayer player(stage, "closer");
  player.open_filters();
  for (int i = 0; i < 2; ++i) {
    KsPlayedPin* pin = open_some_pin(player);
    if (!pin) continue;
    player.go(*pin, static_cast<KSSTATE>(stage.choose(4)));
    player.send(*pin, 3);
  }
  stage.rest(stage.choose(100) * kMillisecond);
  player.close_in_any_order();
}

void clients(ScenarioContext& context) {
  KsStage stage(context);
  if (!stage.started()) return;
  Crew crew(stage.machine());
  for (const char* name : {"first", "second"}) {
    crew.add(name, [&stage, name] {
      KsPlayer player(stage, name);
      player.open_filters();
      for (int i = 0; i < 2; ++i) {
        KsPlayedPin* pin = open_some_pin(player);
        if (!pin) continue;
        if (NT_SUCCESS(player.go(*pin, KSSTATE_RUN))) stream(player, *pin, 4);
        if (stage.perhaps()) player.go(*pin, KSSTATE_STOP);
        player.close(*pin);
      }
    });
  }
}

void process_dies(ScenarioContext& context) {
  KsStage stage(context);
  if (!stage.started()) return;
  KsPlayer player(stage, "mortal");
  player.open_filters();
  KsPlayedPin* pin = open_some_pin(player);
  if (pin && NT_SUCCESS(player.go(*pin, static_cast<KSSTATE>(stage.choose(4))))) {
    player.send(*pin, 4);
    stage.rest(stage.choose(100) * kMillisecond);
  }
  player.program().end();
}

void removal(ScenarioContext& context) {
  KsStage stage(context);
  if (!stage.started()) return;
  {
    Crew crew(stage.machine());
    crew.add("program", [&stage] {
      KsPlayer player(stage, "program", KsPlayer::Hardware::MayGo);
      player.open_filters();
      KsPlayedPin* pin = open_some_pin(player);
      if (!pin) return;
      if (NT_SUCCESS(player.go(*pin, KSSTATE_RUN))) stream(player, *pin, 8);
      player.take_back(*pin);
      player.close_in_any_order();
    });
    stage.rest(stage.choose(300) * kMillisecond);
    stage.driver().slot().surprise_remove();
  }
}

void power(ScenarioContext& context) {
  KsStage stage(context);
  if (!stage.started()) return;
  KsPlayer player(stage, "sleeper");
  player.open_filters();
  KsPlayedPin* pin = open_some_pin(player);
  if (!pin || !NT_SUCCESS(player.go(*pin, KSSTATE_RUN))) return;
  ks::Slot& slot = stage.driver().slot();
  for (int round = 0; round < 2; ++round) {
    stream(player, *pin, 2);
    if (!NT_SUCCESS(slot.query_power(PowerDeviceD3))) break;
    slot.set_power(PowerDeviceD3);
    stage.rest(stage.choose(200) * kMillisecond);
    // On wake the stream's state may change before the device's power does, as documented.
    if (stage.perhaps()) player.go(*pin, KSSTATE_PAUSE);
    slot.set_power(PowerDeviceD0);
    player.go(*pin, KSSTATE_RUN);
  }
  player.take_back(*pin);
  player.close(*pin);
}

void low_memory(ScenarioContext& context) {
  context.fail_allocation(1 + static_cast<uint32_t>(context.seed % 40));
  KsStage stage(context);
  if (!stage.started()) return;
  capture_once(stage, 2);
}

}  // namespace

std::vector<Scenario> ks_scenarios() {
  using Needs = Scenario::Needs;
  return {
      {"ks/load", "the device starts, stops, starts again and goes", &load, Needs::Streaming},
      {"ks/list", "everything a program can ask of filters and pins", &list, Needs::Streaming},
      {"ks/capture", "every pin streams and stops; twice", &capture, Needs::Streaming},
      {"ks/states", "any state after any other, with frames under way", &states, Needs::Streaming},
      {"ks/format", "the format that a pin has is set again", &format, Needs::Streaming},
      {"ks/cancel", "frames are cancelled at any time", &cancel, Needs::Streaming},
      {"ks/reset", "reset begins and ends in the middle of a stream", &reset, Needs::Streaming},
      {"ks/close-any-order", "handles are closed in any order, frames pending", &close_in_any_order, Needs::Streaming},
      {"ks/clients", "two programs at once", &clients, Needs::Streaming},
      {"ks/process-dies", "the program ends with everything open", &process_dies, Needs::Streaming},
      {"ks/removal", "the hardware is pulled out under a program", &removal, Needs::Streaming},
      {"ks/power", "the device sleeps and wakes in the middle of a stream", &power, Needs::Streaming},
      {"ks/low-memory", "capture, and one pool allocation fails", &low_memory, Needs::Streaming, true},
  };
}

}  // namespace host
