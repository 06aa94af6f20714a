#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "abi/km/dispmprt.h"
#include "dxgk/ddi/ddi.h"

namespace dxgk::testing {

// The driver model of a test's driver.
enum class Model : uint8_t {
  Wddm13,       // full, physical addresses
  Wddm20,       // full, GPU virtual addresses
  RenderOnly,   // WDDM 1.3 without a display
  ComputeOnly,  // WDDM 2.6, GPU virtual addresses
  DisplayOnly,  // Windows 8
};

// A correct display miniport driver for tests, in this program: it records how it is called, complains when a call
// makes no sense (a handle it has not given, an allocation destroyed while it is open), and fails where it is told to.
// Everything may be changed before it is registered. One at a time; used by the machine's threads in turn.
//
//   FakeMiniport driver(Model::Wddm20);
//   driver.fail(Ddi::CreateAllocation, STATUS_NO_MEMORY, 2);           // the second call
//   driver.at[Ddi::OpenAllocation] = [&] { … };                        // inside of each call, before it does anything
//   …
//   EXPECT_THAT(driver.log, ElementsAre("CreateAllocation(2)", "OpenAllocation(2)", …));
//   EXPECT_THAT(driver.complaints, IsEmpty());
class FakeMiniport {
 public:
  explicit FakeMiniport(Model model = Model::Wddm20);
  ~FakeMiniport();
  FakeMiniport(const FakeMiniport&) = delete;
  FakeMiniport& operator=(const FakeMiniport&) = delete;

  DriverKind registered_as() const { return model == Model::DisplayOnly ? DriverKind::DisplayOnly : DriverKind::Full; }
  void fail(Ddi ddi, NTSTATUS status, uint32_t nth_call = 1);
  size_t calls(Ddi ddi) const;
  // Nothing is left of what the kernel created, adapters' own contexts aside.
  bool empty() const;
  // Lets go of what hold_handle_data has kept.
  void release_handle_data();

  const Model model;
  DRIVER_INITIALIZATION_DATA table{};

  // --- What it says of itself ---
  DXGK_DRIVERCAPS caps{};
  ULONG sources = 0;
  ULONG children = 0;
  uint32_t nodes = 1;
  std::function<DXGK_ENGINE_TYPE(UINT node)> engine = [](UINT) { return DXGK_ENGINE_TYPE_3D; };
  DXGK_GPUMMUCAPS mmu{};
  std::vector<DXGK_PAGE_TABLE_LEVEL_DESC> levels;
  std::vector<DXGK_SEGMENTDESCRIPTOR4> segments;  // 1: aperture, 2: local
  UINT paging_segment = 1;
  UINT paging_buffer_bytes = 0x10000;
  UINT paging_private_bytes = 0;
  DXGK_CONTEXTINFO context_info{};
  std::map<DXGK_QUERYADAPTERINFOTYPE, NTSTATUS> query_status;  // instead of an answer

  // --- What it says of allocations ---
  SIZE_T allocation_bytes = 4096;  // when the private data do not begin with a size in 64 bits
  // Changes the answer for one allocation.
  std::function<void(DXGK_ALLOCATIONINFO& info, UINT index)> describe;
  // Keeps what DxgkCbAcquireHandleData gave while it opened an allocation.
  bool hold_handle_data = false;
  bool scribble_on_open = false;  // changes the first byte of every allocation's private data that it opens
  UINT standard_data_bytes = 8;   // of private data for a standard allocation

  // Handles of allocations and resources, instead of numbers.
  std::function<HANDLE()> make_handle;
  // It has given one of them another handle.
  void renamed(HANDLE before, HANDLE now);

  // --- What it does ---
  // In DxgkDdiCreateContext of a client, before it answers: hContext is the kernel's own name for it.
  std::function<NTSTATUS(const DXGKARG_CREATECONTEXT& args)> create_context;
  // Last in DxgkDdiDestroyAllocation.
  std::function<void(const DXGKARG_DESTROYALLOCATION& args)> destroyed;
  // In DxgkDdiDestroyContext of any.
  std::function<void(HANDLE context)> destroy_context;
  // DxgkDdiSubmitCommandVirtual, which accepts without it. Nothing completes by itself.
  std::function<NTSTATUS(const DXGKARG_SUBMITCOMMANDVIRTUAL& args)> submit_virtual;
  // DxgkDdiBuildPagingBuffer, which writes nothing without it.
  std::function<NTSTATUS(DXGKARG_BUILDPAGINGBUFFER& args)> build_paging;
  // DxgkDdiRender, which copies commands and patch locations as they are without it.
  std::function<NTSTATUS(DXGKARG_RENDER& args)> render;
  std::function<NTSTATUS(const DXGKARG_PATCH& args)> patch;
  std::function<NTSTATUS(const DXGKARG_SUBMITCOMMAND& args)> submit;
  // DxgkDdiPresent, which writes a packet of 32 bytes for each part without it.
  std::function<NTSTATUS(DXGKARG_PRESENT& args)> present;

  // --- What happened ---
  std::vector<std::string> log;
  std::vector<std::string> complaints;
  std::map<Ddi, std::function<void()>> at;
  // The last DXGKRNL_INTERFACE, as far as it went, and the adapter's own handle in it.
  DXGKRNL_INTERFACE interface {};
  HANDLE device_handle() const { return interface.DeviceHandle; }
  // The value that it gives as MiniportDeviceContext.
  static HANDLE context();

 private:
  struct Object {
    std::string kind;  // "device", "context", "process", "allocation", "resource", "view"
    HANDLE parent;     // of a view its allocation, of an allocation its resource
    HANDLE device;     // of a view
  };
  struct Failing {
    NTSTATUS status;
    uint32_t calls_left;
  };
  struct Ddis;  // the driver's functions
  friend struct Ddis;
  struct RenderingDdis;  // the functions that write commands (fake_rendering.cc)
  friend struct RenderingDdis;

  void fill_table();
  void fill_rendering();  // for a driver without virtual addresses
  void fill_presenting();
  void describe_itself();

  // First in every function. A status: return it.
  std::optional<NTSTATUS> enter(Ddi ddi, const std::string& detail = {});
  HANDLE make(const std::string& kind, HANDLE parent = nullptr, HANDLE device = nullptr);
  // Complains unless it lives and is of that kind.
  Object* find(HANDLE handle, const std::string& kind, Ddi ddi);
  void destroy(HANDLE handle, const std::string& kind, Ddi ddi);
  bool has_child(HANDLE handle) const;
  HANDLE own_allocation(D3DKMT_HANDLE handle, Ddi ddi);
  NTSTATUS answer(const DXGKARG_QUERYADAPTERINFO& args);

  std::map<Ddi, Failing> failing_;
  std::map<Ddi, size_t> calls_;
  std::map<HANDLE, Object> objects_;
  std::vector<HANDLE> held_;
  uintptr_t next_handle_ = 0x1000;
};

}  // namespace dxgk::testing
