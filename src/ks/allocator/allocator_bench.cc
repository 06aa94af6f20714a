#include <benchmark/benchmark.h>

#include <vector>

#include "ks/exports/function_table.h"
#include "ks/testing/allocator_fixture.h"
#include "nt/testing/bench_machine.h"

// What a frame costs that is allocated and freed. The goals are 500 ns through the function table and 3 µs through
// IRPs, whether none or 100,000 other frames are out.

namespace ks::testing {
namespace {

// A driver's allocator that does next to nothing: a stack of frames in one block of contiguous memory.
struct Stack {
  static constexpr size_t kFrames = 100'100;
  static constexpr size_t kBytes = 512;

  static NTSTATUS initialize(PKSPIN, PKSALLOCATOR_FRAMING, PVOID* context) {
    auto* self = new Stack;
    PHYSICAL_ADDRESS highest;
    highest.QuadPart = INT64_MAX;
    self->memory = static_cast<char*>(MmAllocateContiguousMemory(kFrames * kBytes, highest));
    for (size_t i = kFrames; i-- > 0;) self->unused.push_back(self->memory + i * kBytes);
    *context = self;
    return STATUS_SUCCESS;
  }
  static void* allocate(void* context) {
    auto& unused = static_cast<Stack*>(context)->unused;
    void* frame = unused.back();
    unused.pop_back();
    return frame;
  }
  static void free(void* context, void* frame) { static_cast<Stack*>(context)->unused.push_back(frame); }
  static void remove(void* context) {
    auto* self = static_cast<Stack*>(context);
    MmFreeContiguousMemory(self->memory);
    delete self;
  }
  static constexpr KSALLOCATOR_DISPATCH kDispatch = {initialize, remove, allocate, free};

  char* memory = nullptr;
  std::vector<void*> unused;
};

// The fixture without its test.
class Bench : public AllocatorTest {
 public:
  Bench() { options = nt::endless_options(); }
  void TestBody() override {}

  template <typename Body>
  void with_allocator(int64_t outstanding, const KSALLOCATOR_DISPATCH* own, Body&& body) {
    driver.pin[1].Allocator = own;
    run_driver([&] {
      KSALLOCATOR_FRAMING wanted = framing(0, Stack::kBytes);
      wanted.OptionsFlags = own ? 0 : KSALLOCATOR_OPTIONF_SYSTEM_MEMORY;
      FILE_OBJECT* file = open(open_pin(open_filter(), 1), wanted).take();
      for (int64_t i = 0; i < outstanding; ++i) node(file).allocate();
      body(machine(), *file);
      close(file);
    });
  }
  NTSTATUS free_frame(FILE_OBJECT& file, void* frame) { return free(file, frame); }
};

// The floor: the driver's two routines, called without the class.
void BM_DriverAlone(benchmark::State& state) {
  std::vector<char> memory(Stack::kBytes);
  Stack stack{memory.data(), {memory.data()}};
  KSALLOCATOR_DISPATCH dispatch = Stack::kDispatch;
  benchmark::DoNotOptimize(dispatch);
  for (auto _ : state) {
    void* frame = dispatch.Allocate(&stack);
    benchmark::DoNotOptimize(frame);
    dispatch.Free(&stack, frame);
  }
}
BENCHMARK(BM_DriverAlone);

void function_table(benchmark::State& state, const KSALLOCATOR_DISPATCH* own) {
  Bench bench;
  bench.with_allocator(state.range(0), own, [&](nt::Machine&, FILE_OBJECT& file) {
    for (auto _ : state) {
      void* frame = nullptr;
      kFunctionTable.AllocateFrame(&file, &frame);
      benchmark::DoNotOptimize(frame);
      kFunctionTable.FreeFrame(&file, frame);
    }
  });
}

void BM_FunctionTable(benchmark::State& state) { function_table(state, &Stack::kDispatch); }
BENCHMARK(BM_FunctionTable)->Arg(0)->Arg(1000)->Arg(100'000);

void BM_FunctionTableOfTheDefaultAllocator(benchmark::State& state) { function_table(state, nullptr); }
BENCHMARK(BM_FunctionTableOfTheDefaultAllocator)->Arg(0)->Arg(100'000);

void BM_Irps(benchmark::State& state) {
  Bench bench;
  bench.with_allocator(state.range(0), &Stack::kDispatch, [&](nt::Machine& machine, FILE_OBJECT& file) {
    for (auto _ : state) {
      AllocRequest alloc(machine);
      alloc.send(file);
      bench.free_frame(file, alloc.frame);
    }
  });
}
BENCHMARK(BM_Irps)->Arg(0)->Arg(100'000);

}  // namespace
}  // namespace ks::testing
