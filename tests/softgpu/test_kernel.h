#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "abi/km/dispmprt.h"
#include "drivers/softgpu/proto/softgpu_build.h"
#include "drivers/softgpu/proto/softgpu_regs.h"
#include "drivers/softgpu/proto/softgpu_user.h"
#include "host/run/driver_image.h"
#include "host/scenarios/nt/nt_driver.h"
#include "nt/boundary/driver_call.h"
#include "nt/hardware/device.h"
#include "nt/machine/machine.h"

namespace softgpu {

// For tests: as much of a graphics kernel as one of softgpu's drivers needs to run on its hardware, and nothing that
// decides anything. Some pages of system memory are the GPU's, at virtual addresses too. Used on the machine's first
// thread; the image outlives it.
class TestKernel {
 public:
  TestKernel(nt::Machine& machine, const host::DriverImage& image);
  ~TestKernel();
  TestKernel(const TestKernel&) = delete;
  TestKernel& operator=(const TestKernel&) = delete;

  NTSTATUS start();
  void stop();

  // --- Memory: offsets in the GPU's pages ---
  static constexpr uint64_t kBytes = 0x20000;
  static constexpr uint64_t kFree = 0x8000;  // what is before belongs to the kernel
  uint64_t& at(uint64_t offset) { return *reinterpret_cast<uint64_t*>(pages_ + offset); }
  uint64_t physical(uint64_t offset) const { return physical_ + offset; }
  // As a client's packets name it.
  uint64_t gpu(uint64_t offset) const;
  // Of one page and those behind it; kept until the end.
  MDL* mdl(uint64_t offset, uint64_t bytes = SOFTGPU_PAGE_BYTES);

  // --- Contexts ---
  HANDLE create_context(uint32_t node, bool system = false);
  void destroy_context(HANDLE context);

  // --- Allocations ---
  // A plain buffer as the kernel's device sees it, until stop(). Where it lies is the test's business.
  enum class Open { ReadWrite, ReadOnly };
  HANDLE open_buffer(uint64_t bytes, Open how = Open::ReadWrite);

  // --- Work ---
  using Build = std::function<void(SOFTGPU_BUILDER&)>;
  // Nothing to build: a submission without a byte.
  NTSTATUS submit(HANDLE context, uint32_t fence, const Build& build = {}, DXGK_SUBMITCOMMANDFLAGS flags = {});
  // Runs what the driver makes of an operation, in as many buffers of `room` bytes as it takes. Returns how many.
  uint32_t page(DXGKARG_BUILDPAGINGBUFFER args, uint32_t room = 0x1000);
  void preempt(uint32_t node, uint32_t fence);
  uint32_t current_fence(uint32_t node);
  NTSTATUS reset_engine(uint32_t node, uint32_t* aborted);
  void reset_adapter();
  NTSTATUS escape(uint32_t code, uint32_t engine, uint64_t argument, HANDLE context = nullptr);
  // Lets the hardware work.
  void wait(uint64_t time_ns = 1'000'000);

  // --- What the driver said ---
  // "completed NODE:FENCE", "preempted NODE:FENCE after LAST", "faulted NODE:FENCE", "signaled NODE", in order.
  std::vector<std::string> take_log();
  uint32_t dpcs = 0;  // DxgkCbNotifyDpc

  struct ContextAllocation {
    DXGKARGCB_CREATECONTEXTALLOCATION args;
    bool alive;
  };
  std::vector<ContextAllocation> context_allocations;
  NTSTATUS context_allocation_status = STATUS_SUCCESS;
  uint64_t update_offset = 0;  // where DxgkCbUpdateContextAllocation finds the content

  const DRIVER_INITIALIZATION_DATA& table() const { return table_; }
  HANDLE adapter() const { return context_; }
  bool is_virtual() const { return table_.DxgkDdiSubmitCommandVirtual != nullptr; }
  template <typename R, typename... Params, typename... Args>
  R call(R (*function)(Params...), Args... args) {
    return nt::call_driver(machine_, "a DDI", &driver_.scope(), function, args...);
  }

 private:
  friend struct Callbacks;
  friend NTSTATUS register_driver(DRIVER_INITIALIZATION_DATA* table);

  void build_tables();
  void fill_interface();
  DXGK_DEVICE_INFO device_information();
  NTSTATUS submit_buffer(HANDLE context, uint32_t node, uint64_t offset, uint32_t bytes, uint32_t fence,
                         DXGK_SUBMITCOMMANDFLAGS flags);
  void set_root(HANDLE context);
  void close_buffers();
  void notified(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);

  nt::Machine& machine_;
  host::NtDriver driver_;
  std::unique_ptr<nt::Device> device_;
  DRIVER_INITIALIZATION_DATA table_{};
  DXGKRNL_INTERFACE interface_{};
  std::vector<uint8_t> resources_;
  std::u16string registry_path_;
  void* context_ = nullptr;
  KDPC* dpc_ = nullptr;
  PKINTERRUPT interrupt_ = nullptr;
  uint8_t* pages_ = nullptr;
  uint64_t physical_ = 0;
  uint64_t next_command_ = 0;
  HANDLE kernel_device_ = nullptr;
  HANDLE paging_ = nullptr;
  uint32_t paging_fence_ = 0;
  std::vector<MDL*> mdls_;
  std::vector<HANDLE> allocations_;  // the driver's; a handle of ours is the place of one, from 1 on
  std::vector<HANDLE> views_;
  std::vector<std::string> log_;
};

}  // namespace softgpu
