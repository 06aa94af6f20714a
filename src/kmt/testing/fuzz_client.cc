#include "kmt/testing/fuzz_client.h"

#include <algorithm>

#include "base/align.h"
#include "dxgk/testing/counting_event.h"

namespace kmt::testing {

// --- Memory ---

FuzzMemory::FuzzMemory() {
  void* at = mmap(nullptr, kArena + 2 * base::kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(at != MAP_FAILED);
  base_ = static_cast<uint8_t*>(at);
  CHECK(mprotect(base_ + kArena, base::kPageBytes, PROT_READ) == 0);
  CHECK(mprotect(base_ + kArena + base::kPageBytes, base::kPageBytes, PROT_NONE) == 0);
}

base::Result<> FuzzMemory::check(uint64_t at, size_t bytes) const {
  if (bytes == 0) return {};
  auto holds = [&](uint64_t base, uint64_t size) {
    return at >= base && at - base <= size && bytes <= size - (at - base);
  };
  if (holds(address(base_), kArena + 2 * base::kPageBytes)) return {};
  if (std::any_of(given_.begin(), given_.end(), [&](const Range& r) { return holds(r.base, r.bytes); })) return {};
  return base::Failure(STATUS_INVALID_PARAMETER, "no memory of the client");
}

base::Result<> FuzzMemory::read(void* to, uint64_t from, size_t bytes) {
  TRY(check(from, bytes));
  return direct_.read(to, from, bytes);
}

base::Result<> FuzzMemory::write(uint64_t to, const void* from, size_t bytes) {
  TRY(check(to, bytes));
  return direct_.write(to, from, bytes);
}

base::Result<> FuzzMemory::probe_write(uint64_t to, size_t bytes) {
  TRY(check(to, bytes));
  return direct_.probe_write(to, bytes);
}

void* FuzzMemory::make(size_t bytes) {
  size_t rounded = (bytes + 15) & ~size_t{15};
  if (rounded > kArena / 2 - used_) return nullptr;
  void* at = base_ + used_;
  used_ += rounded;
  std::memset(at, 0, rounded);
  return at;
}

void FuzzMemory::note_given(const void* at, size_t bytes) {
  if (at && bytes) given_.push_back({address(at), bytes});
}

// --- Arguments ---

D3DKMT_HANDLE FuzzArguments::handle(Of of) {
  auto newest = [&](const std::vector<D3DKMT_HANDLE>& all) {
    uint32_t most = static_cast<uint32_t>(std::min<size_t>(all.size(), 8));
    return most ? all[all.size() - 1 - input.below(most)] : 0;
  };
  if (!input.rarely(12)) return newest(handles_.of[static_cast<size_t>(of)]);
  switch (input.below(4)) {
    case 0:
      return newest(handles_.of[input.below(kOfCount)]);
    case 1:
      return newest(foreign_.of[static_cast<size_t>(of)]);
    case 2:
      return newest(handles_.of[static_cast<size_t>(of)]) ^ (1u << input.below(32));
    default:
      return static_cast<D3DKMT_HANDLE>(input.odd_number());
  }
}

HANDLE FuzzArguments::nt_handle() {
  if (handles_.nt.empty() || input.rarely(12)) return reinterpret_cast<HANDLE>(input.odd_number());
  return handles_.nt[input.below(static_cast<uint32_t>(handles_.nt.size()))];
}

HANDLE FuzzArguments::event() {
  if (input.rarely(12)) return nt_handle();
  return handles_.events[input.below(static_cast<uint32_t>(handles_.events.size()))];
}

void FuzzArguments::keep_outs() {
  for (const Out& out : outs_) {
    if (writable(out.at, sizeof(*out.at)) && *out.at) handles_.of[static_cast<size_t>(out.of)].push_back(*out.at);
  }
  for (HANDLE const* at : nt_outs_) {
    if (writable(at, sizeof(*at)) && *at) handles_.nt.push_back(*at);
  }
}

uint64_t FuzzArguments::number(std::initializer_list<uint64_t> good) {
  if (input.rarely(10)) return input.odd_number();
  return good.begin()[input.below(static_cast<uint32_t>(good.size()))];
}

uint32_t FuzzArguments::flags(uint32_t bits) {
  if (!input.rarely(3)) return 0;
  if (input.rarely(8)) return input.take<uint32_t>();
  return 1u << input.below(bits);
}

// Around where the address spaces of the fake driver begin and end, on 64 KiB or near it.
uint64_t FuzzArguments::gpu_address() {
  if (input.rarely(12)) return input.odd_number();
  return uint64_t{input.below(8)} * 0x10000 + (input.rarely(8) ? uint64_t{input.below(17)} * 0x1000 : 0) +
         (input.rarely(4) ? 0x1'0000'0000 : 0);
}

D3DKMT_HANDLE* FuzzArguments::handle_list(uint32_t count, Of of) {
  auto* list = array<D3DKMT_HANDLE>(count);
  if (!list || !writable(list, count * sizeof(*list))) return list;
  for (uint32_t i = 0; i < count; ++i) list[i] = handle(of);
  return list;
}

UINT64* FuzzArguments::values(uint32_t count) {
  auto* list = array<UINT64>(count);
  if (!list || !writable(list, count * sizeof(*list))) return list;
  for (uint32_t i = 0; i < count; ++i) list[i] = number({1, 2, 0, ~uint64_t{0}});
  return list;
}

void* FuzzArguments::bad_pointer(size_t bytes) {
  switch (input.below(4)) {
    case 0:
      return nullptr;
    case 1:
      return memory_.before_edge(false, bytes / 2);
    case 2:
      return memory_.before_edge(true, std::min<size_t>(bytes / 2, base::kPageBytes));
    default:
      return reinterpret_cast<void*>(input.odd_number());
  }
}

OBJECT_ATTRIBUTES* FuzzArguments::name() {
  if (!input.rarely(3)) return nullptr;
  auto* attributes = array<OBJECT_ATTRIBUTES>(1);
  auto* text = array<UNICODE_STRING>(1);
  auto* letters = array<WCHAR>(4);
  if (!attributes || !writable(attributes, sizeof(*attributes))) return attributes;
  attributes->Length = sizeof(*attributes);
  attributes->ObjectName = text;
  if (!text || !writable(text, sizeof(*text))) return attributes;
  text->Length = text->MaximumLength = static_cast<USHORT>(number({2, 4, 8, 0}));
  text->Buffer = letters;
  if (letters && writable(letters, 8)) letters[0] = static_cast<WCHAR>('a' + input.below(3));
  if (input.rarely(8)) input.corrupt(attributes, sizeof(*attributes));
  return attributes;
}

// --- A client ---

FuzzClient::FuzzClient(dxgk::Kernel& kernel, const char* name, LUID adapter)
    : client_(kernel.create_process(name), memory_, nt_handles_), adapter_(adapter) {
  for (int i = 0; i < 2; ++i) {
    handles.events.push_back(nt_handles_.publish(dxgk::testing::CountingEvent::create(kernel.ordinals())).take());
  }
}

NTSTATUS FuzzClient::call(Thunk thunk, base::testing::FuzzInput& input, const FuzzHandles& foreign) {
  return fuzz_call(client_, memory_, handles, foreign, thunk, input, adapter_);
}

void FuzzClient::begin() {
  base::testing::FuzzInput good(nullptr, 0);
  for (Thunk thunk :
       {Thunk::OpenAdapterFromLuid, Thunk::CreateDevice, Thunk::CreateAllocation, Thunk::CreateSynchronizationObject2,
        Thunk::CreateKeyedMutex2, Thunk::CreateContext, Thunk::CreateContextVirtual, Thunk::CreatePagingQueue}) {
    call(thunk, good, handles);
  }
  share(0x43);  // CreateResource, CreateShared, NtSecuritySharing
  share(0x03);
}

// A resource of one allocation that others can open, and a sync object and a mutex that go with it.
void FuzzClient::share(uint32_t flags) {
  bool by_nt_handle = flags & 0x40;
  memory_.clear();
  auto& create = *static_cast<D3DKMT_CREATEALLOCATION*>(memory_.make(sizeof(D3DKMT_CREATEALLOCATION)));
  create.hDevice = newest(Of::Device);
  std::memcpy(&create.Flags, &flags, sizeof(flags));
  create.NumAllocations = 1;
  create.pAllocationInfo = static_cast<D3DDDI_ALLOCATIONINFO*>(memory_.make(sizeof(D3DDDI_ALLOCATIONINFO)));
  if (CreateAllocation(client_, &create) < 0) return;
  handles.of[static_cast<size_t>(Of::Allocation)].push_back(create.pAllocationInfo->hAllocation);
  handles.of[static_cast<size_t>(Of::Resource)].push_back(create.hResource);
  if (create.hGlobalShare) handles.of[static_cast<size_t>(Of::Shared)].push_back(create.hGlobalShare);

  auto& sync =
      *static_cast<D3DKMT_CREATESYNCHRONIZATIONOBJECT2*>(memory_.make(sizeof(D3DKMT_CREATESYNCHRONIZATIONOBJECT2)));
  sync.hDevice = create.hDevice;
  sync.Info.Type = D3DDDI_MONITORED_FENCE;
  sync.Info.Flags.Shared = 1;
  sync.Info.Flags.NtSecuritySharing = by_nt_handle;
  if (CreateSynchronizationObject2(client_, &sync) >= 0) {
    handles.of[static_cast<size_t>(Of::Sync)].push_back(sync.hSyncObject);
  }
  auto& mutex = *static_cast<D3DKMT_CREATEKEYEDMUTEX2*>(memory_.make(sizeof(D3DKMT_CREATEKEYEDMUTEX2)));
  mutex.Flags.NtSecuritySharing = by_nt_handle;
  if (CreateKeyedMutex2(client_, &mutex) >= 0) handles.of[static_cast<size_t>(Of::Mutex)].push_back(mutex.hKeyedMutex);
  if (!by_nt_handle) return;
  auto* objects = static_cast<D3DKMT_HANDLE*>(memory_.make(3 * sizeof(D3DKMT_HANDLE)));
  objects[0] = create.hResource;
  objects[1] = mutex.hKeyedMutex;
  objects[2] = sync.hSyncObject;
  publish(objects, 3);
  publish(objects, 1);
  publish(objects + 2, 1);
}

void FuzzClient::publish(D3DKMT_HANDLE* objects, uint32_t count) {
  auto& args = *static_cast<ShareObjectsArgs*>(memory_.make(sizeof(ShareObjectsArgs)));
  args.cObjects = count;
  args.hObjects = objects;
  args.dwDesiredAccess = GENERIC_ALL;
  args.phSharedNtHandle = static_cast<HANDLE*>(memory_.make(sizeof(HANDLE)));
  if (ShareObjects(client_, &args) >= 0) handles.nt.push_back(*args.phSharedNtHandle);
}

}  // namespace kmt::testing
