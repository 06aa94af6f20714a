// A display miniport driver that answers whatever the fuzzer says: capabilities, segments, descriptions of allocations,
// handles, ends of buffers, statuses, interrupts. Two clients make it work. The driver is refused, or found at fault,
// or served; none of its numbers reaches the memory manager or the scheduler without having been judged.
#include "dxgk/testing/altered_answers.h"
#include "dxgk/testing/fuzz_graphics.h"
#include "kmt/testing/fuzz_client.h"

namespace kmt::testing {
namespace {

using base::testing::FuzzInput;
using dxgk::testing::FuzzGraphics;
using dxgk::testing::Model;

constexpr int kMostCalls = 32;

// What makes the driver do something, more often than other functions.
constexpr Thunk kWork[] = {Thunk::CreateAllocation,
                           Thunk::CreateAllocation,
                           Thunk::OpenResource,
                           Thunk::DestroyAllocation2,
                           Thunk::CreateContext,
                           Thunk::CreateContextVirtual,
                           Thunk::Render,
                           Thunk::Render,
                           Thunk::SubmitCommand,
                           Thunk::Present,
                           Thunk::MakeResident,
                           Thunk::MakeResident,
                           Thunk::MapGpuVirtualAddress,
                           Thunk::Evict,
                           Thunk::Lock2,
                           Thunk::QueryAdapterInfo,
                           Thunk::Escape,
                           Thunk::CreateDevice};

void fuzz(FuzzInput& input) {
  constexpr Model kModels[] = {Model::Wddm20, Model::Wddm13, Model::ComputeOnly, Model::RenderOnly, Model::DisplayOnly};
  FuzzGraphics graphics(kModels[input.below(std::size(kModels))]);
  graphics.machine.options().seed = input.take<uint8_t>();
  graphics.machine.may_get_stuck = true;  // by a driver that does not do what it was asked for
  if (input.rarely(2)) {
    graphics.driver.build_paging = [](DXGKARG_BUILDPAGINGBUFFER& args) {
      if (args.DmaSize < 64) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
      args.pDmaBuffer = static_cast<uint8_t*>(args.pDmaBuffer) + 64;
      return STATUS_SUCCESS;
    };
  }
  uint32_t segment = 1 + input.below(2);
  graphics.driver.describe = [segment](DXGK_ALLOCATIONINFO& info, UINT) {
    info.SupportedWriteSegmentSet = info.SupportedReadSegmentSet = segment;
    info.PreferredSegment.SegmentId0 = segment;
    info.Flags.CpuVisible = segment == 1;
  };
  graphics.alter_interrupt = [&](DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
    if (!input.rarely(8)) return;
    data.InterruptType = static_cast<DXGK_INTERRUPT_TYPE>(1 + input.below(20));
    if (input.rarely(2)) input.corrupt(&data, sizeof(data));
  };
  dxgk::testing::AlteredAnswers altered(graphics.driver, input);
  graphics.run([&](dxgk::Kernel& kernel, dxgk::Adapter& adapter) {
    FuzzClient first(kernel, "first", adapter.luid()), second(kernel, "second", adapter.luid());
    first.begin();
    second.begin();
    for (int calls = 0; calls < kMostCalls && !input.empty(); ++calls) {
      graphics.set_completes(!input.rarely(16));
      bool work = !input.rarely(4);
      auto thunk = work ? kWork[input.below(std::size(kWork))] : static_cast<Thunk>(input.below(kThunkCount));
      FuzzClient& caller = input.rarely(6) ? second : first;
      caller.call(thunk, input, second.handles);
    }
  });
}

}  // namespace
}  // namespace kmt::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  base::testing::FuzzInput input(data, size);
  kmt::testing::fuzz(input);
  return 0;
}
