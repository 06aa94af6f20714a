#pragma once

#include <sys/mman.h>

#include <cstring>

#include "base/align.h"
#include "base/check.h"
#include "kmt/allocation/nt_client_handles.h"
#include "kmt/client/thunks.h"
#include "kmt/memory/direct_memory.h"

namespace kmt::testing {

inline constexpr D3DKMT_HANDLE kNoHandle = 0x1EADBEED;  // bits of no handle that was ever given out

inline bool is_local(D3DKMT_HANDLE handle) { return (handle & 0xC0000000) && (handle & 0x3F) == 0; }
inline bool is_global(D3DKMT_HANDLE handle) { return (handle & 0xC0000000) && (handle & 0x3F) == 2; }

// A process of the machine that calls D3DKMT functions, and what each test needs first: an adapter and a device.
class Program {
 public:
  Program(dxgk::Kernel& kernel, const char* name) : client(kernel.create_process(name), memory, handles) {}
  ~Program() { client.process().end(); }

  D3DKMT_HANDLE open_adapter(dxgk::Adapter& its) {
    D3DKMT_OPENADAPTERFROMLUID args{.AdapterLuid = its.luid(), .hAdapter = 0};
    CHECK(OpenAdapterFromLuid(client, &args) == STATUS_SUCCESS);
    return args.hAdapter;
  }
  D3DKMT_HANDLE create_device(D3DKMT_HANDLE on) {
    D3DKMT_CREATEDEVICE args{};
    args.hAdapter = on;
    CHECK(CreateDevice(client, &args) == STATUS_SUCCESS);
    return args.hDevice;
  }
  void start(dxgk::Adapter& its) {
    adapter = open_adapter(its);
    device = create_device(adapter);
  }
  uint64_t live(ob::ObjectKind kind) { return client.process().ledger().of(kind).live; }

  DirectMemory memory;
  NtClientHandles handles;
  Client client;
  D3DKMT_HANDLE adapter = 0;
  D3DKMT_HANDLE device = 0;
};

// Memory that ends at a page with the protection that the test wants.
class EdgePages {
 public:
  explicit EdgePages(int beyond = PROT_NONE) {
    void* at = mmap(nullptr, 2 * base::kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(at != MAP_FAILED);
    base_ = static_cast<uint8_t*>(at);
    std::memset(base_, 0, 2 * base::kPageBytes);
    CHECK(mprotect(base_ + base::kPageBytes, base::kPageBytes, beyond) == 0);
  }
  ~EdgePages() { munmap(base_, 2 * base::kPageBytes); }
  EdgePages(const EdgePages&) = delete;
  EdgePages& operator=(const EdgePages&) = delete;

  // A place from which `bytes` more can be touched.
  void* before(size_t bytes) const { return base_ + base::kPageBytes - bytes; }
  void protect(int first) { CHECK(mprotect(base_, base::kPageBytes, first) == 0); }

 private:
  uint8_t* base_;
};

// The usual call of D3DKMTCreateAllocation(2): one allocation over 64 KiB of the client's own memory (a standard
// allocation), or described by private data. Each test changes the members that it is about.
class CreateArgs {
 public:
  static constexpr size_t kBytes = 0x10000;

  static CreateArgs standard(D3DKMT_HANDLE device) {
    CreateArgs made(device);
    made.heap = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(made.heap != MAP_FAILED);
    made.args.Flags.StandardAllocation = made.args.Flags.ExistingSysMem = 1;
    made.info.pSystemMem = made.info2.pSystemMem = made.heap;
    return made;
  }
  static CreateArgs driver(D3DKMT_HANDLE device) { return CreateArgs(device); }
  CreateArgs(CreateArgs&& other) noexcept { *this = std::move(other); }
  CreateArgs& operator=(CreateArgs&& other) noexcept {
    std::memcpy(&args, &other.args, sizeof(args));
    description = other.description;
    info = other.info;
    info2 = other.info2;
    std::swap(heap, other.heap);
    return *this;
  }
  ~CreateArgs() {
    if (heap) munmap(heap, kBytes);
  }

  NTSTATUS create(Program& program) {
    point();
    args.pAllocationInfo = &info;
    return CreateAllocation(program.client, &args);
  }
  NTSTATUS create2(Program& program) {
    point();
    args.pAllocationInfo2 = &info2;
    return CreateAllocation2(program.client, &args);
  }

  D3DKMT_CREATEALLOCATION args{};
  D3DKMT_CREATESTANDARDALLOCATION description{};
  D3DDDI_ALLOCATIONINFO info{};
  D3DDDI_ALLOCATIONINFO2 info2{};
  void* heap = nullptr;

 private:
  explicit CreateArgs(D3DKMT_HANDLE device) {
    description.Type = D3DKMT_STANDARDALLOCATIONTYPE_EXISTINGHEAP;
    description.ExistingHeapData.Size = kBytes;
    args.hDevice = device;
    args.hGlobalShare = kNoHandle;
    args.NumAllocations = 1;
    args.hPrivateRuntimeResourceHandle = reinterpret_cast<HANDLE>(0xDEADBEEF);
    info.hAllocation = info2.hAllocation = kNoHandle;
  }
  // It may have been moved since.
  void point() {
    if (args.Flags.StandardAllocation) args.pStandardAllocation = &description;
  }
};

inline NTSTATUS destroy_list(Program& program, const std::vector<D3DKMT_HANDLE>& handles,
                             D3DDDICB_DESTROYALLOCATION2FLAGS flags = {}) {
  D3DKMT_DESTROYALLOCATION2 args{.hDevice = program.device,
                                 .hResource = 0,
                                 .phAllocationList = handles.data(),
                                 .AllocationCount = static_cast<UINT>(handles.size()),
                                 .Flags = flags};
  return DestroyAllocation2(program.client, &args);
}

inline NTSTATUS destroy_resource(Program& program, D3DKMT_HANDLE resource) {
  D3DKMT_DESTROYALLOCATION args{
      .hDevice = program.device, .hResource = resource, .phAllocationList = nullptr, .AllocationCount = 0};
  return DestroyAllocation(program.client, &args);
}

}  // namespace kmt::testing
