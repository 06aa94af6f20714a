#include "dxgk/testing/fuzz_callbacks.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "dxgk/ddi/callbacks.h"
#include "nt/machine/thread.h"

namespace dxgk::testing {

FuzzCallbacks* FuzzCallbacks::current = nullptr;

// Devices and contexts, by the names that the kernel gives them when they are created.
struct NamedByKernel {
  static inline PDXGKDDI_CREATEDEVICE create_device = nullptr;
  static inline PDXGKDDI_CREATECONTEXT create_context = nullptr;

  static NTSTATUS on_device(IN_CONST_HANDLE adapter, INOUT_PDXGKARG_CREATEDEVICE args) {
    FuzzCallbacks::current->devices_.push_back(args->hDevice);
    FuzzCallbacks::current->call();
    return create_device(adapter, args);
  }
  static NTSTATUS on_context(IN_CONST_HANDLE device, INOUT_PDXGKARG_CREATECONTEXT args) {
    FuzzCallbacks::current->contexts_.push_back(args->hContext);
    FuzzCallbacks::current->call();
    return create_context(device, args);
  }
};

FuzzCallbacks::FuzzCallbacks(FakeMiniport& driver, base::testing::FuzzInput& input,
                             std::function<const std::vector<D3DKMT_HANDLE>&(uint32_t)> handles)
    : driver_(driver), input_(input), handles_(std::move(handles)) {
  CHECK(!current);
  current = this;
  NamedByKernel::create_device = std::exchange(driver.table.DxgkDdiCreateDevice, &NamedByKernel::on_device);
  NamedByKernel::create_context = std::exchange(driver.table.DxgkDdiCreateContext, &NamedByKernel::on_context);
  for (Ddi ddi : {Ddi::StartDevice, Ddi::StopDevice, Ddi::CreateAllocation, Ddi::DestroyAllocation, Ddi::OpenAllocation,
                  Ddi::CloseAllocation, Ddi::Render, Ddi::Patch, Ddi::SubmitCommandVirtual, Ddi::BuildPagingBuffer,
                  Ddi::DestroyContext, Ddi::DestroyDevice, Ddi::InterruptRoutine, Ddi::DpcRoutine, Ddi::Escape}) {
    driver.at[ddi] = [this, before = driver.at[ddi]] {
      if (before) before();
      if (input_.rarely(2)) call();
    };
  }
}

FuzzCallbacks::~FuzzCallbacks() { current = nullptr; }

// --- Arguments ---

HANDLE FuzzCallbacks::device() {
  if (!input_.rarely(16)) return driver_.device_handle();
  return input_.rarely(2) ? FakeMiniport::context() : reinterpret_cast<HANDLE>(input_.odd_number());
}

template <typename T>
T FuzzCallbacks::one_of(const std::vector<T>& some) {
  if (some.empty() || input_.rarely(16)) return reinterpret_cast<T>(input_.odd_number());
  return some[input_.below(static_cast<uint32_t>(some.size()))];
}

D3DKMT_HANDLE FuzzCallbacks::handle() {
  const std::vector<D3DKMT_HANDLE>& some = handles_(input_.take<uint8_t>());
  if (some.empty() || input_.rarely(16)) return static_cast<D3DKMT_HANDLE>(input_.odd_number());
  return some[input_.below(static_cast<uint32_t>(some.size()))];
}

uint64_t FuzzCallbacks::number(std::initializer_list<uint64_t> good) {
  if (input_.rarely(8)) return input_.odd_number();
  return good.begin()[input_.below(static_cast<uint32_t>(good.size()))];
}

// --- Functions ---

void FuzzCallbacks::notify_interrupt() {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  auto type = static_cast<uint32_t>(number({1, 2, 4, 9, 3, 11, 13, 17}));
  std::memcpy(&data.InterruptType, &type, sizeof(type));
  // Fences are counted up from 1.
  data.DmaPreempted.PreemptionFenceId = input_.below(8);
  data.DmaPreempted.LastCompletedFenceId = type == DXGK_INTERRUPT_DMA_COMPLETED ? 0 : input_.below(8);
  if (input_.rarely(3)) input_.corrupt(&data, sizeof(data));
  driver_.interface.DxgkCbNotifyInterrupt(device(), &data);
}

void FuzzCallbacks::map_memory() {
  PHYSICAL_ADDRESS physical;
  physical.QuadPart = static_cast<LONGLONG>(number({0xF000'0000, 0xF000'1000, 0xF001'0000}));
  PVOID at = nullptr;
  NTSTATUS status = driver_.interface.DxgkCbMapMemory(
      device(), physical, static_cast<ULONG>(number({4096, 0x10000, 0})), input_.rarely(16), input_.rarely(16),
      static_cast<MEMORY_CACHING_TYPE>(input_.below(4)), input_.rarely(16) ? nullptr : &at);
  if (status >= 0 && at) mapped_.push_back(at);
}

void FuzzCallbacks::device_space(bool write) {
  UCHAR bytes[256] = {};
  ULONG done = 0;
  auto function = write ? driver_.interface.DxgkCbWriteDeviceSpace : driver_.interface.DxgkCbReadDeviceSpace;
  auto offset = static_cast<ULONG>(number({0, 64, 255, 256}));
  auto length = static_cast<ULONG>(input_.below(sizeof(bytes) + 1));
  function(device(), static_cast<ULONG>(number({DXGK_WHICHSPACE_CONFIG})), input_.rarely(16) ? nullptr : bytes, offset,
           length, input_.rarely(16) ? nullptr : &done);
  CHECK(done <= length);
}

void FuzzCallbacks::create_context_allocation() {
  DXGKARGCB_CREATECONTEXTALLOCATION args{};
  args.ContextAllocationFlags.Value = input_.below(4);
  args.hAdapter = device();
  args.hDevice = one_of(devices_);
  args.hContext = input_.rarely(3) ? nullptr : one_of(contexts_);
  args.hDriverAllocation = reinterpret_cast<HANDLE>(next_own_ += 0x10);
  args.Size = number({4096, 0x10000, 0x100000});
  args.Alignment = static_cast<UINT>(number({0, 4096, 0x10000}));
  args.SupportedSegmentSet = static_cast<UINT>(number({1, 2, 3}));
  args.PreferredSegment.Value = static_cast<UINT>(number({0, 1, 2}));
  if (input_.rarely(3)) input_.corrupt(&args, sizeof(args));
  NTSTATUS status = driver_.interface.DxgkCbCreateContextAllocation(&args);
  if (status >= 0) allocations_.push_back(args.hAllocation);
}

void FuzzCallbacks::map_context_allocation() {
  DXGKARGCB_MAPCONTEXTALLOCATION args{};
  args.hAllocation = one_of(allocations_);
  args.BaseAddress = input_.rarely(2) ? number({0x10000, 0x20000}) : 0;
  args.OffsetInPages = number({0, 1});
  args.SizeInPages = number({1, 16});
  if (input_.rarely(3)) input_.corrupt(&args, sizeof(args));
  driver_.interface.DxgkCbMapContextAllocation(device(), &args);
}

void FuzzCallbacks::acquire() {
  DXGKARGCB_GETHANDLEDATA args{};
  args.hObject = handle();
  args.Type = static_cast<DXGK_HANDLE_TYPE>(number({1, 2}));
  args.Flags.Value = static_cast<UINT>(number({0, 1}));
  HANDLE release = nullptr;
  driver_.interface.DxgkCbAcquireHandleData(&args, &release);
  if (release) acquired_.push_back(release);
}

void FuzzCallbacks::call() {
  if (depth_ > 0 || !driver_.interface.Size) return;
  const DXGKRNL_INTERFACE& kernel = driver_.interface;
  uint32_t which = input_.below(20);
  KIRQL irql = nt::Thread::current()->irql;
  if (irql > DISPATCH_LEVEL) which = 0;
  if (irql == DISPATCH_LEVEL) which = 1 + which % 5;
  bool of_version_2 = kernel.Size >= row(Cb::ReleaseHandleData).end;
  ++depth_;
  switch (which) {
    case 0:
      if (irql > DISPATCH_LEVEL || input_.rarely(8)) notify_interrupt();
      break;
    case 1:
      if (irql == DISPATCH_LEVEL || input_.rarely(8)) kernel.DxgkCbNotifyDpc(device());
      break;
    case 2:
      kernel.DxgkCbQueueDpc(device());
      break;
    case 3: {
      BOOLEAN result = FALSE;
      kernel.DxgkCbSynchronizeExecution(
          device(), input_.rarely(16) ? nullptr : [](PVOID) -> BOOLEAN { return TRUE; }, nullptr,
          static_cast<ULONG>(number({0})), input_.rarely(16) ? nullptr : &result);
      break;
    }
    case 4: {
      DXGK_CHILD_STATUS status{};
      status.Type = static_cast<decltype(status.Type)>(number({1, 2, 3}));
      status.ChildUid = static_cast<ULONG>(number({1, 0}));
      if (input_.rarely(4)) input_.corrupt(&status, sizeof(status));
      kernel.DxgkCbIndicateChildStatus(device(), input_.rarely(16) ? nullptr : &status);
      break;
    }
    case 5:
      kernel.DxgkCbLogEtwEvent(nullptr, input_.take<UCHAR>(), static_cast<USHORT>(number({0, 8, 300})), nullptr);
      break;
    case 6:
      map_memory();
      break;
    case 7:
      if (!mapped_.empty()) kernel.DxgkCbUnmapMemory(device(), one_of(mapped_));
      break;
    case 8:
      device_space(false);
      break;
    case 9:
      device_space(true);
      break;
    case 10:
    case 11:
      create_context_allocation();
      break;
    case 12:
      if (!allocations_.empty()) kernel.DxgkCbDestroyContextAllocation(device(), one_of(allocations_));
      break;
    case 13:
      if (of_version_2) map_context_allocation();
      break;
    case 14: {
      uint8_t bytes[16] = {};
      DXGKARGCB_UPDATECONTEXTALLOCATION args{one_of(allocations_), bytes, input_.below(17)};
      if (of_version_2) kernel.DxgkCbUpdateContextAllocation(device(), &args);
      break;
    }
    case 15:
      if (of_version_2) acquire();
      break;
    case 16:
      if (of_version_2 && !acquired_.empty()) {
        kernel.DxgkCbReleaseHandleData({one_of(acquired_), static_cast<DXGK_HANDLE_TYPE>(number({1, 2}))});
      }
      break;
    case 17: {
      DXGKARGCB_GETHANDLEDATA args{};
      args.hObject = handle();
      args.Type = static_cast<DXGK_HANDLE_TYPE>(number({1, 2}));
      args.Flags.Value = static_cast<UINT>(number({0, 1}));
      kernel.DxgkCbGetHandleData(&args);
      break;
    }
    case 18: {
      kernel.DxgkCbGetHandleParent(handle());
      DXGKARGCB_ENUMHANDLECHILDREN args{handle(), static_cast<UINT>(number({0, 1}))};
      kernel.DxgkCbEnumHandleChildren(&args);
      break;
    }
    default: {
      DXGK_DEVICE_INFO info{};
      kernel.DxgkCbGetDeviceInformation(device(), input_.rarely(16) ? nullptr : &info);
      DXGK_DISPLAY_INFORMATION display{};
      if (kernel.Size >= row(Cb::AcquirePostDisplayOwnership).end) {
        kernel.DxgkCbAcquirePostDisplayOwnership(device(), input_.rarely(8) ? nullptr : &display);
      }
      BOOLEAN present = FALSE;
      kernel.DxgkCbIsDevicePresent(device(), nullptr, &present);
    }
  }
  --depth_;
}

}  // namespace dxgk::testing
