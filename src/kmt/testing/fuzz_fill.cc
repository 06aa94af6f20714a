// One argument for each D3DKMT function: `fill` makes one that could be accepted, from handles and memory of the
// client. As long as thunks.def, and in its order.
#include <iterator>

#include "kmt/testing/fuzz_client.h"

namespace kmt::testing {
namespace {

using A = FuzzArguments;

// --- Adapters ---
void fill(A& a, D3DKMT_ENUMADAPTERS2& s) {
  s.NumAdapters = a.few() - 1;
  if (s.NumAdapters) s.pAdapters = a.array<D3DKMT_ADAPTERINFO>(s.NumAdapters);
  if (s.pAdapters && a.writable(s.pAdapters, sizeof(*s.pAdapters))) a.out(s.pAdapters->hAdapter, Of::Adapter);
}
void fill(A& a, D3DKMT_ENUMADAPTERS3& s) {
  s.Filter.Value = a.flags(4);
  s.NumAdapters = a.few() - 1;
  if (s.NumAdapters) s.pAdapters = a.array<D3DKMT_ADAPTERINFO>(s.NumAdapters);
}
void fill(A& a, D3DKMT_OPENADAPTERFROMLUID& s) { a.out(s.hAdapter, Of::Adapter); }  // the LUID is the caller's
void put(const char* text, WCHAR* to) {
  while ((*to++ = static_cast<WCHAR>(*text++)) != 0) {
  }
}
void fill(A& a, D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME& s) {
  put(a.input.rarely(3) ? "\\\\.\\DISPLAY2" : "\\\\.\\DISPLAY1", s.DeviceName);
  a.out(s.hAdapter, Of::Adapter);
}
void fill(A& a, D3DKMT_OPENADAPTERFROMDEVICENAME& s) {
  auto* name = a.array<WCHAR>(32);
  if (name && a.writable(name, 32 * sizeof(WCHAR))) put(a.input.rarely(3) ? "adapter 1" : "\\\\?\\adapter#1", name);
  s.pDeviceName = name;
  a.out(s.hAdapter, Of::Adapter);
}
void fill(A& a, D3DKMT_CLOSEADAPTER& s) { s.hAdapter = a.handle(Of::Adapter); }
void fill(A& a, D3DKMT_QUERYADAPTERINFO& s) {
  s.hAdapter = a.handle(Of::Adapter);
  // Those that are known here, and every fourth time any.
  static constexpr uint8_t kKnown[] = {KMTQAITYPE_UMDRIVERPRIVATE,
                                       KMTQAITYPE_UMDRIVERNAME,
                                       KMTQAITYPE_GETSEGMENTSIZE,
                                       KMTQAITYPE_ADAPTERGUID,
                                       KMTQAITYPE_ADAPTERREGISTRYINFO,
                                       KMTQAITYPE_CHECKDRIVERUPDATESTATUS,
                                       KMTQAITYPE_VIRTUALADDRESSINFO,
                                       KMTQAITYPE_DRIVERVERSION,
                                       KMTQAITYPE_ADAPTERTYPE,
                                       KMTQAITYPE_WDDM_1_2_CAPS,
                                       KMTQAITYPE_WDDM_1_3_CAPS,
                                       KMTQAITYPE_WDDM_2_0_CAPS,
                                       KMTQAITYPE_NODEMETADATA,
                                       KMTQAITYPE_PHYSICALADAPTERCOUNT,
                                       KMTQAITYPE_PHYSICALADAPTERDEVICEIDS,
                                       KMTQAITYPE_QUERY_GPUMMU_CAPS,
                                       KMTQAITYPE_GETSEGMENTGROUPSIZE,
                                       KMTQAITYPE_QUERYREGISTRY,
                                       KMTQAITYPE_QUERY_ADAPTER_UNIQUE_GUID,
                                       KMTQAITYPE_DRIVER_DESCRIPTION,
                                       KMTQAITYPE_WDDM_2_7_CAPS,
                                       KMTQAITYPE_WDDM_3_0_CAPS,
                                       KMTQAITYPE_WDDM_3_1_CAPS};
  s.Type = static_cast<KMTQUERYADAPTERINFOTYPE>(a.input.rarely(4) ? a.input.below(80)
                                                                  : kKnown[a.input.below(std::size(kKnown))]);
  s.PrivateDriverDataSize = static_cast<UINT>(a.number({2048, 64, 8, 4}));
  s.pPrivateDriverData = a.array<uint8_t>(2048);
  if (s.pPrivateDriverData && a.input.rarely(3) && a.writable(s.pPrivateDriverData, 64)) {
    a.input.corrupt(s.pPrivateDriverData, 64);
  }
}
void fill(A& a, D3DKMT_QUERYVIDEOMEMORYINFO& s) {
  s.hProcess = a.input.rarely(6) ? a.nt_handle() : nullptr;
  s.hAdapter = a.handle(Of::Adapter);
  a.put(s.MemorySegmentGroup, {D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL, D3DKMT_MEMORY_SEGMENT_GROUP_NON_LOCAL});
}
void fill(A& a, D3DKMT_CHANGEVIDEOMEMORYRESERVATION& s) {
  s.hAdapter = a.handle(Of::Adapter);
  a.put(s.MemorySegmentGroup, {D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL, D3DKMT_MEMORY_SEGMENT_GROUP_NON_LOCAL});
  s.Reservation = a.number({0, 0x10000, 0x100000});
}
void fill(A& a, D3DKMT_ESCAPE& s) {
  s.hAdapter = a.handle(Of::Adapter);
  s.hDevice = a.optional_handle(Of::Device);
  s.hContext = a.optional_handle(Of::Context);
  s.Flags.Value = a.flags(2);
  a.bytes(s.pPrivateDriverData, s.PrivateDriverDataSize);
}
void fill(A& a, D3DKMT_QUERYSTATISTICS& s) {
  s.Type = static_cast<D3DKMT_QUERYSTATISTICS_TYPE>(a.input.below(20));
  s.QuerySegment.SegmentId = static_cast<ULONG>(a.number({0, 1, 2}));
}

// --- Devices ---
void fill(A& a, D3DKMT_CREATEDEVICE& s) {
  s.hAdapter = a.handle(Of::Adapter);
  uint32_t flags = a.flags(4);
  std::memcpy(&s.Flags, &flags, sizeof(flags));
  a.out(s.hDevice, Of::Device);
}
void fill(A& a, D3DKMT_DESTROYDEVICE& s) { s.hDevice = a.input.rarely(2) ? a.handle(Of::Device) : 0; }
void fill(A& a, D3DKMT_GETDEVICESTATE& s) {
  s.hDevice = a.handle(Of::Device);
  a.put(s.StateType, {1, 2, 3, 4, 5, 6});
}
void fill(A& a, D3DKMT_MARKDEVICEASERROR& s) {
  s.hDevice = a.input.rarely(4) ? a.handle(Of::Device) : 0;
  a.put(s.Reason, {0x80000006, 0});
}

// --- Allocations and resources ---
template <typename Info>
void fill_info(A& a, Info& info, bool existing) {
  a.out(info.hAllocation, Of::Allocation);
  if (existing || a.input.rarely(12)) info.pSystemMem = a.pages();
  if (!existing) a.bytes(info.pPrivateDriverData, info.PrivateDriverDataSize);
  info.Flags.Value = a.flags(3);
  // The fake driver reads an allocation's size there.
  if (info.PrivateDriverDataSize == 8 && info.pPrivateDriverData && a.writable(info.pPrivateDriverData, 8)) {
    uint64_t size = a.number({4096, 0x10000, 0x20000});
    std::memcpy(info.pPrivateDriverData, &size, sizeof(size));
  }
}
template <typename Info>
Info* make_infos(A& a, uint32_t count, bool existing) {
  auto* infos = a.array<Info>(count);
  if (!infos || !a.writable(infos, count * sizeof(Info))) return infos;
  for (uint32_t i = 0; i < count; ++i) fill_info(a, infos[i], existing);
  return infos;
}
void fill(A& a, D3DKMT_CREATEALLOCATION& s) {
  s.hDevice = a.handle(Of::Device);
  a.bytes(s.pPrivateRuntimeData, s.PrivateRuntimeDataSize);
  uint32_t flags = a.flags(23);
  switch (a.input.below(4)) {
    case 1:  // a resource, perhaps a shared one
      flags |= 1 | (a.input.rarely(2) ? 2 : 0) | (a.input.rarely(3) ? 0x40 : 0);
      break;
    case 2:  // added to a resource
      s.hResource = a.handle(Of::Resource);
      break;
    case 3: {
      flags |= 0x10020;  // a standard allocation of existing memory
      auto* standard = a.array<D3DKMT_CREATESTANDARDALLOCATION>(1);
      if (standard && a.writable(standard, sizeof(*standard))) {
        standard->Type = D3DKMT_STANDARDALLOCATIONTYPE_EXISTINGHEAP;
        standard->ExistingHeapData.Size = a.number({4096, 8192});
        if (a.input.rarely(8)) a.input.corrupt(standard, sizeof(*standard));
      }
      s.pStandardAllocation = standard;
      break;
    }
    default:
      break;
  }
  std::memcpy(&s.Flags, &flags, sizeof(flags));
  bool existing = flags & 0x20;
  if (!(flags & 0x10000)) a.bytes(s.pPrivateDriverData, s.PrivateDriverDataSize);
  s.NumAllocations = existing ? 1 : static_cast<UINT>(a.number({1, 2, 3}));
  uint32_t made = s.NumAllocations < 8 ? s.NumAllocations : 8;
  if (a.thunk == Thunk::CreateAllocation2) {
    s.pAllocationInfo2 = make_infos<D3DDDI_ALLOCATIONINFO2>(a, made, existing);
  } else {
    s.pAllocationInfo = make_infos<D3DDDI_ALLOCATIONINFO>(a, made, existing);
  }
  a.out(s.hResource, Of::Resource);
  a.out(s.hGlobalShare, Of::Shared);
}
// By their resource, or one by one.
template <typename S>
void fill_allocations(A& a, S& s) {
  s.hDevice = a.handle(Of::Device);
  if (a.input.rarely(3)) {
    s.hResource = a.handle(Of::Resource);
  } else {
    s.AllocationCount = a.few();
    s.phAllocationList = a.handle_list(s.AllocationCount, Of::Allocation);
  }
}
void fill(A& a, D3DKMT_DESTROYALLOCATION& s) { fill_allocations(a, s); }
void fill(A& a, D3DKMT_DESTROYALLOCATION2& s) {
  fill_allocations(a, s);
  s.Flags.Value = a.flags(2);
}
void fill(A& a, D3DKMT_SETALLOCATIONPRIORITY& s) {
  fill_allocations(a, s);
  auto* priorities = a.array<UINT>(4);
  if (priorities && a.writable(priorities, 16)) {
    for (int i = 0; i < 4; ++i) priorities[i] = static_cast<UINT>(a.number({0x78000000, 0x28000000, 0xA0000000}));
  }
  s.pPriorities = priorities;
}
void fill(A& a, D3DKMT_GETALLOCATIONPRIORITY& s) {
  fill_allocations(a, s);
  s.pPriorities = a.array<UINT>(4);
}
void fill(A& a, D3DKMT_QUERYALLOCATIONRESIDENCY& s) {
  fill_allocations(a, s);
  s.pResidencyStatus = a.array<D3DKMT_ALLOCATIONRESIDENCYSTATUS>(4);
}
void fill(A& a, D3DKMT_QUERYRESOURCEINFO& s) {
  s.hDevice = a.handle(Of::Device);
  s.hGlobalShare = a.handle(Of::Shared);
  a.bytes(s.pPrivateRuntimeData, s.PrivateRuntimeDataSize);
}
template <typename S, typename Info>
void fill_opening(A& a, S& s, Info*& infos) {
  s.hDevice = a.handle(Of::Device);
  s.NumAllocations = static_cast<UINT>(a.number({1, 2, 3}));
  infos = a.array<Info>(4);
  if (infos && a.writable(infos, sizeof(*infos))) a.out(infos->hAllocation, Of::Allocation);
  a.bytes(s.pPrivateRuntimeData, s.PrivateRuntimeDataSize);
  a.bytes(s.pResourcePrivateDriverData, s.ResourcePrivateDriverDataSize);
  s.TotalPrivateDriverDataBufferSize = static_cast<UINT>(a.number({256, 0, 8, 16}));
  s.pTotalPrivateDriverDataBuffer = a.array<uint8_t>(256);
  a.out(s.hResource, Of::Resource);
}
void fill(A& a, D3DKMT_OPENRESOURCE& s) {
  s.hGlobalShare = a.handle(Of::Shared);
  if (a.thunk == Thunk::OpenResource2) {
    fill_opening(a, s, s.pOpenAllocationInfo2);
  } else {
    fill_opening(a, s, s.pOpenAllocationInfo);
  }
}
void fill(A& a, D3DKMT_OPENRESOURCEFROMNTHANDLE& s) {
  s.hNtHandle = a.nt_handle();
  fill_opening(a, s, s.pOpenAllocationInfo2);
  a.bytes(s.pKeyedMutexPrivateRuntimeData, s.KeyedMutexPrivateRuntimeDataSize);
  a.out(s.hKeyedMutex, Of::Mutex);
  a.out(s.hSyncObject, Of::Sync);
}
void fill(A& a, D3DKMT_LOCK& s) {
  s.hDevice = a.handle(Of::Device);
  s.hAllocation = a.handle(Of::Allocation);
  s.Flags.Value = 0x10 | a.flags(11);  // LockEntire
  if (a.input.rarely(8)) {
    s.NumPages = a.few();
    s.pPages = a.array<UINT>(4);
  }
}
void fill(A& a, D3DKMT_UNLOCK& s) {
  s.hDevice = a.handle(Of::Device);
  s.NumAllocations = a.few();
  s.phAllocations = a.handle_list(s.NumAllocations, Of::Allocation);
}
void fill(A& a, D3DKMT_LOCK2& s) {
  s.hDevice = a.handle(Of::Device);
  s.hAllocation = a.handle(Of::Allocation);
  s.Flags.Value = a.flags(2);
}
void fill(A& a, D3DKMT_UNLOCK2& s) {
  s.hDevice = a.handle(Of::Device);
  s.hAllocation = a.handle(Of::Allocation);
}
void fill(A& a, D3DKMT_INVALIDATECACHE& s) {
  s.hDevice = a.handle(Of::Device);
  s.hAllocation = a.handle(Of::Allocation);
  s.Offset = a.number({0, 4096});
  s.Length = a.number({4096, 64, 0});
}

// --- Sharing ---
void fill(A& a, ShareObjectsArgs& s) {
  s.cObjects = static_cast<UINT>(a.number({1, 3}));
  auto* list = a.array<D3DKMT_HANDLE>(4);
  if (list && a.writable(list, 16)) {
    list[0] = a.handle(s.cObjects == 1 && a.input.rarely(2) ? Of::Sync : Of::Resource);
    list[1] = a.handle(Of::Mutex);
    list[2] = a.handle(Of::Sync);
  }
  s.hObjects = list;
  s.pObjectAttributes = a.name();
  s.dwDesiredAccess = static_cast<DWORD>(a.number({0x10000000, 0x80000000, 0xF0003, 1}));
  s.phSharedNtHandle = a.array<HANDLE>(1);
  if (s.phSharedNtHandle && a.writable(s.phSharedNtHandle, sizeof(HANDLE))) a.out_nt(*s.phSharedNtHandle);
}
void fill(A& a, D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE& s) {
  s.hDevice = a.handle(Of::Device);
  s.hNtHandle = a.nt_handle();
  a.bytes(s.pPrivateRuntimeData, s.PrivateRuntimeDataSize);
}
template <typename S>
void fill_name(A& a, S& s) {
  s.dwDesiredAccess = static_cast<UINT>(a.number({0x10000000, 0x80000000, 1}));
  s.pObjAttrib = a.name();
  a.out_nt(s.hNtHandle);
}
void fill(A& a, D3DKMT_OPENNTHANDLEFROMNAME& s) { fill_name(a, s); }
void fill(A& a, D3DKMT_OPENSYNCOBJECTNTHANDLEFROMNAME& s) { fill_name(a, s); }
void fill(A& a, D3DKMT_GETSHAREDRESOURCEADAPTERLUID& s) {
  if (a.input.rarely(2)) {
    s.hNtHandle = a.nt_handle();
  } else {
    s.hGlobalShare = a.handle(Of::Shared);
  }
}

// --- Keyed mutexes ---
void fill(A& a, D3DKMT_CREATEKEYEDMUTEX& s) {
  s.InitialValue = a.number({0, 1});
  a.out(s.hSharedHandle, Of::Shared);
  a.out(s.hKeyedMutex, Of::Mutex);
}
void fill(A& a, D3DKMT_CREATEKEYEDMUTEX2& s) {
  s.InitialValue = a.number({0, 1});
  a.bytes(s.pPrivateRuntimeData, s.PrivateRuntimeDataSize);
  uint32_t flags = a.flags(1);
  std::memcpy(&s.Flags, &flags, sizeof(flags));
  a.out(s.hSharedHandle, Of::Shared);
  a.out(s.hKeyedMutex, Of::Mutex);
}
void fill(A& a, D3DKMT_OPENKEYEDMUTEX& s) {
  s.hSharedHandle = a.handle(Of::Shared);
  a.out(s.hKeyedMutex, Of::Mutex);
}
void fill(A& a, D3DKMT_OPENKEYEDMUTEX2& s) {
  s.hSharedHandle = a.handle(Of::Shared);
  a.bytes(s.pPrivateRuntimeData, s.PrivateRuntimeDataSize);
  a.out(s.hKeyedMutex, Of::Mutex);
}
void fill(A& a, D3DKMT_OPENKEYEDMUTEXFROMNTHANDLE& s) {
  s.hNtHandle = a.nt_handle();
  a.bytes(s.pPrivateRuntimeData, s.PrivateRuntimeDataSize);
  a.out(s.hKeyedMutex, Of::Mutex);
}
void fill(A& a, D3DKMT_DESTROYKEYEDMUTEX& s) { s.hKeyedMutex = a.handle(Of::Mutex); }
template <typename S>
void fill_acquire(A& a, S& s) {
  s.hKeyedMutex = a.handle(Of::Mutex);
  s.Key = a.number({0, 1});
  s.pTimeout = a.array<LARGE_INTEGER>(1);
  if (s.pTimeout && a.writable(s.pTimeout, 8)) s.pTimeout->QuadPart = a.input.rarely(2) ? -10'000 : 0;
}
void fill(A& a, D3DKMT_ACQUIREKEYEDMUTEX& s) { fill_acquire(a, s); }
void fill(A& a, D3DKMT_ACQUIREKEYEDMUTEX2& s) {
  fill_acquire(a, s);
  a.bytes(s.pPrivateRuntimeData, s.PrivateRuntimeDataSize);
}
void fill(A& a, D3DKMT_RELEASEKEYEDMUTEX& s) {
  s.hKeyedMutex = a.handle(Of::Mutex);
  s.Key = a.number({0, 1});
  s.FenceValue = a.number({1, 2});
}
void fill(A& a, D3DKMT_RELEASEKEYEDMUTEX2& s) {
  s.hKeyedMutex = a.handle(Of::Mutex);
  s.Key = a.number({0, 1});
  s.FenceValue = a.number({1, 2});
  a.bytes(s.pPrivateRuntimeData, s.PrivateRuntimeDataSize);
}

// --- Synchronisation objects ---
// The type is kept as a number, which need not be a value of the enumeration.
template <typename Info>
uint32_t put_type(A& a, Info& info, std::initializer_list<uint64_t> good) {
  auto type = static_cast<uint32_t>(a.number(good));
  std::memcpy(&info.Type, &type, sizeof(type));
  if (type == D3DDDI_SEMAPHORE) info.Semaphore.MaxCount = static_cast<UINT>(a.number({8, 1, 0}));
  return type;
}
void fill(A& a, D3DKMT_CREATESYNCHRONIZATIONOBJECT& s) {
  s.hDevice = a.handle(Of::Device);
  put_type(a, s.Info, {D3DDDI_SYNCHRONIZATION_MUTEX, D3DDDI_SEMAPHORE, D3DDDI_FENCE, D3DDDI_MONITORED_FENCE});
  a.out(s.hSyncObject, Of::Sync);
}
void fill(A& a, D3DKMT_CREATESYNCHRONIZATIONOBJECT2& s) {
  s.hDevice = a.handle(Of::Device);
  s.Info.Flags.Value = a.input.rarely(3) ? (a.input.rarely(2) ? 3 : 1) : a.flags(10);
  uint32_t type = put_type(a, s.Info,
                           {D3DDDI_MONITORED_FENCE, D3DDDI_SYNCHRONIZATION_MUTEX, D3DDDI_SEMAPHORE, D3DDDI_FENCE,
                            D3DDDI_CPU_NOTIFICATION, D3DDDI_PERIODIC_MONITORED_FENCE});
  if (type == D3DDDI_CPU_NOTIFICATION) s.Info.CPUNotification.Event = a.event();
  if (type == D3DDDI_PERIODIC_MONITORED_FENCE) s.Info.PeriodicMonitoredFence.hAdapter = a.handle(Of::Adapter);
  a.out(s.Info.SharedHandle, Of::Shared);
  a.out(s.hSyncObject, Of::Sync);
}
void fill(A& a, D3DKMT_OPENSYNCHRONIZATIONOBJECT& s) {
  s.hSharedHandle = a.handle(Of::Shared);
  a.out(s.hSyncObject, Of::Sync);
}
void fill(A& a, D3DKMT_OPENSYNCOBJECTFROMNTHANDLE& s) {
  s.hNtHandle = a.nt_handle();
  a.out(s.hSyncObject, Of::Sync);
}
void fill(A& a, D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2& s) {
  s.hNtHandle = a.nt_handle();
  s.hDevice = a.handle(Of::Device);
  s.Flags.Value = a.flags(10);
  a.out(s.hSyncObject, Of::Sync);
}
void fill(A& a, D3DKMT_DESTROYSYNCHRONIZATIONOBJECT& s) { s.hSyncObject = a.handle(Of::Sync); }
template <typename S>
void fill_objects(A& a, S& s) {
  s.ObjectCount = a.few();
  if constexpr (std::is_array_v<decltype(s.ObjectHandleArray)>) {
    for (uint32_t i = 0; i < s.ObjectCount; ++i) s.ObjectHandleArray[i] = a.handle(Of::Sync);
  } else {
    s.ObjectHandleArray = a.handle_list(s.ObjectCount, Of::Sync);
  }
}
void fill(A& a, D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU& s) {
  s.hDevice = a.handle(Of::Device);
  fill_objects(a, s);
  s.FenceValueArray = a.values(s.ObjectCount);
  s.Flags.Value = a.flags(3);
}
void fill(A& a, D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU& s) {
  s.hDevice = a.handle(Of::Device);
  fill_objects(a, s);
  s.FenceValueArray = a.values(s.ObjectCount);
  s.hAsyncEvent = a.event();
  s.Flags.Value = a.flags(1);
}
void fill(A& a, D3DKMT_SIGNALSYNCHRONIZATIONOBJECT& s) {
  s.hContext = a.handle(Of::Context);
  fill_objects(a, s);
  s.Flags.Value = a.flags(3);
}
void fill(A& a, D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2& s) {
  s.hContext = a.handle(Of::Context);
  fill_objects(a, s);
  s.Flags.Value = a.flags(3);
  if (a.input.rarely(4)) s.BroadcastContext[s.BroadcastContextCount++] = a.handle(Of::Context);
  if (s.Flags.EnqueueCpuEvent) {
    s.CpuEventHandle = a.event();
  } else {
    s.Fence.FenceValue = a.number({1, 2});
  }
}
void fill(A& a, D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU& s) {
  s.hContext = a.handle(Of::Context);
  fill_objects(a, s);
  s.MonitoredFenceValueArray = a.values(s.ObjectCount);
}
void fill(A& a, D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2& s) {
  fill_objects(a, s);
  s.Flags.Value = a.flags(3);
  s.BroadcastContextCount = a.few();
  s.BroadcastContextArray = a.handle_list(s.BroadcastContextCount, Of::Context);
  if (s.Flags.EnqueueCpuEvent) {
    s.ObjectCount = 0;
    s.CpuEventHandle = a.event();
  } else {
    s.MonitoredFenceValueArray = a.values(s.ObjectCount);
  }
}
void fill(A& a, D3DKMT_WAITFORSYNCHRONIZATIONOBJECT& s) {
  s.hContext = a.handle(Of::Context);
  fill_objects(a, s);
}
void fill(A& a, D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2& s) {
  s.hContext = a.handle(Of::Context);
  fill_objects(a, s);
  s.Fence.FenceValue = a.number({0, 1});
}
void fill(A& a, D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU& s) {
  s.hContext = a.handle(Of::Context);
  fill_objects(a, s);
  s.MonitoredFenceValueArray = a.values(s.ObjectCount);
}

// --- Contexts and submission ---
template <typename S>
void fill_context(A& a, S& s) {
  s.hDevice = a.handle(Of::Device);
  s.NodeOrdinal = static_cast<UINT>(a.number({0}));
  s.Flags.Value = a.flags(5);
  a.put(s.ClientHint, {0, 1});
  a.bytes(s.pPrivateDriverData, s.PrivateDriverDataSize);
  a.out(s.hContext, Of::Context);
}
void fill(A& a, D3DKMT_CREATECONTEXT& s) { fill_context(a, s); }
void fill(A& a, D3DKMT_CREATECONTEXTVIRTUAL& s) { fill_context(a, s); }
void fill(A& a, D3DKMT_DESTROYCONTEXT& s) { s.hContext = a.input.rarely(2) ? a.handle(Of::Context) : 0; }
template <typename S>
void fill_priority(A& a, S& s) {
  s.hContext = a.handle(Of::Context);
  s.Priority = static_cast<INT>(a.number({0, 7, static_cast<uint32_t>(-7)}));
}
void fill(A& a, D3DKMT_SETCONTEXTSCHEDULINGPRIORITY& s) { fill_priority(a, s); }
void fill(A& a, D3DKMT_GETCONTEXTSCHEDULINGPRIORITY& s) { fill_priority(a, s); }
void fill(A& a, D3DKMT_SETCONTEXTINPROCESSSCHEDULINGPRIORITY& s) { fill_priority(a, s); }
void fill(A& a, D3DKMT_GETCONTEXTINPROCESSSCHEDULINGPRIORITY& s) { fill_priority(a, s); }
void fill(A& a, D3DKMT_RENDER& s) {
  s.hContext = a.handle(Of::Context);
  s.CommandOffset = static_cast<UINT>(a.number({0, 8}));
  s.CommandLength = static_cast<UINT>(a.number({32, 64, 0}));
  s.AllocationCount = static_cast<UINT>(a.number({1, 2, 0}));
  s.PatchLocationCount = static_cast<UINT>(a.number({1, 2, 0}));
  uint32_t flags = a.flags(7);
  std::memcpy(&s.Flags, &flags, sizeof(flags));
  s.NewCommandBufferSize = static_cast<UINT>(a.number({4096, 0x10000}));
  s.NewAllocationListSize = s.NewPatchLocationListSize = static_cast<UINT>(a.number({16, 64}));
}
void fill(A& a, D3DKMT_SUBMITCOMMAND& s) {
  s.Commands = a.gpu_address();
  s.CommandLength = static_cast<UINT>(a.number({64, 0, 4096}));
  uint32_t flags = a.flags(3);
  std::memcpy(&s.Flags, &flags, sizeof(flags));
  s.BroadcastContextCount = 1 + a.input.below(4);
  if (s.BroadcastContextCount == 4) s.BroadcastContextCount = 0;
  for (UINT i = 0; i < s.BroadcastContextCount; ++i) s.BroadcastContext[i] = a.handle(Of::Context);
  a.bytes(s.pPrivateDriverData, s.PrivateDriverDataSize);
  if (a.input.rarely(4)) s.WrittenPrimaries[s.NumPrimaries++] = a.handle(Of::Allocation);
}
void fill(A& a, D3DKMT_PRESENT& s) {
  s.hContext = a.handle(Of::Context);
  s.hSource = a.handle(Of::Allocation);
  s.hDestination = a.handle(Of::Allocation);
  s.Flags.Value = (a.input.rarely(4) ? 0x2 : 0x81) | a.flags(32);  // a fill, or a copy with its rectangle
  s.SrcRect = s.DstRect = {0, 0, static_cast<LONG>(a.number({16, 64})), 16};
  s.SubRectCnt = a.few();
  auto* parts = a.array<RECT>(s.SubRectCnt);
  if (parts && a.writable(parts, s.SubRectCnt * sizeof(RECT))) {
    for (uint32_t i = 0; i < s.SubRectCnt; ++i) parts[i] = {0, 0, static_cast<LONG>(a.number({16, 8})), 8};
    if (a.input.rarely(6)) a.input.corrupt(parts, s.SubRectCnt * sizeof(RECT));
  }
  s.pSrcSubRects = parts;
  a.bytes(s.pPrivateDriverData, s.PrivateDriverDataSize);
}

// --- Residency and GPU addresses ---
void fill(A& a, D3DKMT_CREATEPAGINGQUEUE& s) {
  s.hDevice = a.handle(Of::Device);
  a.put(s.Priority, {0, 1});
  a.out(s.hPagingQueue, Of::PagingQueue);
  a.out(s.hSyncObject, Of::Sync);
}
void fill(A& a, D3DDDI_DESTROYPAGINGQUEUE& s) { s.hPagingQueue = a.input.rarely(2) ? a.handle(Of::PagingQueue) : 0; }
void fill(A& a, D3DDDI_MAKERESIDENT& s) {
  s.hPagingQueue = a.handle(Of::PagingQueue);
  s.NumAllocations = a.few();
  s.AllocationList = a.handle_list(s.NumAllocations, Of::Allocation);
  if (a.input.rarely(6)) s.PriorityList = a.array<UINT>(4);
  s.Flags.Value = a.flags(2);
}
void fill(A& a, D3DKMT_EVICT& s) {
  s.hDevice = a.handle(Of::Device);
  s.NumAllocations = a.few();
  s.AllocationList = a.handle_list(s.NumAllocations, Of::Allocation);
  s.Flags.Value = a.flags(2);
}
template <typename S>
void fill_offered(A& a, S& s) {
  s.NumAllocations = a.few();
  if (a.input.rarely(3)) {
    s.pResources = a.handle_list(s.NumAllocations, Of::Resource);
  } else {
    s.HandleList = a.handle_list(s.NumAllocations, Of::Allocation);
  }
}
void fill(A& a, D3DKMT_OFFERALLOCATIONS& s) {
  s.hDevice = a.handle(Of::Device);
  fill_offered(a, s);
  a.put(s.Priority, {1, 2, 3, 4});
  s.Flags.Value = a.flags(2);
}
void fill(A& a, D3DKMT_RECLAIMALLOCATIONS& s) {
  s.hDevice = a.handle(Of::Device);
  fill_offered(a, s);
  s.pDiscarded = a.array<BOOL>(s.NumAllocations);
}
void fill(A& a, D3DKMT_RECLAIMALLOCATIONS2& s) {
  s.hPagingQueue = a.handle(Of::PagingQueue);
  fill_offered(a, s);
  s.pResults = a.array<D3DDDI_RECLAIM_RESULT>(s.NumAllocations);
}
void fill(A& a, D3DDDI_RESERVEGPUVIRTUALADDRESS& s) {
  s.hAdapter = a.handle(Of::Adapter);
  s.Size = a.number({0x10000, 0x20000, 0x80000});
  if (a.input.rarely(2)) s.BaseAddress = a.gpu_address();
  if (a.input.rarely(8)) s.MinimumAddress = a.gpu_address();
  if (a.input.rarely(8)) s.MaximumAddress = a.gpu_address();
  if (a.input.rarely(8)) s.DriverProtection = a.input.odd_number();
}
void fill(A& a, D3DDDI_MAPGPUVIRTUALADDRESS& s) {
  s.hPagingQueue = a.handle(Of::PagingQueue);
  s.hAllocation = a.handle(Of::Allocation);
  if (a.input.rarely(2)) s.BaseAddress = a.gpu_address();
  if (a.input.rarely(8)) s.MinimumAddress = a.gpu_address();
  if (a.input.rarely(8)) s.MaximumAddress = a.gpu_address();
  s.OffsetInPages = a.number({0, 0, 1, 16});
  s.SizeInPages = a.number({1, 16, 32});
  s.Protection.Value = a.flags(5);
}
void fill(A& a, D3DKMT_UPDATEGPUVIRTUALADDRESS& s) {
  s.hDevice = a.handle(Of::Device);
  s.hContext = a.handle(Of::Context);
  s.hFenceObject = a.handle(Of::Sync);
  s.NumOperations = a.few();
  s.Flags.Value = 1;
  auto* operations = a.array<D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION>(s.NumOperations);
  s.Operations = operations;
  if (!operations || !a.writable(operations, s.NumOperations * sizeof(*operations))) return;
  for (uint32_t i = 0; i < s.NumOperations; ++i) {
    auto& one = operations[i];
    // Kept as a number: one that is no value of the enumeration cannot be compared as one.
    auto type = static_cast<uint32_t>(a.number({0, 1, 2, 3}));
    std::memcpy(&one.OperationType, &type, sizeof(type));
    one.MapProtect.BaseAddress = a.gpu_address();
    one.MapProtect.SizeInBytes = a.number({0x10000, 0x1000, 0x20000});
    if (type == D3DDDI_UPDATEGPUVIRTUALADDRESS_COPY) {
      one.Copy.DestAddress = a.gpu_address();
    } else if (type != D3DDDI_UPDATEGPUVIRTUALADDRESS_UNMAP) {
      one.MapProtect.hAllocation = a.handle(Of::Allocation);
      one.MapProtect.AllocationOffsetInBytes = a.number({0, 0x1000});
      one.MapProtect.AllocationSizeInBytes = a.number({0x10000, 0x1000});
    }
    if (type == D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP_PROTECT) one.MapProtect.Protection.Value = a.flags(5);
  }
}
void fill(A& a, D3DKMT_FREEGPUVIRTUALADDRESS& s) {
  s.hAdapter = a.handle(Of::Adapter);
  s.BaseAddress = a.gpu_address();
  s.Size = a.number({0x10000, 0x20000, 0x1000, 0});
}

// --- What a call must not ask for here: a wait that no other thread ends ---
template <typename S>
void keep_from_waiting(A&, S&) {}
void keep_from_waiting(A& a, D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU& s) {
  if (!s.hAsyncEvent) s.hAsyncEvent = a.event();
  if (!s.hAsyncEvent) s.ObjectCount = 0;
}
void keep_from_waiting(A&, D3DKMT_UPDATEGPUVIRTUALADDRESS& s) { s.Flags.DoNotWait = 1; }
template <typename S>
void give_timeout(A& a, S& s) {
  if (!s.pTimeout) s.pTimeout = static_cast<PLARGE_INTEGER>(a.array<LARGE_INTEGER>(1));
  if (!s.pTimeout) s.hKeyedMutex = 0;
}
void keep_from_waiting(A& a, D3DKMT_ACQUIREKEYEDMUTEX& s) { give_timeout(a, s); }
void keep_from_waiting(A& a, D3DKMT_ACQUIREKEYEDMUTEX2& s) { give_timeout(a, s); }

// --- What a call gives to the client besides handles ---
template <typename S>
void note_given(FuzzMemory&, A&, S&) {}
void note_given(FuzzMemory& memory, A&, D3DKMT_CREATECONTEXT& s) {
  memory.note_given(s.pCommandBuffer, s.CommandBufferSize);
  memory.note_given(s.pAllocationList, s.AllocationListSize * sizeof(*s.pAllocationList));
  memory.note_given(s.pPatchLocationList, s.PatchLocationListSize * sizeof(*s.pPatchLocationList));
}
// The next call's lists, where the client was told to put them.
void note_given(FuzzMemory& memory, A& a, D3DKMT_RENDER& s) {
  memory.note_given(s.pNewCommandBuffer, s.NewCommandBufferSize);
  memory.note_given(s.pNewAllocationList, s.NewAllocationListSize * sizeof(*s.pNewAllocationList));
  memory.note_given(s.pNewPatchLocationList, s.NewPatchLocationListSize * sizeof(*s.pNewPatchLocationList));
  for (uint32_t i = 0; i < 3 && i < s.NewAllocationListSize; ++i) {
    s.pNewAllocationList[i].hAllocation = a.handle(Of::Allocation);
    s.pNewAllocationList[i].Value = a.flags(5);
  }
  for (uint32_t i = 0; i < 3 && i < s.NewPatchLocationListSize; ++i) {
    auto& patch = s.pNewPatchLocationList[i];
    patch = {};
    patch.AllocationIndex = static_cast<UINT>(a.number({0, 1}));
    patch.PatchOffset = static_cast<UINT>(a.number({8 + 32 * i, 0}));
    patch.SplitOffset = static_cast<UINT>(a.number({32 * i, 0}));
    if (a.input.rarely(8)) a.input.corrupt(&patch, sizeof(patch));
  }
}

void set_adapter(D3DKMT_OPENADAPTERFROMLUID& s, LUID adapter) { s.AdapterLuid = adapter; }
void set_adapter(D3DKMT_QUERYSTATISTICS& s, LUID adapter) { s.AdapterLuid = adapter; }
template <typename S>
void set_adapter(S&, LUID) {}

template <typename S>
NTSTATUS make_call(NTSTATUS (*function)(Client&, S*), Client& client, FuzzMemory& memory, FuzzArguments& a,
                   LUID adapter) {
  using Plain = std::remove_const_t<S>;
  auto* argument = static_cast<Plain*>(memory.make(sizeof(Plain)));
  if (!argument) return STATUS_SUCCESS;
  set_adapter(*argument, adapter);
  fill(a, *argument);
  if (a.input.rarely(5)) a.input.corrupt(argument, sizeof(Plain));
  keep_from_waiting(a, *argument);
  // Half of it readable, none of it, or readable and not writable.
  if (a.input.rarely(48)) return function(client, static_cast<S*>(a.bad_pointer(sizeof(Plain))));
  NTSTATUS status = function(client, argument);
  if (status >= 0) {
    a.keep_outs();
    note_given(memory, a, *argument);
  }
  return status;
}

}  // namespace

NTSTATUS fuzz_call(Client& client, FuzzMemory& memory, FuzzHandles& handles, const FuzzHandles& foreign, Thunk thunk,
                   base::testing::FuzzInput& input, LUID adapter) {
  memory.clear();
  FuzzArguments a(input, memory, handles, foreign, thunk);
  switch (thunk) {
#define THUNK(name, argument, file) \
  case Thunk::name:                 \
    return make_call<argument>(&name, client, memory, a, adapter);
#define REFUSED(name) \
  case Thunk::name:   \
    break;
#include "kmt/client/thunks.def"
  }
  return call(client, thunk, nullptr);  // refused
}

}  // namespace kmt::testing
