#pragma once

#include <cstdint>

namespace ob {

// What an object is. D3DKMT kinds carry the numbers of the handle manager that Microsoft published with WSL (observed);
// NT kinds are numbered by us, above all of those. Eight bits: the kind is part of a slot's word.
enum class ObjectKind : uint8_t {
  None = 0,

  Adapter = 1,
  SharedResource = 2,
  Device = 3,
  Resource = 4,
  Allocation = 5,
  Overlay = 6,
  Context = 7,
  SyncObject = 8,
  KeyedMutex = 9,
  PagingQueue = 10,
  DeviceSyncObject = 11,
  GraphicsProcess = 12,
  SharedVmObject = 13,
  ProtectedSession = 14,
  HwQueue = 15,
  RemoteBundle = 16,
  CompositionSurface = 17,
  CompositionSurfaceProxy = 18,
  TrackedWorkload = 19,
  MonitoredFence = 32,

  Process = 64,
  Thread = 65,
  Event = 66,
  Semaphore = 67,
  Mutant = 68,
  Timer = 69,
  Section = 70,
  File = 71,
  DeviceObject = 72,
  DriverObject = 73,
  Token = 74,
  Directory = 75,
  RegistryKey = 76,
  NtSharedResource = 77,    // what D3DKMTShareObjects makes of a resource; "DxgkSharedResource" on Windows
  NtSharedSyncObject = 78,  // the same of a synchronisation object; "DxgkSharedSyncObject"
  HostFile = 79,            // a file of the host, which has no FILE_OBJECT here
};

inline constexpr uint32_t kFirstNtKind = 64;
inline constexpr uint32_t kKindLimit = 256;

// A short lower-case name for traces and reports ("device", "paging-queue"); "unknown" for a number without one.
const char* kind_name(ObjectKind kind);

}  // namespace ob
