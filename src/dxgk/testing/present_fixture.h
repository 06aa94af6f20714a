#pragma once

#include <functional>
#include <span>
#include <vector>

#include "dxgk/object/context.h"
#include "dxgk/present/present.h"
#include "dxgk/testing/client_fixture.h"

namespace dxgk::testing {

// For tests: a present by the handles of its allocations.
struct Present {
  D3DKMT_HANDLE source = 0;
  D3DKMT_HANDLE destination = 0;
  DXGK_PRESENTFLAGS flags{};
  uint32_t color = 0;
  RECT from{0, 0, 8, 8};
  RECT to{0, 0, 8, 8};
  std::vector<RECT> parts{{0, 0, 8, 8}};
  std::span<const uint8_t> private_data;
};

inline Present blt(D3DKMT_HANDLE source, D3DKMT_HANDLE destination) {
  Present present;
  present.source = source;
  present.destination = destination;
  present.flags.Blt = 1;
  return present;
}
inline Present color_fill(D3DKMT_HANDLE destination, uint32_t color) {
  Present present;
  present.destination = destination;
  present.flags.ColorFill = 1;
  present.color = color;
  return present;
}

inline NTSTATUS present(Context& context, const Present& what) {
  ParkingLock lock(context.device().mutex());
  ob::KmtHandleTable& handles = context.device().process().handles();
  PresentCall call;
  if (what.source) call.listed[DXGK_PRESENT_SOURCE_INDEX].view = handles.get<AllocationView>(what.source).take();
  call.listed[DXGK_PRESENT_DESTINATION_INDEX] = {handles.get<AllocationView>(what.destination).take(), true};
  call.flags = what.flags;
  call.color = what.color;
  call.from = what.from;
  call.to = what.to;
  call.parts = what.parts;
  call.private_data = what.private_data;
  return dxgk::present(context, call).status();
}

// For tests of presents: a client with two allocations and a context. Base is GpuTest or RenderTest.
template <typename Base>
class SceneTest : public Base {
 protected:
  using Base::Base;

  struct Scene {
    typename Base::Client client;
    Made made;
    base::Ref<Context> context;
  };
  void run_scene(const std::function<void(Scene&)>& body) {
    this->run_started([&](Adapter& adapter) {
      typename Base::Client client = this->open(adapter);
      Scene scene{client, this->create(client, this->flags(false), 2), this->make_context(client)};
      this->driver.log.clear();
      body(scene);
      client.process->end();
    });
    EXPECT_TRUE(this->driver.empty());
    EXPECT_THAT(this->driver.complaints, ::testing::IsEmpty());
  }
  static NTSTATUS copy(Scene& scene) {
    return testing::present(*scene.context, blt(scene.made.allocations[0], scene.made.allocations[1]));
  }
};

}  // namespace dxgk::testing
