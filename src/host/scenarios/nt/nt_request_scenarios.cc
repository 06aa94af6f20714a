// Programs that open a driver's devices and send requests to them.
#include "host/scenarios/kmd/scenario_environment.h"
#include "host/scenarios/nt/nt_request_maker.h"
#include "host/scenarios/nt/nt_scenarios.h"

namespace host {
namespace {

constexpr uint32_t kRequests = 24;

// Starts the driver, lets its device sleep once, and lets `play` use each of its devices; then judges whether anything
// was done.
template <typename Play>
void on_each_device(ScenarioContext& context, NtStack::Floor floor, Play&& play) {
  NtStack stack(context);
  if (!stack.start()) return;
  stack.cycle_power(PowerDeviceD3);
  for (DEVICE_OBJECT* device : stack.openable()) play(stack, *device);
  stack.judge_requests(floor);
}

// One request of each kind first, so that each dispatch routine runs with every seed.
void send_plain(NtStack& stack, DEVICE_OBJECT& device) {
  NtProgram program(stack, "program");
  if (!program.open(device)) return;
  NtRequestMaker maker(stack, device);
  for (const NtRequest& request : maker.each_kind()) program.send(request);
  for (uint32_t i = 0; i < kRequests; ++i) program.send(maker.plain());
}

void play_requests(ScenarioContext& context) { on_each_device(context, NtStack::Floor::Served, send_plain); }

// A correct driver may refuse all of it.
void play_wild(ScenarioContext& context) {
  on_each_device(context, NtStack::Floor::Reached, [](NtStack& stack, DEVICE_OBJECT& device) {
    NtProgram program(stack, "program");
    bool opened = stack.choose(2) && program.open(device, u"\\no such file");
    if (!opened && !program.open(device)) return;
    NtRequestMaker maker(stack, device);
    for (uint32_t i = 0; i < 2 * kRequests; ++i) program.send(stack.choose(4) ? maker.wild() : maker.plain());
  });
}

// Requests that pend are cancelled after a while, some by the end of the program. Where every request is refused there
// is nothing to cancel.
void play_cancel(ScenarioContext& context) {
  on_each_device(context, NtStack::Floor::Served, [](NtStack& stack, DEVICE_OBJECT& device) {
    NtProgram program(stack, "program");
    if (!program.open(device)) return;
    NtRequestMaker maker(stack, device);
    std::vector<NtProgram::Sent*> pending;
    for (uint32_t i = 0; i < kRequests / 3; ++i) {
      if (NtProgram::Sent* sent = program.start(maker.slow())) pending.push_back(sent);
      stack.rest(stack.choose(kMillisecond));
    }
    for (NtProgram::Sent* sent : pending) {
      if (stack.choose(3)) sent->cancel();
      if (stack.choose(2)) program.finish(*sent, kMillisecond);
    }
  });
}

void play_two_handles(ScenarioContext& context) {
  on_each_device(context, NtStack::Floor::Served, [](NtStack& stack, DEVICE_OBJECT& device) {
    ThreadGroup programs(stack.machine());
    for (const char* name : {"one program", "another program"}) {
      programs.add(name, [&stack, &device] { send_plain(stack, device); });
    }
  });
}

}  // namespace

std::vector<Scenario> nt_request_scenarios() {
  using enum Scenario::Needs;
  return {
      {"nt/requests", "a program opens each device and sends every kind of request", &play_requests, Nt, true},
      {"nt/wild-controls", "controls, reads and writes with any code, lengths and pointers", &play_wild},
      {"nt/cancel", "requests that pend are cancelled, or their program ends", &play_cancel},
      {"nt/two-handles", "two programs use one device at once", &play_two_handles},
  };
}

}  // namespace host
