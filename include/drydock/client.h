#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "drydock/export.h"
#include "drydock/ledger.h"

namespace drydock {

namespace internal {
class Client;
}

using Status = std::int32_t;   // NTSTATUS
using Handle = std::uint32_t;  // D3DKMT_HANDLE

inline constexpr Status kSuccess = 0;  // STATUS_SUCCESS
// What every call returns after the machine has stopped: STATUS_DEVICE_REMOVED. Host::stop_reason() says why it
// stopped.
inline constexpr Status kMachineStopped = static_cast<Status>(0xC00002B6u);

// D3DDDICB_DESTROYALLOCATION2FLAGS, under the documented names.
enum DestroyFlags : std::uint32_t { NoFlags = 0, AssumeNotInUse = 1, SynchronousDestroy = 2 };
constexpr DestroyFlags operator|(DestroyFlags a, DestroyFlags b) {
  return static_cast<DestroyFlags>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}

enum class Sharing : std::uint8_t { Private, GlobalHandle, NtHandle };

// How allocations are made. Without private data the driver is asked for its own description of a surface that the CPU
// can see (DxgkDdiGetStandardAllocationDriverData), so that every driver understands it.
struct AllocationOptions {
  std::uint32_t count = 1;
  std::uint64_t bytes = 64 * 1024;         // of each; the driver is told only where it is asked for a description
  std::vector<std::uint8_t> private_data;  // pPrivateDriverData of each
};

struct ResourceOptions : AllocationOptions {
  Sharing sharing = Sharing::Private;
};

// The arguments of D3DKMTShareObjects, which alone takes more than one: what Process::call wants for it.
struct ShareObjectsArguments {
  std::uint32_t cObjects;
  const Handle* hObjects;
  void* pObjectAttributes;  // OBJECT_ATTRIBUTES*
  std::uint32_t dwDesiredAccess;
  void** phSharedNtHandle;
};

class Allocation;
class Device;
class Direct3D9;
class Resource;

// A process that uses the graphics kernel, as the kernel sees it: handles, devices, memory. Processes, devices,
// resources and allocations are values that name something in the host: copies name the same, none of them owns it, and
// each may outlive it. What is not destroyed goes when its process ends, as on Windows.
//
// A call runs on the machine and has ended when it returns. Any thread; one at a time.
class DRYDOCK_API Process {
 public:
  const std::string& name() const;

  // Any D3DKMT function by its name, with its structure of <d3dkmthk.h>:
  //   D3DKMT_DESTROYALLOCATION2 args{};
  //   process.call("D3DKMTDestroyAllocation2", &args);
  // A name that is not known is STATUS_NOT_SUPPORTED, a structure of another size STATUS_INVALID_PARAMETER; why() says
  // so.
  template <typename Arguments>
  Status call(const char* function, Arguments* arguments) const {
    return call_sized(function, const_cast<void*>(static_cast<const void*>(arguments)), sizeof(Arguments));
  }
  // Why the last call that failed was refused, in one sentence; empty when none was.
  std::string why() const;

  // A handle of the host's adapter (D3DKMTOpenAdapterFromLuid); 0 when it was refused.
  Handle open_adapter() const;
  // Opens the adapter and creates a device on it (D3DKMTCreateDevice).
  Device open_device() const;
  // The same through the host's user-mode driver: <drydock/direct3d.h>.
  Direct3D9 direct3d9() const;

  Ledger ledger() const;
  // The process ends with everything it has open. Host::stop() does this to all of them.
  void end() const;

 private:
  friend class Allocation;
  friend class Device;
  friend class Host;
  friend class Resource;
  explicit Process(std::shared_ptr<internal::Client> client);
  Status call_sized(const char* function, void* arguments, std::size_t bytes) const;

  std::shared_ptr<internal::Client> client_;
};

// An allocation on a device, of a resource or alone.
class DRYDOCK_API Allocation {
 public:
  Handle handle() const { return handle_; }
  // Alone in a list.
  Status destroy(DestroyFlags flags = NoFlags) const;

 private:
  friend class Device;
  Allocation(std::shared_ptr<internal::Client> client, Handle device, Handle handle);

  std::shared_ptr<internal::Client> client_;
  Handle device_;
  Handle handle_;
};

// A resource and the allocations it was made with. False when it could not be made: status() and why() say more.
class DRYDOCK_API Resource {
 public:
  explicit operator bool() const { return status_ >= 0; }
  Status status() const { return status_; }
  const std::string& why() const { return why_; }

  Handle handle() const { return handle_; }
  Handle global_share() const { return global_share_; }  // Sharing::GlobalHandle
  const std::vector<Allocation>& allocations() const { return allocations_; }
  // The resource with all of its allocations.
  Status destroy(DestroyFlags flags = NoFlags) const;

 private:
  friend class Device;
  Resource(std::shared_ptr<internal::Client> client, Handle device);

  std::shared_ptr<internal::Client> client_;
  Handle device_;
  Handle handle_ = 0;
  Handle global_share_ = 0;
  std::vector<Allocation> allocations_;
  Status status_ = kSuccess;
  std::string why_;
};

// A device of a process. False when it could not be made: status() and why() say more.
class DRYDOCK_API Device {
 public:
  explicit operator bool() const { return status_ >= 0; }
  Status status() const { return status_; }
  const std::string& why() const { return why_; }

  Handle handle() const { return handle_; }
  Process process() const;

  Resource create_resource(std::uint32_t count = 1) const;
  Resource create_resource(const ResourceOptions& options) const;
  // Allocations that belong to the device alone; none when they were refused, which Process::why() explains.
  std::vector<Allocation> create_allocations(const AllocationOptions& options) const;
  // In one call: all of them of one resource, or none of any.
  Status destroy(const std::vector<Allocation>& allocations, DestroyFlags flags = NoFlags) const;
  // The device itself (D3DKMTDestroyDevice).
  Status destroy() const;

 private:
  friend class Process;
  explicit Device(std::shared_ptr<internal::Client> client);

  std::shared_ptr<internal::Client> client_;
  Handle handle_ = 0;
  Status status_ = kSuccess;
  std::string why_;
};

}  // namespace drydock
