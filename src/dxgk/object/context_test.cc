// Contexts at the driver.
#include "dxgk/object/context.h"

#include "dxgk/testing/gpu_fixture.h"

namespace dxgk {
namespace {

using testing::GpuTest;

class ContextTest : public GpuTest {
 protected:
  // The timeline that the device's next context gets.
  static Timeline* next_timeline(Device& device) {
    ParkingLock lock(device.mutex());
    Timeline& timeline = device.lend_timeline();
    device.return_timeline(timeline);
    return &timeline;
  }
};

TEST_F(ContextTest, OneThatTheDriverRefusesLeavesNothing) {
  auto ended = run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    Timeline* timeline = next_timeline(*client.device);
    driver.create_context = [](const DXGKARG_CREATECONTEXT&) { return STATUS_NO_MEMORY; };
    EXPECT_EQ(Context::create(*client.device, {}, {}).status(), STATUS_NO_MEMORY);
    EXPECT_FALSE(client.device->mutex().locked());
    EXPECT_EQ(next_timeline(*client.device), timeline) << "it was given back";
    EXPECT_TRUE(client.device->contexts.empty());
    EXPECT_EQ(driver.calls(Ddi::DestroyContext), 0u);

    driver.create_context = nullptr;
    base::Ref<Context> context = make_context(client);
    destroy(client, *context);
    EXPECT_EQ(driver.calls(Ddi::DestroyContext), 1u);
    client.process->end();
  });
  EXPECT_EQ(ended, nt::Machine::Ended::Returned);
  EXPECT_TRUE(driver.empty());
  EXPECT_THAT(driver.complaints, ::testing::IsEmpty());
  EXPECT_THAT(broken(), ::testing::IsEmpty());
}

}  // namespace
}  // namespace dxgk
