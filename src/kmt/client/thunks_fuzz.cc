// Two clients that call D3DKMT functions with whatever arguments: structures, counts, flags, handles that live, lived
// and belong to the other, memory that is all there, half there or not at all. They are served or refused; the driver,
// which is a correct one, is never called with something that makes no sense, and is left with nothing.
#include "dxgk/testing/fuzz_graphics.h"
#include "kmt/testing/fuzz_client.h"

namespace kmt::testing {
namespace {

using base::testing::FuzzInput;
using dxgk::testing::FuzzGraphics;
using dxgk::testing::Model;

constexpr int kMostCalls = 48;

// Its waits are the client's own decision: a queue that waits for a signal that never comes holds up what waits for it.
bool waits_in_queue(Thunk thunk) {
  return thunk == Thunk::WaitForSynchronizationObject || thunk == Thunk::WaitForSynchronizationObject2 ||
         thunk == Thunk::WaitForSynchronizationObjectFromGpu;
}

void fuzz(FuzzInput& input) {
  constexpr Model kModels[] = {Model::Wddm20, Model::Wddm13, Model::ComputeOnly, Model::RenderOnly};
  FuzzGraphics graphics(kModels[input.below(4)]);
  if (input.rarely(3)) graphics.policy.flavour = dxgk::Flavour::Wsl;
  graphics.machine.options().seed = input.take<uint8_t>();
  auto ended = graphics.run([&](dxgk::Kernel& kernel, dxgk::Adapter& adapter) {
    FuzzClient first(kernel, "first", adapter.luid()), second(kernel, "second", adapter.luid());
    first.begin();
    second.begin();
    for (int calls = 0; calls < kMostCalls && !input.empty(); ++calls) {
      auto thunk = static_cast<Thunk>(input.below(kThunkCount));
      bool by_second = input.rarely(6);
      FuzzClient& caller = by_second ? second : first;
      NTSTATUS status = caller.call(thunk, input, (by_second ? first : second).handles);
      if (status >= 0 && waits_in_queue(thunk)) graphics.machine.may_get_stuck = true;
    }
  });
  for (const std::string& complaint : graphics.driver.complaints) CHECK_MSG(false, complaint.c_str());
  CHECK(ended != nt::Machine::Ended::Returned || graphics.driver.empty());
}

}  // namespace
}  // namespace kmt::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  base::testing::FuzzInput input(data, size);
  kmt::testing::fuzz(input);
  return 0;
}
