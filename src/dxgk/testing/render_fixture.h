#pragma once

#include <algorithm>
#include <vector>

#include "dxgk/object/context.h"
#include "dxgk/testing/client_fixture.h"
#include "dxgk/work/command_buffers.h"
#include "dxgk/work/render.h"
#include "nt/hardware/interrupts.h"
#include "nt/io/device_objects.h"
#include "nt/ke/dpc_queues.h"

namespace dxgk::testing {

// For tests of commands that are patched: a driver of WDDM 1.3 whose GPU completes what it was given at once, or when
// it is told to; and contexts with their command buffers.
class RenderTest : public ClientTest {
 protected:
  static constexpr uint32_t kVector = 0x41;

  RenderTest() : ClientTest(Model::Wddm13) {
    hardware.line = nt::InterruptLine{kVector, 6};
    driver.paging_segment = 0;
    driver.context_info.DmaBufferSize = 4096;
    driver.context_info.DmaBufferPrivateDataSize = 64;
    driver.context_info.AllocationListSize = 16;
    driver.context_info.PatchLocationListSize = 32;
    driver.describe = [](DXGK_ALLOCATIONINFO& info, UINT) {
      info.Flags.CpuVisible = 0;
      info.SupportedReadSegmentSet = info.SupportedWriteSegmentSet = 2;  // the local one
      info.PreferredSegment.SegmentId0 = 2;
    };
    driver.submit = [this](const DXGKARG_SUBMITCOMMAND& args) {
      running.push_back(args.SubmissionFenceId);
      if (completes_at_once) machine().interrupts().raise(kVector);
      return STATUS_SUCCESS;
    };
    driver.at[Ddi::InterruptRoutine] = [this] {
      for (UINT fence : running) notify_completed(fence);
      running.clear();
      driver.interface.DxgkCbQueueDpc(driver.device_handle());
    };
    driver.at[Ddi::DpcRoutine] = [this] { driver.interface.DxgkCbNotifyDpc(driver.device_handle()); };
  }

  // What is in the hardware is done.
  void complete() {
    machine().interrupts().raise(kVector);
    machine().deliver();
    machine().dpcs().flush();
    settle();
  }

  base::Ref<Context> make_context(const Client& client) {
    auto fresh = Context::create(*client.device, {}, {});
    CHECK_MSG(fresh.ok(), fresh.failure().why());
    base::Ref<Context> context = fresh.value().ref();
    auto buffers = context->make_command_buffers();
    CHECK_MSG(buffers.ok(), buffers.failure().why());
    auto reservation = client.process->handles().reserve();
    context->handle = reservation.value().handle();
    reservation.take().publish(fresh.take());
    return context;
  }

  // A packet of 32 bytes for each allocation, with its address at 8, that can be split before it.
  static std::vector<D3DDDI_PATCHLOCATIONLIST> patch_each(uint32_t count) {
    std::vector<D3DDDI_PATCHLOCATIONLIST> list(count);
    for (uint32_t i = 0; i < count; ++i) {
      list[i].AllocationIndex = i;
      list[i].SplitOffset = 32 * i;
      list[i].PatchOffset = 32 * i + 8;
    }
    return list;
  }
  // All of them written, in that order.
  static NTSTATUS render(Context& context, const std::vector<D3DKMT_HANDLE>& handles, bool null_rendering = false) {
    return render(context, handles, patch_each(static_cast<uint32_t>(handles.size())), null_rendering);
  }
  static NTSTATUS render(Context& context, const std::vector<D3DKMT_HANDLE>& handles,
                         const std::vector<D3DDDI_PATCHLOCATIONLIST>& patches, bool null_rendering = false) {
    ParkingLock lock(context.device().mutex());
    std::vector<D3DDDI_ALLOCATIONLIST> list(handles.size());
    for (size_t i = 0; i < handles.size(); ++i) list[i].hAllocation = handles[i];
    for (auto& element : list) element.WriteOperation = 1;
    std::copy(patches.begin(), patches.end(), context.command_buffers()->patches());
    auto listed = look_up(context, list);
    if (!listed.ok()) return listed.status();
    RenderCall call;
    call.command_length = 32 * static_cast<uint32_t>(std::max<size_t>(patches.size(), 1));
    call.listed = listed.value();
    call.patches = patches;
    call.null_rendering = null_rendering;
    return dxgk::render(context, call).status();
  }

  std::vector<std::string> submissions() const {
    std::vector<std::string> found;
    for (const std::string& line : driver.log) {
      if (line.starts_with("SubmitCommand")) found.push_back(line);
    }
    return found;
  }

  bool completes_at_once = true;
  std::vector<UINT> running;  // fences in the hardware

 private:
  void notify_completed(UINT fence) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
    data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
    data.DmaCompleted.SubmissionFenceId = fence;
    driver.interface.DxgkCbNotifyInterrupt(driver.device_handle(), &data);
  }
};

}  // namespace dxgk::testing
