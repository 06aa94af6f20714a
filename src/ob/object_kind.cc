#include "ob/object_kind.h"

namespace ob {

const char* kind_name(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::None:
      return "none";
    case ObjectKind::Adapter:
      return "adapter";
    case ObjectKind::SharedResource:
      return "shared-resource";
    case ObjectKind::Device:
      return "device";
    case ObjectKind::Resource:
      return "resource";
    case ObjectKind::Allocation:
      return "allocation";
    case ObjectKind::Overlay:
      return "overlay";
    case ObjectKind::Context:
      return "context";
    case ObjectKind::SyncObject:
      return "sync-object";
    case ObjectKind::KeyedMutex:
      return "keyed-mutex";
    case ObjectKind::PagingQueue:
      return "paging-queue";
    case ObjectKind::DeviceSyncObject:
      return "device-sync-object";
    case ObjectKind::GraphicsProcess:
      return "graphics-process";
    case ObjectKind::SharedVmObject:
      return "shared-vm-object";
    case ObjectKind::ProtectedSession:
      return "protected-session";
    case ObjectKind::HwQueue:
      return "hw-queue";
    case ObjectKind::RemoteBundle:
      return "remote-bundle";
    case ObjectKind::CompositionSurface:
      return "composition-surface";
    case ObjectKind::CompositionSurfaceProxy:
      return "composition-surface-proxy";
    case ObjectKind::TrackedWorkload:
      return "tracked-workload";
    case ObjectKind::MonitoredFence:
      return "monitored-fence";
    case ObjectKind::Process:
      return "process";
    case ObjectKind::Thread:
      return "thread";
    case ObjectKind::Event:
      return "event";
    case ObjectKind::Semaphore:
      return "semaphore";
    case ObjectKind::Mutant:
      return "mutant";
    case ObjectKind::Timer:
      return "timer";
    case ObjectKind::Section:
      return "section";
    case ObjectKind::File:
      return "file";
    case ObjectKind::DeviceObject:
      return "device-object";
    case ObjectKind::DriverObject:
      return "driver-object";
    case ObjectKind::Token:
      return "token";
    case ObjectKind::Directory:
      return "directory";
    case ObjectKind::RegistryKey:
      return "registry-key";
    case ObjectKind::NtSharedResource:
      return "nt-shared-resource";
    case ObjectKind::NtSharedSyncObject:
      return "nt-shared-sync-object";
    case ObjectKind::HostFile:
      return "host-file";
  }
  return "unknown";
}

}  // namespace ob
