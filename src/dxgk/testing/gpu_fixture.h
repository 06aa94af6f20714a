#pragma once

#include "dxgk/memory/video_memory.h"
#include "dxgk/object/context.h"
#include "dxgk/object/unpublished_handle.h"
#include "dxgk/testing/client_fixture.h"
#include "dxgk/work/gpu.h"
#include "dxgk/work/submit.h"

namespace dxgk::testing {

// For tests of work: contexts on the device of a client, and a GPU that completes what the test says.
class GpuTest : public ClientTest {
 protected:
  using ClientTest::ClientTest;

  base::Ref<Context> make_context(const Client& client, uint32_t node = 0) {
    auto created = Context::create(*client.device, {.node = node, .virtual_addressing = true}, {});
    CHECK_MSG(created.ok(), created.ok() ? "" : created.failure().why());
    auto opened = UnpublishedHandle<Context>::make(*client.process, created.take());
    CHECK(opened.ok());
    UnpublishedHandle<Context> made = opened.take();
    base::Ref<Context> context = base::Ref<Context>::share(*made);
    context->handle = made.handle();
    made.publish();
    return context;
  }
  void destroy(const Client& client, Context& context) {
    CHECK(close_handle<Context>(*client.process, context.handle).ok());
  }

  // An empty buffer: the fake driver looks at its fence alone.
  base::Result<> submit(const base::Ref<Context>& context) {
    ParkingLock lock(context->device().mutex());
    return submit_commands({&context, 1}, {});
  }
  // Until the driver has been given that many packets of clients.
  void wait_for_submissions(size_t count) {
    while (driver.calls(Ddi::SubmitCommandVirtual) < count) machine().executor().yield(base::Point::Yield);
  }

  // Until the machine's time has gone so far on.
  void let_pass(base::TimeNs duration) { machine().executor().sleep_for(duration); }
  static constexpr base::TimeNs kSecond = 1'000'000'000;

  // What the driver's interrupt and its DPC would do.
  void notify(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
    machine().raise_irql(kDeviceIrql);
    driver.interface.DxgkCbNotifyInterrupt(driver.device_handle(), &data);
    machine().lower_irql(DISPATCH_LEVEL);
    driver.interface.DxgkCbNotifyDpc(driver.device_handle());
    machine().lower_irql(PASSIVE_LEVEL);
  }
  void complete(uint32_t fence, uint32_t node = 0) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
    data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
    data.DmaCompleted.SubmissionFenceId = fence;
    data.DmaCompleted.NodeOrdinal = node;
    notify(data);
  }

 private:
  static constexpr KIRQL kDeviceIrql = 9;
};

}  // namespace dxgk::testing
