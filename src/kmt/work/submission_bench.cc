// Submissions through the thunk, and what it takes to be woken by one. A driver that only answers, and a thread that is
// its hardware: it completes what it is given from an interrupt of its own.
#include <benchmark/benchmark.h>

#include <atomic>

#include "dxgk/adapter/adapter_hardware.h"
#include "dxgk/testing/fake_miniport.h"
#include "kmt/testing/bench_adapter.h"
#include "kmt/testing/program.h"
#include "nt/io/device_objects.h"
#include "nt/mm/pool.h"
#include "nt/testing/bench_machine.h"

namespace kmt::testing {
namespace {

constexpr KIRQL kDeviceIrql = 9;

// What the driver's hardware was given last; completing it completes all before it.
struct Hardware {
  nt::Machine& machine;
  dxgk::testing::FakeMiniport& driver;
  std::atomic<uint32_t> given{0};
  std::atomic<bool> over{false};
  std::atomic<base::Task*> task{nullptr};

  static inline Hardware* instance = nullptr;
  static NTSTATUS submit(IN_CONST_HANDLE, IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL args) {
    instance->given.store(args->SubmissionFenceId, std::memory_order_release);
    if (base::Task* sleeping = instance->task.load(std::memory_order_acquire)) {
      instance->machine.executor().unpark(*sleeping);
    }
    return STATUS_SUCCESS;
  }

  void run() {
    uint32_t done = 0;
    task.store(base::Executor::current(), std::memory_order_release);
    while (!over.load(std::memory_order_acquire)) {
      uint32_t fence = given.load(std::memory_order_acquire);
      if (fence == done) {
        machine.executor().park(base::kForever, base::Point::Wait);
        continue;
      }
      done = fence;
      DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
      data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
      data.DmaCompleted.SubmissionFenceId = fence;
      machine.raise_irql(kDeviceIrql);
      driver.interface.DxgkCbNotifyInterrupt(driver.device_handle(), &data);
      machine.lower_irql(DISPATCH_LEVEL);
      driver.interface.DxgkCbNotifyDpc(driver.device_handle());
      machine.lower_irql(PASSIVE_LEVEL);
    }
  }
};

void with_client(nt::Pace pace, const std::function<void(Program&, D3DKMT_HANDLE context, nt::Machine&)>& body) {
  dxgk::testing::FakeMiniport driver;
  driver.table.DxgkDdiSubmitCommandVirtual = &Hardware::submit;
  driver.table.DxgkDdiSetRootPageTable = [](IN_CONST_HANDLE, IN_CONST_PDXGKARG_SETROOTPAGETABLE) {};
  nt::MachineOptions options = nt::endless_options();
  options.pace = pace;
  nt::run_to_end(options, [&](nt::Machine& machine) {
    Hardware hardware{machine, driver};
    Hardware::instance = &hardware;
    dxgk::Kernel kernel(machine, {});
    dxgk::Adapter& adapter = testing::add_quick_adapter(machine, kernel, driver);
    nt::Thread& thread = machine.create_thread("hardware", [&] { hardware.run(); });
    thread.housekeeping = true;
    {
      Program program(kernel, "bench");
      program.start(adapter);
      D3DKMT_CREATECONTEXTVIRTUAL context{};
      context.hDevice = program.device;
      CHECK(CreateContextVirtual(program.client, &context) == STATUS_SUCCESS);
      body(program, context.hContext, machine);
      D3DKMT_DESTROYCONTEXT destroy{context.hContext};
      CHECK(DestroyContext(program.client, &destroy) == STATUS_SUCCESS);
    }
    hardware.over.store(true, std::memory_order_release);
    machine.executor().unpark(*thread.task);
    nt::join(thread);
    adapter.remove();
  });
}

void submit(Program& program, D3DKMT_HANDLE context) {
  D3DKMT_SUBMITCOMMAND args{};
  args.BroadcastContextCount = 1;
  args.BroadcastContext[0] = context;
  CHECK(SubmitCommand(program.client, &args) == STATUS_SUCCESS);
}

struct Fence {
  Fence(Program& owner, D3DKMT_HANDLE on) : program(owner), context(on) {
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 args{};
    args.hDevice = program.device;
    args.Info.Type = D3DDDI_MONITORED_FENCE;
    CHECK(CreateSynchronizationObject2(program.client, &args) == STATUS_SUCCESS);
    handle = args.hSyncObject;
  }
  void signal(UINT64 value) {
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU args{};
    args.hContext = context;
    args.ObjectCount = 1;
    args.ObjectHandleArray = &handle;
    args.MonitoredFenceValueArray = &value;
    CHECK(SignalSynchronizationObjectFromGpu(program.client, &args) == STATUS_SUCCESS);
  }
  void wait(UINT64 value) {
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU args{};
    args.hDevice = program.device;
    args.ObjectCount = 1;
    args.ObjectHandleArray = &handle;
    args.FenceValueArray = &value;
    CHECK(WaitForSynchronizationObjectFromCpu(program.client, &args) == STATUS_SUCCESS);
  }

  Program& program;
  D3DKMT_HANDLE context;
  D3DKMT_HANDLE handle = 0;
};

// The scheduler's thread waits with a deadline, and a simulated machine keeps a deadline until its time comes, whether
// or not the wait has ended. Hardly any virtual time passes in a benchmark, so they would fill the memory.
void let_deadlines_pass(nt::Machine& machine) {
  constexpr base::TimeNs kLongerThanAny = 10'000'000'000;
  machine.executor().sleep_for(kLongerThanAny);
}

// Budget: 200,000 a second, everything included: the thunk, the scheduler's thread, the driver, the interrupt.
void submissions_simulated(benchmark::State& state) {
  with_client(nt::Pace::Simulated, [&](Program& program, D3DKMT_HANDLE context, nt::Machine& machine) {
    Fence fence(program, context);
    uint64_t value = 0;
    for (auto _ : state) {
      if (value % 4096 == 4095) {
        state.PauseTiming();
        let_deadlines_pass(machine);
        state.ResumeTiming();
      }
      for (int i = 0; i < 16; ++i) submit(program, context);
      fence.signal(++value);
      fence.wait(value);
    }
    state.SetItemsProcessed(state.iterations() * 16);
  });
}
BENCHMARK(submissions_simulated);

// From the submission to the moment when the thread that waits for it goes on: to the scheduler's thread, to the
// hardware, and back. Beside it what three such hand-overs cost by themselves.
void submit_to_wake_live(benchmark::State& state) {
  with_client(nt::Pace::Live, [&](Program& program, D3DKMT_HANDLE context, nt::Machine&) {
    Fence fence(program, context);
    uint64_t value = 0;
    for (auto _ : state) {
      submit(program, context);
      fence.signal(++value);
      fence.wait(value);
    }
  });
}
BENCHMARK(submit_to_wake_live)->UseRealTime();

void three_hand_overs_live(benchmark::State& state) {
  nt::MachineOptions options;
  options.pace = nt::Pace::Live;
  nt::run_to_end(options, [&](nt::Machine& machine) {
    base::Executor& executor = machine.executor();
    base::Task* self = base::Executor::current();
    std::atomic<bool> over{false};
    std::atomic<int> turn{0};
    auto pass = [&](int mine, base::Task*& next) {
      while (!over.load()) {
        if (turn.load(std::memory_order_acquire) != mine) {
          executor.park(base::kForever, base::Point::Wait);
          continue;
        }
        turn.store((mine + 1) % 3, std::memory_order_release);
        executor.unpark(*next);
      }
    };
    base::Task* second_task = nullptr;
    std::atomic<int> ready{0};
    nt::Thread& second = machine.create_thread("second", [&] {
      ready.fetch_add(1);
      pass(2, self);
    });
    second_task = second.task;
    nt::Thread& first = machine.create_thread("first", [&] {
      ready.fetch_add(1);
      pass(1, second_task);
    });
    while (ready.load() != 2) executor.yield(base::Point::Yield);
    for (auto _ : state) {
      turn.store(1, std::memory_order_release);
      executor.unpark(*first.task);
      executor.park_until([&] { return turn.load(std::memory_order_acquire) == 0; }, base::Point::Wait);
    }
    over.store(true);
    for (nt::Thread* thread : {&first, &second}) {
      executor.unpark(*thread->task);
      nt::join(*thread);
    }
  });
}
BENCHMARK(three_hand_overs_live)->UseRealTime();

}  // namespace
}  // namespace kmt::testing
