#include <cstring>

#include "host/scenarios/kmd/scenario_environment.h"
#include "host/scenarios/ks/ks_connection.h"
#include "host/scenarios/ks/ks_scenarios.h"
#include "nt/io/file_objects.h"

namespace host {
namespace {

ks::Policy seeded_policy(const ScenarioContext& context) {
  ks::Policy policy;
  policy.stress_allocators = context.seed % 2 != 0;
  return policy;
}

KsConnection::Allocator some_allocator(KsEnvironment& environment) {
  return static_cast<KsConnection::Allocator>(environment.choose(3));
}

void connect_all(KsEnvironment& environment, base::TimeNs for_how_long) {
  KsPlayer player(environment, "builder");
  player.open_filters();
  for (const KsPinPair& pair : KsConnection::find(player)) {
    for (auto whose : {KsConnection::Allocator::Sources, some_allocator(environment)}) {
      KsConnection connection(player, pair);
      if (!environment.expect(connection.open())) continue;
      environment.expect(connection.choose_allocator(whose));
      if (NT_SUCCESS(connection.go(KSSTATE_RUN))) environment.rest(for_how_long);
      connection.go(KSSTATE_STOP);
      connection.close_in_any_order();
    }
  }
  player.close_in_any_order();
}

void connect(ScenarioContext& context) {
  KsEnvironment environment(context, seeded_policy(context));
  if (!environment.started()) return;
  connect_all(environment, 300 * kMillisecond);
}

// Handles go in any order and state.
void connect_any_order(ScenarioContext& context) {
  KsEnvironment environment(context, seeded_policy(context));
  if (!environment.started()) return;
  KsPlayer player(environment, "breaker");
  player.open_filters();
  for (const KsPinPair& pair : KsConnection::find(player)) {
    KsConnection connection(player, pair);
    if (!connection.open()) continue;
    connection.choose_allocator(some_allocator(environment));
    for (int i = 0; i < 3; ++i) {
      connection.go(static_cast<KSSTATE>(environment.choose(4)));
      environment.rest(environment.choose(50) * kMillisecond);
    }
    connection.close_in_any_order();
  }
  player.close_in_any_order();
}

void connect_process_dies(ScenarioContext& context) {
  KsEnvironment environment(context, seeded_policy(context));
  if (!environment.started()) return;
  KsPlayer player(environment, "mortal");
  player.open_filters();
  for (const KsPinPair& pair : KsConnection::find(player)) {
    KsConnection connection(player, pair);
    if (!connection.open()) continue;
    connection.choose_allocator(some_allocator(environment));
    connection.go(static_cast<KSSTATE>(environment.choose(4)));
    environment.rest(environment.choose(80) * kMillisecond);
  }
  player.program().end();
}

void connect_removal(ScenarioContext& context) {
  KsEnvironment environment(context, seeded_policy(context));
  if (!environment.started()) return;
  KsPlayer player(environment, "builder");
  player.open_filters();
  for (const KsPinPair& pair : KsConnection::find(player)) {
    KsConnection connection(player, pair);
    if (!connection.open()) continue;
    connection.choose_allocator(some_allocator(environment));
    connection.go(KSSTATE_RUN);
    environment.rest(environment.choose(80) * kMillisecond);
    environment.driver().slot().surprise_remove();
    connection.close_in_any_order();
    break;
  }
  player.close_in_any_order();
}

// ALLOC and FREE by hand, more of them than there are frames, and the handle closed with some of them waiting.
void allocator(ScenarioContext& context) {
  KsEnvironment environment(context, seeded_policy(context));
  if (!environment.started()) return;
  KsPlayer player(environment, "allocator's");
  player.open_filters();
  for (const KsPinPair& pair : KsConnection::find(player)) {
    for (auto whose : {KsConnection::Allocator::Sources, KsConnection::Allocator::Sinks}) {
      KsConnection connection(player, pair);
      if (!connection.open() || !connection.choose_allocator(whose)) continue;
      KSMETHOD method{};
      method.Set = KSMETHODSETID_StreamAllocator;
      auto file = environment.machine().files().find(&player.program().process(), connection.allocator(), UserMode);
      if (!file.ok()) continue;
      constexpr int kRequests = 6;
      void* frames[kRequests] = {};
      KSMETHOD asked[kRequests];
      std::vector<std::unique_ptr<nt::IoRequest>> requests;
      for (int i = 0; i < kRequests; ++i) {
        asked[i] = method;
        asked[i].Id = KSMETHOD_STREAMALLOCATOR_ALLOC;
        asked[i].Flags = KSMETHOD_TYPE_WRITE;
        requests.push_back(std::make_unique<nt::IoRequest>(environment.machine()));
        requests.back()->start(
            {*file.value(), IOCTL_KS_METHOD, &asked[i], sizeof(KSMETHOD), &frames[i], sizeof(frames[i]), KernelMode});
      }
      for (int i = 0; i < kRequests; ++i) {
        if (requests[i]->pending() || !NT_SUCCESS(requests[i]->status().Status) || environment.choose(3) == 0) continue;
        KSMETHOD freed = method;
        freed.Id = KSMETHOD_STREAMALLOCATOR_FREE;
        freed.Flags = KSMETHOD_TYPE_READ;
        IO_STATUS_BLOCK status{};
        environment.machine().files().control(
            {*file.value(), IOCTL_KS_METHOD, &freed, sizeof(freed), &frames[i], sizeof(frames[i]), KernelMode}, status);
      }
      environment.machine().files().dereference(*file.value());
      connection.close_in_any_order();
      for (auto& request : requests) request->wait();
    }
  }
  player.close_in_any_order();
}

void connect_low_memory(ScenarioContext& context) {
  context.fail_allocation(1 + static_cast<uint32_t>(context.seed % 40));
  KsEnvironment environment(context, seeded_policy(context));
  if (!environment.started()) return;
  connect_all(environment, 50 * kMillisecond);
}

}  // namespace

std::vector<Scenario> ks_connect_scenarios() {
  using Needs = Scenario::Needs;
  return {
      {"ks/connect", "source to sink in the kernel, with each allocator", &connect, Needs::Streaming},
      {"ks/connect-any-order", "… in any state, closed in any order", &connect_any_order, Needs::Streaming},
      {"ks/connect-dies", "… and the program ends", &connect_process_dies, Needs::Streaming},
      {"ks/connect-removal", "… and the hardware is pulled out", &connect_removal, Needs::Streaming},
      {"ks/allocator", "frames allocated and freed by hand, and some waited for", &allocator, Needs::Streaming},
      {"ks/connect-low-memory", "connect, and one pool allocation fails", &connect_low_memory, Needs::Streaming, true},
  };
}

}  // namespace host
