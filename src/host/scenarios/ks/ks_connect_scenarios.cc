#include <fmt/format.h>

#include <algorithm>
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

constexpr base::TimeNs kPatience = 2 * kSecond, kGlance = 50 * kMillisecond;

// The pairs of pins that the scenario is about. Without any it is skipped.
std::vector<KsPinPair> pairs_of(KsPlayer& player) {
  std::vector<KsPinPair> pairs = KsConnection::find(player);
  if (pairs.empty() && !player.filters().empty()) {
    player.environment().skip("the driver has no two pins that could be connected in the kernel");
  }
  return pairs;
}

// Whether frames have to go from one to the other: not while they wait for a trigger, nor in a circle within a filter
// that processes when each of its pins has a frame.
bool frames_expected(KsEnvironment& environment, const KsPinPair& pair) {
  if (waits_for_trigger(pair.source) || waits_for_trigger(pair.sink)) return false;
  const auto& factories = environment.driver().device().factories();
  bool filter_centric = std::any_of(factories.begin(), factories.end(), [](const auto& factory) {
    const KSFILTER_DISPATCH* dispatch = factory->descriptor().Dispatch;
    return dispatch && dispatch->Process;
  });
  return pair.source_filter != pair.sink_filter || !filter_centric;
}

// The pairs for scenarios that stream. Where no frame has to go through any, they are tried all the same.
std::vector<KsPinPair> streaming_pairs_of(KsPlayer& player) {
  std::vector<KsPinPair> pairs = pairs_of(player);
  KsEnvironment& environment = player.environment();
  bool any =
      std::any_of(pairs.begin(), pairs.end(), [&](const auto& each) { return frames_expected(environment, each); });
  if (!pairs.empty() && !any) {
    environment.skip("each connection of two pins waits for a trigger, or is a circle within one filter");
  }
  return pairs;
}

bool opened(KsEnvironment& environment, KsConnection& connection, const KsPinPair& pair) {
  return environment.expect(connection.open(), fmt::format("pin {} can be connected to pin {} of the same driver",
                                                           pair.source.pin, pair.sink.pin));
}

// Runs the connection until two frames went through both of its pins, and at least that long. Frames of the pins that
// the filters need besides do not count.
void run_connection(KsEnvironment& environment, KsConnection& connection, const KsPinPair& pair,
                    base::TimeNs for_how_long) {
  auto passed = [&] { return environment.frames() - connection.needed_frames(); };
  const uint64_t enough = passed() + 4;
  NTSTATUS status = connection.go(KSSTATE_RUN);
  if (!environment.expect(NT_SUCCESS(status),
                          fmt::format("the connection of pin {} to pin {} goes to KSSTATE_RUN; it "
                                      "refused with 0x{:08X}",
                                      pair.source.pin, pair.sink.pin, static_cast<uint32_t>(status)))) {
    return;
  }
  connection.feed_needed(4);
  environment.rest(for_how_long);
  if (!frames_expected(environment, pair)) return;
  for (base::TimeNs waited = for_how_long; passed() < enough && waited < kPatience; waited += kGlance) {
    connection.renew_needed();
    environment.rest(kGlance);
  }
  if (passed() < enough) {
    environment.leave_incomplete(
        fmt::format("no frame went from pin {} to pin {} in two seconds, or only one", pair.source.pin, pair.sink.pin));
  }
}

// Each pair once; it streams. False when there is none: the scenario has nothing to play with.
bool connect_all(KsEnvironment& environment, base::TimeNs for_how_long,
                 std::initializer_list<KsConnection::Allocator> allocators) {
  KsPlayer player(environment, "builder");
  player.open_filters();
  std::vector<KsPinPair> pairs = streaming_pairs_of(player);
  for (const KsPinPair& pair : pairs) {
    for (auto whose : allocators) {
      KsConnection connection(player, pair);
      if (!opened(environment, connection, pair)) continue;
      connection.choose_allocator(whose);  // a pin need not have one
      run_connection(environment, connection, pair, for_how_long);
      connection.go(KSSTATE_STOP);
      connection.close_in_any_order();
    }
  }
  player.close_in_any_order();
  return !pairs.empty();
}

bool try_connecting(KsEnvironment& environment) {
  return connect_all(environment, kGlance, {KsConnection::Allocator::None});
}

void connect(ScenarioContext& context) {
  KsEnvironment environment(context, seeded_policy(context));
  if (!environment.started()) return;
  connect_all(environment, 300 * kMillisecond, {KsConnection::Allocator::Sources, some_allocator(environment)});
}

// Handles go in any order and state.
void connect_any_order(ScenarioContext& context) {
  KsEnvironment environment(context, seeded_policy(context));
  if (!environment.started() || !try_connecting(environment)) return;
  KsPlayer player(environment, "breaker");
  player.open_filters();
  for (const KsPinPair& pair : streaming_pairs_of(player)) {
    KsConnection connection(player, pair);
    if (!opened(environment, connection, pair)) continue;
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
  if (!environment.started() || !try_connecting(environment)) return;
  KsPlayer player(environment, "mortal");
  player.open_filters();
  for (const KsPinPair& pair : streaming_pairs_of(player)) {
    KsConnection connection(player, pair);
    if (!opened(environment, connection, pair)) continue;
    connection.choose_allocator(some_allocator(environment));
    connection.go(static_cast<KSSTATE>(environment.choose(4)));
    environment.rest(environment.choose(80) * kMillisecond);
  }
  player.program().end();
}

void connect_removal(ScenarioContext& context) {
  KsEnvironment environment(context, seeded_policy(context));
  if (!environment.started() || !try_connecting(environment)) return;
  KsPlayer player(environment, "builder");
  player.open_filters();
  for (const KsPinPair& pair : streaming_pairs_of(player)) {
    KsConnection connection(player, pair);
    if (!opened(environment, connection, pair)) continue;
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
  size_t allocators = 0, allocated = 0;
  for (const KsPinPair& pair : pairs_of(player)) {
    for (auto whose : {KsConnection::Allocator::Sources, KsConnection::Allocator::Sinks}) {
      KsConnection connection(player, pair);
      if (!opened(environment, connection, pair)) continue;
      if (!connection.choose_allocator(whose)) {  // the pin need not have one
        connection.close_in_any_order();
        continue;
      }
      ++allocators;
      KSMETHOD method{};
      method.Set = KSMETHODSETID_StreamAllocator;
      auto file = environment.machine().files().find(&player.program().process(), connection.allocator(), UserMode);
      CHECK(file.ok());
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
        if (requests[i]->pending() || !NT_SUCCESS(requests[i]->status().Status)) continue;
        ++allocated;
        if (environment.choose(3) == 0) continue;
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
  if (allocators == 0) environment.skip("no pin provides an allocator");
  if (allocators != 0 && allocated == 0) environment.leave_incomplete("no allocator gave a frame");
  player.close_in_any_order();
}

// Whether it connects at all is tried before, in a life of its own.
void connect_low_memory(ScenarioContext& context) {
  if (!context.failing) {
    KsEnvironment before(context);
    if (!before.started() || !try_connecting(before)) return;
  }
  context.image.restore();
  context.fail_allocation(1 + static_cast<uint32_t>(context.seed % 40));
  KsEnvironment environment(context, seeded_policy(context));
  if (!environment.started()) return;
  connect_all(environment, kGlance, {KsConnection::Allocator::Sources, some_allocator(environment)});
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
