// A display miniport driver that calls the graphics kernel with whatever arguments, from wherever it is called, while
// two clients make it work: DeviceHandles that are none, handles of clients that live, lived or never did, allocations
// of contexts that are gone, interrupts about fences that were never submitted.
#include "dxgk/testing/fuzz_callbacks.h"
#include "dxgk/testing/fuzz_graphics.h"
#include "kmt/testing/fuzz_client.h"

namespace kmt::testing {
namespace {

using base::testing::FuzzInput;
using dxgk::testing::FuzzGraphics;
using dxgk::testing::Model;

constexpr int kMostCalls = 32;

void fuzz(FuzzInput& input) {
  constexpr Model kModels[] = {Model::Wddm20, Model::Wddm13, Model::ComputeOnly, Model::RenderOnly};
  FuzzGraphics graphics(kModels[input.below(std::size(kModels))]);
  graphics.machine.options().seed = input.take<uint8_t>();
  graphics.machine.may_get_stuck = true;  // by a driver that keeps what it acquired, or waits for itself
  FuzzHandles* handles = nullptr;
  static const std::vector<D3DKMT_HANDLE> kNone;
  dxgk::testing::FuzzCallbacks callbacks(
      graphics.driver, input, [&](uint32_t kind) -> const std::vector<D3DKMT_HANDLE>& {
        return handles ? handles->of[kind % 2 ? static_cast<size_t>(Of::Allocation) : kind / 2 % kOfCount] : kNone;
      });
  graphics.run([&](dxgk::Kernel& kernel, dxgk::Adapter& adapter) {
    FuzzClient first(kernel, "first", adapter.luid()), second(kernel, "second", adapter.luid());
    handles = &first.handles;
    first.begin();
    second.begin();
    for (int calls = 0; calls < kMostCalls && !input.empty(); ++calls) {
      graphics.set_completes(!input.rarely(16));
      if (input.rarely(2)) {
        callbacks.call();
      } else {
        FuzzClient& caller = input.rarely(6) ? second : first;
        caller.call(static_cast<Thunk>(input.below(kThunkCount)), input, second.handles);
      }
    }
    handles = nullptr;
  });
}

}  // namespace
}  // namespace kmt::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  base::testing::FuzzInput input(data, size);
  kmt::testing::fuzz(input);
  return 0;
}
