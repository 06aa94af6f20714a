#include "host/scenarios/ks/ks_scenarios.h"

#include <fmt/format.h>

#include <functional>

#include "host/scenarios/kmd/scenario_environment.h"
#include "host/scenarios/ks/ks_streaming.h"

namespace host {
namespace {

void load(ScenarioContext& context) {
  KsEnvironment environment(context);
  if (!environment.started()) return;
  ks::PnpSlot& slot = environment.driver().slot();
  if (NTSTATUS status = slot.query_stop(); !NT_SUCCESS(status)) {
    environment.skip(
        fmt::format("the driver refuses IRP_MN_QUERY_STOP_DEVICE with 0x{:08X}", static_cast<uint32_t>(status)));
    return;
  }
  if (environment.perhaps()) {
    slot.cancel_stop();
    return;
  }
  slot.stop();
  environment.expect(NT_SUCCESS(slot.start()), "a device that was stopped starts again");
}

// Everything a program can ask without streaming.
void list(ScenarioContext& context) {
  KsEnvironment environment(context);
  if (!environment.started()) return;
  KsPlayer player(environment, "lister");
  auto heard = [](const auto&) {};  // any answer will do
  size_t pins = 0;
  for (HANDLE filter : player.open_filters()) {
    for (const KsPinQuery& query : player.pins(filter)) {
      ++pins;
      environment.expect(query.range_count > 0, fmt::format("pin {} has a data range", query.pin));
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
  if (pins == 0 && !player.filters().empty()) environment.skip("the driver has no pin");
  player.close_in_any_order();
}

// Every pin that a program may stream with, one after the other. They are in KSSTATE_STOP before and after.
void play_each_pin(KsEnvironment& environment, const std::function<void(KsPlayer&, KsPlayedPin&)>& play) {
  KsPlayer player(environment, "recorder");
  player.open_filters();
  for (auto& [filter, query] : stream_pins(player)) {
    KsPlayedPin* pin = player.open(filter, query);
    if (!pin) continue;
    play(player, *pin);
    player.go(*pin, KSSTATE_STOP);
    player.close(*pin);
  }
}

void capture(ScenarioContext& context) {
  KsEnvironment environment(context);
  if (!environment.started()) return;
  play_each_pin(environment, [](KsPlayer& player, KsPlayedPin& pin) {
    if (player.run(pin)) player.stream(pin, 12);
  });
  play_each_pin(environment, [](KsPlayer& player, KsPlayedPin& pin) { stream_through_pause(player, pin, 3); });
  if (environment.frames() == 0) environment.leave_incomplete("no frame came from any pin");
}

// Any state from any other, with frames under way.
void states(ScenarioContext& context) {
  KsEnvironment environment(context);
  if (!environment.started() || !try_streaming(environment)) return;
  KsPlayer player(environment, "walker");
  player.open_filters();
  KsPlayedPin* pin = open_some_pin(player);
  if (!pin) return;
  stream_through_pause(player, *pin, 3);
  for (int i = 0; i < 12; ++i) {
    auto to = static_cast<KSSTATE>(environment.choose(4));
    if (environment.perhaps()) {
      player.go(*pin, to);
    } else {
      player.program().set_state(pin->handle, to);
    }
    if (environment.perhaps()) player.send(*pin, 1);
    if (environment.perhaps()) environment.rest(environment.choose(50) * kMillisecond);
    if (environment.choose(4) == 0) player.receive(*pin, 100 * kMillisecond, false);
  }
  player.take_back(*pin);
  player.close(*pin);
}

// The format that a pin has, set again before it processes anything. A driver may have reasons to refuse, but not that.
void keep_format(KsPlayer& player, KsPlayedPin& pin, const char* state) {
  NTSTATUS status = player.program().set(pin.handle, KSPROPSETID_Connection, KSPROPERTY_CONNECTION_DATAFORMAT,
                                         pin.format.data(), static_cast<ULONG>(pin.format.size()));
  KsEnvironment& environment = player.environment();
  if (status != STATUS_INSUFFICIENT_RESOURCES || !environment.undisturbed()) return;
  environment.machine().report_violation(
      nt::Violation::KsFormatRefused,
      fmt::format("pin {}: KSPROPERTY_CONNECTION_DATAFORMAT with the format that the pin has failed in "
                  "{} with STATUS_INSUFFICIENT_RESOURCES, and nothing is scarce",
                  pin.query.pin, state));
}

void format(ScenarioContext& context) {
  KsEnvironment environment(context);
  if (!environment.started() || !try_streaming(environment)) return;
  KsPlayer player(environment, "changer");
  player.open_filters();
  for (auto& [filter, query] : stream_pins(player)) {
    KsPlayedPin* pin = player.open(filter, query);
    if (!pin) continue;
    keep_format(player, *pin, "KSSTATE_STOP");
    if (NT_SUCCESS(player.go(*pin, KSSTATE_ACQUIRE))) keep_format(player, *pin, "KSSTATE_ACQUIRE");
    if (player.run(*pin)) player.stream(*pin, 2);
    player.go(*pin, KSSTATE_STOP);
    player.close(*pin);
  }
}

void cancel(ScenarioContext& context) {
  KsEnvironment environment(context);
  if (!environment.started() || !try_streaming(environment)) return;
  KsPlayer player(environment, "canceller");
  player.open_filters();
  KsPlayedPin* pin = open_some_pin(player);
  if (!pin) return;
  KSSTATE state = environment.perhaps() ? KSSTATE_RUN : KSSTATE_PAUSE;
  if (!environment.expect(NT_SUCCESS(player.go(*pin, state)),
                          fmt::format("pin {} goes to state {}", pin->query.pin, +state)))
    return;
  for (int round = 0; round < 4; ++round) {
    player.send(*pin, 4);
    ThreadGroup threads(environment.machine());
    threads.add("cancel", [&] {
      environment.rest(environment.choose(80) * kMillisecond);
      for (auto& frame : pin->frames) {
        if (environment.perhaps() && frame->pending()) frame->cancel();
      }
    });
    environment.rest(environment.choose(80) * kMillisecond);
    for (auto& frame : pin->frames) {
      if (environment.perhaps() && frame->pending()) frame->cancel();
    }
  }
  player.call_back(*pin);
  if (environment.perhaps()) player.go(*pin, KSSTATE_STOP);
  player.close(*pin);
}

void reset(ScenarioContext& context) {
  KsEnvironment environment(context);
  if (!environment.started() || !try_streaming(environment)) return;
  KsPlayer player(environment, "resetter");
  player.open_filters();
  KsPlayedPin* pin = open_some_pin(player);
  if (!pin || !player.run(*pin)) return;
  for (int round = 0; round < 3; ++round) {
    player.send(*pin, 3);
    environment.rest(environment.choose(60) * kMillisecond);
    environment.expect(NT_SUCCESS(player.program().reset(pin->handle, KSRESET_BEGIN)), "a pin that runs can be reset");
    player.send(*pin, 1);
    environment.expect(!pin->frames.back()->pending(), "a frame that is sent during a reset is rejected");
    player.program().reset(pin->handle, KSRESET_END);
    player.call_back(*pin);
    player.stream(*pin, 2);
  }
  player.take_back(*pin);
  player.close(*pin);
}

void close_in_any_order(ScenarioContext& context) {
  KsEnvironment environment(context);
  if (!environment.started() || !try_streaming(environment)) return;
  KsPlayer player(environment, "closer");
  player.open_filters();
  for (int i = 0; i < 2; ++i) {
    KsPlayedPin* pin = open_some_pin(player, KsPlayer::Refusal::Allowed);
    if (!pin) continue;
    player.go(*pin, static_cast<KSSTATE>(environment.choose(4)));
    player.send(*pin, 3);
  }
  environment.rest(environment.choose(100) * kMillisecond);
  player.close_in_any_order();
}

void clients(ScenarioContext& context) {
  KsEnvironment environment(context);
  if (!environment.started() || !try_streaming(environment)) return;
  ThreadGroup threads(environment.machine());
  for (const char* name : {"first", "second"}) {
    threads.add(name, [&environment, name] {
      KsPlayer player(environment, name);
      player.open_filters();
      for (int i = 0; i < 2; ++i) {
        KsPlayedPin* pin = open_some_pin(player, KsPlayer::Refusal::Allowed);
        if (!pin) continue;
        if (NT_SUCCESS(player.go(*pin, KSSTATE_RUN))) player.stream(*pin, 4);
        if (environment.perhaps()) player.go(*pin, KSSTATE_STOP);
        player.close(*pin);
      }
    });
  }
}

void process_dies(ScenarioContext& context) {
  KsEnvironment environment(context);
  if (!environment.started() || !try_streaming(environment)) return;
  KsPlayer player(environment, "mortal");
  player.open_filters();
  KsPlayedPin* pin = open_some_pin(player);
  if (pin && NT_SUCCESS(player.go(*pin, static_cast<KSSTATE>(environment.choose(4))))) {
    player.send(*pin, 4);
    environment.rest(environment.choose(100) * kMillisecond);
  }
  player.program().end();
}

void removal(ScenarioContext& context) {
  KsEnvironment environment(context);
  if (!environment.started() || !try_streaming(environment)) return;
  {
    ThreadGroup threads(environment.machine());
    threads.add("program", [&environment] {
      KsPlayer player(environment, "program", KsPlayer::Hardware::MayGo);
      player.open_filters();
      KsPlayedPin* pin = open_some_pin(player);
      if (!pin) return;
      if (NT_SUCCESS(player.go(*pin, KSSTATE_RUN))) player.stream(*pin, 8);
      player.take_back(*pin);
      player.close_in_any_order();
    });
    environment.rest(environment.choose(300) * kMillisecond);
    environment.driver().slot().surprise_remove();
  }
}

void power(ScenarioContext& context) {
  KsEnvironment environment(context);
  if (!environment.started() || !try_streaming(environment)) return;
  KsPlayer player(environment, "sleeper");
  player.open_filters();
  KsPlayedPin* pin = open_some_pin(player);
  if (!pin || !player.run(*pin)) return;
  ks::PnpSlot& slot = environment.driver().slot();
  for (int round = 0; round < 2; ++round) {
    player.stream(*pin, 2);
    if (NTSTATUS status = slot.query_power(PowerDeviceD3); !NT_SUCCESS(status)) {
      environment.skip(fmt::format("the driver refuses to sleep with 0x{:08X}", static_cast<uint32_t>(status)));
      break;
    }
    slot.set_power(PowerDeviceD3);
    environment.rest(environment.choose(200) * kMillisecond);
    // On wake the stream's state may change before the device's power does, as documented.
    if (environment.perhaps()) player.go(*pin, KSSTATE_PAUSE);
    slot.set_power(PowerDeviceD0);
    player.run(*pin);
  }
  player.take_back(*pin);
  player.close(*pin);
}

// What fails means nothing on a driver that would not stream anyway: that is tried before, in a life of its own.
void low_memory(ScenarioContext& context) {
  if (!context.failing) {
    KsEnvironment before(context);
    if (!before.started() || !try_streaming(before)) return;
  }
  context.image.restore();
  context.fail_allocation(1 + static_cast<uint32_t>(context.seed % 40));
  KsEnvironment environment(context);
  if (!environment.started()) return;
  play_each_pin(environment, [](KsPlayer& player, KsPlayedPin& pin) {
    if (player.run(pin)) player.stream(pin, 2);
  });
}

}  // namespace

std::vector<Scenario> ks_scenarios() {
  using Needs = Scenario::Needs;
  return {
      {"ks/load", "the device starts, stops, starts again and goes", &load, Needs::Streaming},
      {"ks/list", "everything a program can ask of filters and pins", &list, Needs::Streaming},
      {"ks/capture", "every pin streams and stops; again with a pause", &capture, Needs::Streaming},
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
