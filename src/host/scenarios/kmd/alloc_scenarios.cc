#include "host/scenarios/kmd/alloc_scenarios.h"

#include "dxgk/object/device.h"
#include "host/scenarios/kmd/alloc_client.h"
#include "host/scenarios/kmd/scenario_environment.h"

namespace host {
namespace {

using Kind = AllocClient::Kind;

// Starts the driver, lets `play` use it, and stops it again.
template <typename Play>
void on_adapter(ScenarioContext& context, Play play) {
  ScenarioEnvironment environment(context);
  if (environment.started()) play(environment.graphics());
}

uint32_t choose(nt::Machine& machine, uint32_t below) {
  return static_cast<uint32_t>(machine.executor().choose(below));
}

void rest(nt::Machine& machine, base::TimeNs duration) { machine.executor().sleep_for(duration); }

D3DDDICB_DESTROYALLOCATION2FLAGS flags(bool assume_not_in_use, bool synchronous) {
  D3DDDICB_DESTROYALLOCATION2FLAGS value{};
  value.AssumeNotInUse = assume_not_in_use;
  value.SynchronousDestroy = synchronous;
  return value;
}

// --- One client ---

void start_and_stop(ScenarioContext& context) { ScenarioEnvironment environment(context); }

// By list, by resource, one after the other; a child first and then its resource.
void create_and_destroy(ScenarioContext& context) {
  on_adapter(context, [&](Graphics& graphics) {
    AllocClient client(graphics, "client");
    if (!client.expect(client.open_device())) return;
    for (uint32_t round = 0; round < 4; ++round) {
      uint32_t count = 1 + choose(context.machine, 4);
      auto value = flags(choose(context.machine, 2), choose(context.machine, 2));
      if (auto alone = client.expect(client.create(Kind::Alone, count))) client.destroy_list(alone->allocations, value);
      if (auto whole = client.expect(client.create(Kind::Resource, count))) client.destroy_resource(*whole, value);
      if (auto parts = client.expect(client.create(Kind::Resource, count))) {
        for (D3DKMT_HANDLE part : parts->allocations) client.destroy_list({part}, value);
        client.destroy_resource(*parts, value);
      }
    }
    client.destroy_device();
  });
}

// A thread plays the GPU: it finishes the device's work after some time, and the destruction waits for it.
void under_queued_work(ScenarioContext& context) {
  on_adapter(context, [&](Graphics& graphics) {
    AllocClient client(graphics, "client");
    if (!client.expect(client.open_device())) return;
    base::Ref<dxgk::Device> device = base::Ref<dxgk::Device>::share(*client.device_object());
    dxgk::Timeline& work = device->work();
    bool more = true;
    ThreadGroup threads(context.machine);
    threads.add("gpu", [&] {
      while (more || !work.idle()) {
        if (!work.idle()) work.complete(work.completed() + 1);
        rest(context.machine, kMicrosecond * (1 + choose(context.machine, 50)));
      }
    });
    for (uint32_t round = 0; round < 6; ++round) {
      auto made = client.expect(
          client.create(choose(context.machine, 2) ? Kind::Resource : Kind::Alone, 1 + choose(context.machine, 3)));
      for (uint32_t i = choose(context.machine, 4); i > 0; --i) work.queue();
      if (!made) continue;
      auto value = flags(choose(context.machine, 4) == 0, choose(context.machine, 3) == 0);
      made->resource ? client.destroy_resource(*made, value) : client.destroy_list(made->allocations, value);
    }
    client.destroy_device();
    more = false;
  });
}

// Dies with everything open, some of it in flight.
void process_dies(ScenarioContext& context) {
  on_adapter(context, [&](Graphics& graphics) {
    AllocClient client(graphics, "client");
    if (!client.expect(client.open_device())) return;
    for (uint32_t i = 0; i < 4; ++i)
      client.expect(client.create(static_cast<Kind>(choose(context.machine, 4)), 1 + choose(context.machine, 3)));
    base::Ref<dxgk::Device> device = base::Ref<dxgk::Device>::share(*client.device_object());
    dxgk::Timeline& work = device->work();
    work.queue();
    ThreadGroup threads(context.machine);
    threads.add("gpu", [&] {
      rest(context.machine, kMicrosecond * choose(context.machine, 100));
      work.complete_all();
    });
    if (auto made = client.expect(client.create(Kind::Resource, 2))) client.destroy_resource(*made);
    client.end();
  });
}

void device_lost(ScenarioContext& context) {
  on_adapter(context, [&](Graphics& graphics) {
    AllocClient client(graphics, "client");
    if (!client.expect(client.open_device())) return;
    auto alone = client.expect(client.create(Kind::Alone, 2));
    auto resource = client.expect(client.create(Kind::Resource, 3));
    client.lose_device();
    CHECK(!client.create(Kind::Alone, 1));
    if (alone) CHECK(client.destroy_list(alone->allocations) == STATUS_SUCCESS);
    if (resource) CHECK(client.destroy_resource(*resource) == STATUS_SUCCESS);
    client.destroy_device();
  });
}

// A resource gets more allocations and loses others; the driver may give it another handle each time.
void grow_and_shrink(ScenarioContext& context) {
  on_adapter(context, [&](Graphics& graphics) {
    AllocClient client(graphics, "client");
    if (!client.expect(client.open_device())) return;
    auto made = client.expect(client.create(Kind::Resource, 1 + choose(context.machine, 2)));
    for (uint32_t round = 0; made && round < 3; ++round) {
      client.expect(client.add_to(*made, 1 + choose(context.machine, 2)));
      if (!made->allocations.empty() && choose(context.machine, 2)) {
        client.destroy_list({made->allocations.back()});
        made->allocations.pop_back();
      }
    }
    if (made && choose(context.machine, 2)) client.destroy_resource(*made);
    client.destroy_device();
  });
}

// What only some drivers have: surfaces that another adapter sees, and surfaces that are scanned out.
void system_surfaces(ScenarioContext& context) {
  on_adapter(context, [&](Graphics& graphics) {
    const dxgk::AdapterCaps& caps = graphics.adapter().caps();
    std::vector<dxgk::StandardKind> kinds;
    if (caps.driver.MemoryManagementCaps.CrossAdapterResource) kinds.push_back(dxgk::StandardKind::CrossAdapter);
    if (caps.sources > 0) kinds.push_back(dxgk::StandardKind::Primary);
    if (kinds.empty()) context.skip("the driver reports no cross-adapter resources and no display");
    AllocClient client(graphics, "client");
    if (!client.expect(client.open_device())) return;
    for (dxgk::StandardKind kind : kinds) {
      auto made = client.expect(client.create_system_surface(kind));
      if (made && choose(context.machine, 2)) client.destroy_resource(*made);
    }
    client.destroy_device();
  });
}

// --- Several clients ---

// One process creates, others open by global and by NT handle; all close in an order that the seed chooses.
void shared_between_processes(ScenarioContext& context) {
  on_adapter(context, [&](Graphics& graphics) {
    AllocClient creator(graphics, "creator"), opener(graphics, "opener");
    if (!creator.expect(creator.open_device()) || !opener.expect(opener.open_device())) return;
    auto made = creator.expect(creator.create(Kind::SharedGlobal, 1 + choose(context.machine, 3)));
    if (!made) return;
    std::optional<AllocClient::Made> opened;
    bool creator_has = true;
    for (uint32_t step = 0; step < 4; ++step) {
      switch (choose(context.machine, 3)) {
        case 0:
          if (!opened && creator_has) opened = opener.expect(opener.open(made->global_share));
          break;
        case 1:
          if (creator_has) creator.destroy_resource(*made);
          creator_has = false;
          break;
        case 2:
          if (opened) opener.destroy_resource(*opened);
          opened.reset();
          break;
      }
    }
    if (auto nt = creator.expect(creator.create(Kind::SharedNt, 2))) {
      auto handle = creator.expect(creator.share(*nt));
      creator.destroy_resource(*nt);
      if (handle) {
        auto again = creator.expect(creator.open(*handle));  // the NT handle has kept it
        if (choose(context.machine, 2) && again) creator.destroy_resource(*again);
      }
    }
  });
}

// The creator's device goes first, or its whole process; the opener has the resource for some time still.
void shared_outlives_creator(ScenarioContext& context) {
  on_adapter(context, [&](Graphics& graphics) {
    AllocClient creator(graphics, "creator"), opener(graphics, "opener");
    if (!creator.expect(creator.open_device()) || !opener.expect(opener.open_device())) return;
    auto made = creator.expect(creator.create(Kind::SharedGlobal, 1 + choose(context.machine, 2)));
    auto opened = made ? opener.expect(opener.open(made->global_share)) : std::nullopt;
    if (choose(context.machine, 2)) {
      creator.destroy_device();
    } else {
      creator.end();
    }
    if (!opened) return;
    if (auto alone = opener.expect(opener.create(Kind::Alone, 1))) opener.destroy_list(alone->allocations);
    if (choose(context.machine, 2)) opener.destroy_resource(*opened);
  });
}

// Each thread is a process of its own, doing one thing after the other.
void many_threads(ScenarioContext& context) {
  on_adapter(context, [&](Graphics& graphics) {
    ThreadGroup threads(context.machine);
    for (const char* name : {"first", "second", "third"}) {
      threads.add(name, [&graphics, &context, name] {
        AllocClient client(graphics, name);
        if (!client.expect(client.open_device())) return;
        std::vector<AllocClient::Made> live;
        for (uint32_t step = 0; step < 8; ++step) {
          if (live.empty() || choose(context.machine, 2)) {
            auto made = client.expect(client.create(Kind::Resource, 1 + choose(context.machine, 2)));
            if (made) live.push_back(*made);
          } else {
            client.destroy_resource(live.back());
            live.pop_back();
          }
        }
        if (choose(context.machine, 2)) client.destroy_device();
      });
    }
  });
}

// --- The adapter goes ---

template <typename Go>
void adapter_goes_any_time(ScenarioContext& context, Go go) {
  ScenarioEnvironment environment(context);
  if (!environment.started()) return;
  Graphics& graphics = environment.graphics();
  ThreadGroup threads(context.machine);
  threads.add("client", [&] {
    AllocClient client(graphics, "client");
    if (!client.expect(client.open_device())) return;
    for (uint32_t step = 0; step < 8; ++step) {
      auto made = client.expect(client.create(Kind::Resource, 2));
      if (made && choose(context.machine, 3)) CHECK(client.destroy_resource(*made) == STATUS_SUCCESS);
    }
  });
  rest(context.machine, kMicrosecond << choose(context.machine, 12));
  go(graphics);
}

void stop_any_time(ScenarioContext& context) {
  adapter_goes_any_time(context, [](Graphics& graphics) { graphics.adapter().stop(); });
}

void surprise_removal(ScenarioContext& context) {
  adapter_goes_any_time(context, [](Graphics& graphics) { graphics.surprise_remove(); });
}

void low_memory(ScenarioContext& context) {
  context.fail_allocation(1 + static_cast<uint32_t>(context.seed % 64));
  create_and_destroy(context);
}

void shared_low_memory(ScenarioContext& context) {
  context.fail_allocation(1 + static_cast<uint32_t>(context.seed % 64));
  shared_between_processes(context);
}

}  // namespace

std::vector<Scenario> alloc_scenarios() {
  using Needs = Scenario::Needs;
  return {
      {"alloc/start-stop", "the adapter starts and stops", &start_and_stop, Needs::Graphics},
      {"alloc/create-destroy", "by list, by resource, a child first; every flag", &create_and_destroy, Needs::Graphics},
      {"alloc/queued-work", "destroyed while the device's work is queued", &under_queued_work, Needs::Graphics},
      {"alloc/process-dies", "the client ends with everything open", &process_dies, Needs::Graphics},
      {"alloc/device-lost", "a lost device: destroy works, create does not", &device_lost, Needs::Graphics},
      {"alloc/grow", "a resource gets more allocations, and loses some", &grow_and_shrink, Needs::Graphics},
      {"alloc/system-surfaces", "cross-adapter surfaces and primaries, of drivers that have them", &system_surfaces,
       Needs::Graphics},
      {"alloc/shared", "global and NT handles between two processes", &shared_between_processes, Needs::Graphics},
      {"alloc/outlives-creator", "shared, and the creator's device goes first", &shared_outlives_creator,
       Needs::Graphics},
      {"alloc/threads", "three processes at once", &many_threads, Needs::Graphics},
      {"alloc/stop-any-time", "the adapter is stopped under a client", &stop_any_time, Needs::Graphics},
      {"alloc/surprise-removal", "the hardware is pulled out under a client", &surprise_removal, Needs::Graphics},
      {"alloc/low-memory", "create-destroy, and one pool allocation fails", &low_memory, Needs::Graphics, true},
      {"alloc/shared-low-memory", "shared, and one pool allocation fails", &shared_low_memory, Needs::Graphics, true},
  };
}

}  // namespace host
