// Life and death of allocations through the thunks, on a live machine: a client in this process, a driver that does
// nothing but answer. What is measured is the kernel.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <fstream>
#include <iterator>
#include <memory>
#include <thread>
#include <unordered_map>
#include <vector>

#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/adapter_hardware.h"
#include "dxgk/object/device.h"
#include "dxgk/testing/fake_miniport.h"
#include "kmt/testing/bench_adapter.h"
#include "kmt/testing/program.h"
#include "nt/io/device_objects.h"
#include "nt/mm/pool.h"
#include "nt/testing/bench_machine.h"

namespace kmt::testing {
namespace {

constexpr UINT kMany = 1024;  // allocations that one call destroys

// The test driver records what it is told; these four only answer, on any number of threads.
struct QuickDriver {
  static NTSTATUS create(IN_CONST_HANDLE, INOUT_PDXGKARG_CREATEALLOCATION args) {
    static std::atomic<uintptr_t> last{0x1000};
    for (UINT i = 0; i < args->NumAllocations; ++i) {
      DXGK_ALLOCATIONINFO& info = args->pAllocationInfo[i];
      info.Size = 4096;
      info.Flags.CpuVisible = 1;
      info.SupportedReadSegmentSet = info.SupportedWriteSegmentSet = 1;
      info.PreferredSegment.SegmentId0 = 1;
      info.AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
      info.hAllocation = reinterpret_cast<HANDLE>(last.fetch_add(16, std::memory_order_relaxed));
    }
    return STATUS_SUCCESS;
  }
  static NTSTATUS open(IN_CONST_HANDLE, IN_CONST_PDXGKARG_OPENALLOCATION args) {
    for (UINT i = 0; i < args->NumAllocations; ++i) {
      args->pOpenAllocation[i].hDeviceSpecificAllocation = reinterpret_cast<HANDLE>(uintptr_t{16});
    }
    return STATUS_SUCCESS;
  }
  static NTSTATUS close(IN_CONST_HANDLE, IN_CONST_PDXGKARG_CLOSEALLOCATION) { return STATUS_SUCCESS; }
  static NTSTATUS destroy(IN_CONST_HANDLE, IN_CONST_PDXGKARG_DESTROYALLOCATION) { return STATUS_SUCCESS; }
};

// A live machine with a started adapter, for the length of `body`. The GPU may have so much of system memory.
void with_adapter(const std::function<void(dxgk::Kernel&, dxgk::Adapter&)>& body, uint64_t commit_bytes = 0) {
  dxgk::testing::FakeMiniport driver;
  if (commit_bytes != 0) driver.segments[0].CommitLimit = commit_bytes;
  driver.table.DxgkDdiCreateAllocation = &QuickDriver::create;
  driver.table.DxgkDdiOpenAllocation = &QuickDriver::open;
  driver.table.DxgkDdiCloseAllocation = &QuickDriver::close;
  driver.table.DxgkDdiDestroyAllocation = &QuickDriver::destroy;
  nt::MachineOptions options;
  options.pace = nt::Pace::Live;
  nt::run_to_end(options, [&](nt::Machine& machine) {
    dxgk::Kernel kernel(machine, {});
    dxgk::Adapter& adapter = testing::add_quick_adapter(machine, kernel, driver);
    body(kernel, adapter);
    adapter.remove();
  });
}

// One allocation of a page.
struct OneAllocation {
  OneAllocation(Program& program, D3DKMT_CREATEALLOCATIONFLAGS flags) {
    info.pPrivateDriverData = &bytes;
    info.PrivateDriverDataSize = sizeof(bytes);
    args.hDevice = program.device;
    args.NumAllocations = 1;
    args.pAllocationInfo = &info;
    args.Flags = flags;
    CHECK(CreateAllocation(program.client, &args) == STATUS_SUCCESS);
  }
  uint64_t bytes = 4096;
  D3DDDI_ALLOCATIONINFO info{};
  D3DKMT_CREATEALLOCATION args{};
};

D3DKMT_HANDLE create_one(Program& program) { return OneAllocation(program, {}).info.hAllocation; }

void destroy_one(Program& program, D3DKMT_HANDLE handle) {
  D3DKMT_DESTROYALLOCATION2 args{
      .hDevice = program.device, .hResource = 0, .phAllocationList = &handle, .AllocationCount = 1, .Flags = {}};
  CHECK(DestroyAllocation2(program.client, &args) == STATUS_SUCCESS);
}

// The floor: what every implementation needs. Each allocation has memory and a place under its handle, and the driver's
// four routines are called.
class PlainAllocations {
 public:
  PlainAllocations() { benchmark::DoNotOptimize(driver_); }

  D3DKMT_HANDLE create() {
    DXGK_ALLOCATIONINFO info{};
    DXGKARG_CREATEALLOCATION create{};
    create.NumAllocations = 1;
    create.pAllocationInfo = &info;
    driver_.create(nullptr, &create);
    DXGK_OPENALLOCATIONINFO opened{};
    DXGKARG_OPENALLOCATION open{};
    open.NumAllocations = 1;
    open.pOpenAllocation = &opened;
    driver_.open(nullptr, &open);
    allocations_[++last_] = std::make_unique<DXGK_ALLOCATIONINFO>(info);
    return last_;
  }
  void destroy(D3DKMT_HANDLE handle) {
    DXGKARG_CLOSEALLOCATION close{};
    driver_.close(nullptr, &close);
    DXGKARG_DESTROYALLOCATION destroy{};
    driver_.destroy(nullptr, &destroy);
    allocations_.erase(handle);
  }

 private:
  struct Routines {
    decltype(&QuickDriver::create) create = &QuickDriver::create;
    decltype(&QuickDriver::open) open = &QuickDriver::open;
    decltype(&QuickDriver::close) close = &QuickDriver::close;
    decltype(&QuickDriver::destroy) destroy = &QuickDriver::destroy;
  };
  Routines driver_;
  std::unordered_map<D3DKMT_HANDLE, std::unique_ptr<DXGK_ALLOCATIONINFO>> allocations_;
  D3DKMT_HANDLE last_ = 0;
};

void BM_PlainCreateDestroy(benchmark::State& state) {
  PlainAllocations plain;
  for (int64_t i = 0; i < state.range(0); ++i) plain.create();
  for (auto _ : state) plain.destroy(plain.create());
}
BENCHMARK(BM_PlainCreateDestroy)->ArgName("live")->Arg(1)->Arg(1000)->UseRealTime();

void BM_PlainDestroyMany(benchmark::State& state) {
  PlainAllocations plain;
  std::vector<D3DKMT_HANDLE> handles(kMany);
  for (auto _ : state) {
    state.PauseTiming();
    for (D3DKMT_HANDLE& handle : handles) handle = plain.create();
    state.ResumeTiming();
    for (D3DKMT_HANDLE handle : handles) plain.destroy(handle);
  }
}
BENCHMARK(BM_PlainDestroyMany)->UseRealTime();

enum class Victim { Oldest, Newest };

// One created and one destroyed, while `live` others exist.
void create_destroy(benchmark::State& state, Victim victim) {
  with_adapter([&](dxgk::Kernel& kernel, dxgk::Adapter& adapter) {
    Program program(kernel, "bench");
    program.start(adapter);
    std::deque<D3DKMT_HANDLE> live;
    for (int64_t i = 0; i < state.range(0); ++i) live.push_back(create_one(program));
    for (auto _ : state) {
      live.push_back(create_one(program));
      if (victim == Victim::Oldest) {
        destroy_one(program, live.front());
        live.pop_front();
      } else {
        destroy_one(program, live.back());
        live.pop_back();
      }
    }
    state.SetItemsProcessed(state.iterations());
  });
}
void BM_CreateDestroyOldest(benchmark::State& state) { create_destroy(state, Victim::Oldest); }
void BM_CreateDestroyNewest(benchmark::State& state) { create_destroy(state, Victim::Newest); }
BENCHMARK(BM_CreateDestroyOldest)->ArgName("live")->Arg(1)->Arg(1000)->Arg(1000'000)->UseRealTime();
BENCHMARK(BM_CreateDestroyNewest)->ArgName("live")->Arg(1)->Arg(1000)->Arg(1000'000)->UseRealTime();

D3DKMT_HANDLE create_shared(Program& program, D3DKMT_HANDLE* global = nullptr) {
  D3DKMT_CREATEALLOCATIONFLAGS flags{};
  flags.CreateResource = flags.CreateShared = 1;
  OneAllocation one(program, flags);
  if (global) *global = one.args.hGlobalShare;
  return one.args.hResource;
}

D3DKMT_HANDLE open_shared(Program& program, D3DKMT_HANDLE global) {
  uint64_t bytes = 0;
  uint8_t data[256] = {};
  D3DDDI_OPENALLOCATIONINFO info{};
  D3DKMT_QUERYRESOURCEINFO query{};
  query.hDevice = program.device;
  query.hGlobalShare = global;
  CHECK(QueryResourceInfo(program.client, &query) == STATUS_SUCCESS);
  CHECK(query.NumAllocations == 1 && query.TotalPrivateDriverDataSize <= sizeof(data));
  D3DKMT_OPENRESOURCE args{};
  args.hDevice = program.device;
  args.hGlobalShare = global;
  args.NumAllocations = 1;
  args.pOpenAllocationInfo = &info;
  args.pPrivateRuntimeData = &bytes;
  args.PrivateRuntimeDataSize = query.PrivateRuntimeDataSize;
  args.pTotalPrivateDriverDataBuffer = data;
  args.TotalPrivateDriverDataBufferSize = query.TotalPrivateDriverDataSize;
  args.pResourcePrivateDriverData = data;
  args.ResourcePrivateDriverDataSize = query.ResourcePrivateDriverDataSize;
  CHECK(OpenResource(program.client, &args) == STATUS_SUCCESS);
  return args.hResource;
}

// One resource that another process has open so often. A device of this one opens it, asks whether it has it open, and
// closes it; what is asked is what its destruction asks where the memory is in use.
void growth_open_resource(benchmark::State& state) {
  with_adapter([&](dxgk::Kernel& kernel, dxgk::Adapter& adapter) {
    Program crowd(kernel, "crowd"), program(kernel, "bench");
    crowd.start(adapter);
    program.start(adapter);
    D3DKMT_HANDLE global = 0;
    D3DKMT_HANDLE made = create_shared(crowd, &global);
    for (int64_t i = 1; i < state.range(0); ++i) open_shared(crowd, global);
    base::Ref<dxgk::Device> device = program.client.find<dxgk::Device>(program.device).take();
    base::Ref<dxgk::ResourceView> view = crowd.client.find<dxgk::ResourceView>(made).take();
    dxgk::Resource& resource = view->resource();
    for (auto _ : state) {
      D3DKMT_HANDLE opened = open_shared(program, global);
      CHECK(resource.views.has(*device, *resource.allocations.front()));
      CHECK(!resource.views.has_elsewhere(*device, *resource.allocations.front()));
      CHECK(destroy_resource(program, opened) == STATUS_SUCCESS);
      CHECK(!resource.views.has(*device, *resource.allocations.front()));
    }
  });
}
BENCHMARK(growth_open_resource)->Arg(1000)->Arg(100'000)->Arg(1000'000);

// The oldest of many shared resources goes, and another one comes.
void growth_shared_resource(benchmark::State& state) {
  with_adapter([&](dxgk::Kernel& kernel, dxgk::Adapter& adapter) {
    Program program(kernel, "bench");
    program.start(adapter);
    std::deque<D3DKMT_HANDLE> live;
    for (int64_t i = 0; i < state.range(0); ++i) live.push_back(create_shared(program));
    for (auto _ : state) {
      CHECK(destroy_resource(program, live.front()) == STATUS_SUCCESS);
      live.pop_front();
      live.push_back(create_shared(program));
    }
  });
}
BENCHMARK(growth_shared_resource)->Arg(1000)->Arg(100'000)->Arg(1000'000);

// One that has to wait for work of its device, beside many that wait for work of another device.
void growth_waiting_destruction(benchmark::State& state) {
  with_adapter([&](dxgk::Kernel& kernel, dxgk::Adapter& adapter) {
    Program stuck(kernel, "stuck"), program(kernel, "bench");
    stuck.start(adapter);
    program.start(adapter);
    base::Ref<dxgk::Device> busy = stuck.client.find<dxgk::Device>(stuck.device).take();
    base::Ref<dxgk::Device> device = program.client.find<dxgk::Device>(program.device).take();
    uint64_t last = busy->work().queue();
    for (int64_t i = 0; i < state.range(0); ++i) destroy_one(stuck, create_one(stuck));
    for (auto _ : state) {
      uint64_t queued = device->work().queue();
      destroy_one(program, create_one(program));
      device->work().complete(queued);
      adapter.destructions().drain(*device);
    }
    busy->work().complete(last);
    adapter.destructions().drain();
  });
}
BENCHMARK(growth_waiting_destruction)->Arg(1000)->Arg(100'000)->Arg(1000'000)->MeasureProcessCPUTime();

// So many in one call; the time of their creation is not counted.
void BM_DestroyMany(benchmark::State& state) {
  with_adapter([&](dxgk::Kernel& kernel, dxgk::Adapter& adapter) {
    Program program(kernel, "bench");
    program.start(adapter);
    std::vector<D3DKMT_HANDLE> handles(kMany);
    for (auto _ : state) {
      state.PauseTiming();
      for (D3DKMT_HANDLE& handle : handles) handle = create_one(program);
      state.ResumeTiming();
      D3DKMT_DESTROYALLOCATION2 args{.hDevice = program.device,
                                     .hResource = 0,
                                     .phAllocationList = handles.data(),
                                     .AllocationCount = kMany,
                                     .Flags = {}};
      CHECK(DestroyAllocation2(program.client, &args) == STATUS_SUCCESS);
    }
    state.SetItemsProcessed(state.iterations() * kMany);
  });
}
BENCHMARK(BM_DestroyMany)->UseRealTime();

// Two programs on one adapter, each on a thread of its own: a hundred lives each. A thread that waits gives up its
// processor; otherwise, with fewer processors than threads, the other could not get on.
void BM_TwoPrograms(benchmark::State& state) {
  constexpr int kLives = 100;
  with_adapter([&](dxgk::Kernel& kernel, dxgk::Adapter& adapter) {
    Program first(kernel, "first"), second(kernel, "second");
    first.start(adapter);
    second.start(adapter);
    std::atomic<int> rounds_asked{0}, rounds_done{0};
    std::atomic<bool> stop{false};
    auto live = [](Program& program) {
      for (int i = 0; i < kLives; ++i) destroy_one(program, create_one(program));
    };
    nt::Thread& peer = adapter.machine().create_thread("second", [&] {
      while (!stop) {
        if (rounds_done == rounds_asked) {
          std::this_thread::yield();
          continue;
        }
        live(second);
        ++rounds_done;
      }
    });
    for (auto _ : state) {
      ++rounds_asked;
      live(first);
      while (rounds_done != rounds_asked) std::this_thread::yield();
    }
    stop = true;
    nt::join(peer);
    state.SetItemsProcessed(state.iterations() * kLives * 2);
  });
}
BENCHMARK(BM_TwoPrograms)->UseRealTime();

// From then on it has system memory, of which nothing is touched.
void lock_and_unlock(Program& program, D3DKMT_HANDLE allocation) {
  D3DKMT_LOCK2 lock{};
  lock.hDevice = program.device;
  lock.hAllocation = allocation;
  CHECK(Lock2(program.client, &lock) == STATUS_SUCCESS && lock.pData);
  D3DKMT_UNLOCK2 unlock{};
  unlock.hDevice = program.device;
  unlock.hAllocation = allocation;
  CHECK(Unlock2(program.client, &unlock) == STATUS_SUCCESS);
}

size_t mappings() {
  std::ifstream maps("/proc/self/maps");
  return static_cast<size_t>(std::count(std::istreambuf_iterator<char>(maps), {}, '\n'));
}

// So many allocations, all of them resident at once and each of them locked once, in a process that may open 64 files.
// The time is that of one allocation, from its creation to its destruction, and `mappings` what the process has of them
// at the end.
void many_resident(benchmark::State& state) {
  constexpr size_t kAtOnce = 256;
  auto count = static_cast<size_t>(state.range(0));
  rlimit before{};
  CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit few = before;
  few.rlim_cur = 64;
  CHECK(setrlimit(RLIMIT_NOFILE, &few) == 0);
  auto live = [&](dxgk::Kernel& kernel, dxgk::Adapter& adapter) {
    Program program(kernel, "bench");
    program.start(adapter);
    D3DKMT_CREATEPAGINGQUEUE queue{};
    queue.hDevice = program.device;
    CHECK(CreatePagingQueue(program.client, &queue) == STATUS_SUCCESS);
    while (state.KeepRunningBatch(static_cast<int64_t>(count))) {
      std::vector<D3DKMT_HANDLE> all;
      for (size_t i = 0; i < count; ++i) all.push_back(create_one(program));
      for (size_t i = 0; i < count; i += kAtOnce) {
        D3DDDI_MAKERESIDENT args{};
        args.hPagingQueue = queue.hPagingQueue;
        args.NumAllocations = static_cast<UINT>(std::min(kAtOnce, count - i));
        args.AllocationList = &all[i];
        CHECK(MakeResident(program.client, &args) == STATUS_PENDING);
        D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait{};
        wait.hDevice = program.device;
        wait.ObjectCount = 1;
        wait.ObjectHandleArray = &queue.hSyncObject;
        wait.FenceValueArray = &args.PagingFenceValue;
        CHECK(WaitForSynchronizationObjectFromCpu(program.client, &wait) == STATUS_SUCCESS);
      }
      for (D3DKMT_HANDLE each : all) lock_and_unlock(program, each);
      std::vector<D3DKMT_ALLOCATIONRESIDENCYSTATUS> status(count);
      D3DKMT_QUERYALLOCATIONRESIDENCY query{};
      query.hDevice = program.device;
      query.phAllocationList = all.data();
      query.AllocationCount = static_cast<UINT>(count);
      query.pResidencyStatus = status.data();
      CHECK(QueryAllocationResidency(program.client, &query) == STATUS_SUCCESS);
      for (auto each : status) CHECK(each == D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINSHAREDMEMORY);
      state.counters["mappings"] = static_cast<double>(mappings());
      rusage usage{};
      getrusage(RUSAGE_SELF, &usage);
      state.counters["peak_MiB"] = static_cast<double>(usage.ru_maxrss) / 1024;
      for (D3DKMT_HANDLE each : all) destroy_one(program, each);
    }
  };
  with_adapter(live, count * 2 * 4096 + (64 << 20));
  CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
}
BENCHMARK(many_resident)->Arg(20'000)->Arg(1'000'000)->Iterations(1)->MeasureProcessCPUTime()->UseRealTime();

}  // namespace
}  // namespace kmt::testing
