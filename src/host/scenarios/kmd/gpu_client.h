#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/scenarios/kmd/alloc_client.h"
#include "host/workload/gpu_commands.h"
#include "host/workload/workload_client.h"

namespace host {

// A monitored fence of a client.
struct GpuFence {
  D3DKMT_HANDLE object = 0;
  const volatile uint64_t* value = nullptr;
  uint64_t address = 0;  // for the GPU; 0 where commands are patched
};

// A client of scenarios that gives the GPU work: a device, buffers that are mapped and resident, fences, escapes. Its
// contexts are in gpu_context.h. What the driver's private data and commands are it learns from the driver's workload;
// without one its submissions are empty, its buffers are those that the driver itself describes, and no bytes are
// compared. Used on one thread at a time.
class GpuClient {
 public:
  using Kind = AllocClient::Kind;

  GpuClient(Graphics& graphics, const std::string& name)
      : name_(name), graphics_(graphics), allocations_(graphics, name), caps_(graphics.adapter().caps()) {}

  // The device and, from WDDM 2.0 on, its paging queue. False when the driver refused.
  bool open();
  // A second device in the place of the first one, which has been lost and destroyed.
  bool open_again() { return open_device(); }

  // Whether the driver has a workload, and that is for this adapter.
  bool has_workload() const { return workload_ != nullptr; }
  const WorkloadClient& workload() const { return *workload_; }
  bool knows(uint32_t kind, uint32_t node) const { return workload_ && workload_->knows(kind, node); }
  // Why a scenario cannot be tried that needs work of these kinds on node 0, and hardware that misbehaves in these
  // ways; empty: it can.
  std::string missing(std::initializer_list<uint32_t> work, std::initializer_list<uint32_t> hardware = {}) const;
  uint32_t alignment() const { return workload_ ? workload_->alignment() : 1; }  // of fills and copies
  // The commands for a node; empty ones where there is no workload. Nothing when the workload failed: then the scenario
  // is incomplete.
  std::optional<BuiltCommands> build(const GpuCommands& commands, uint32_t node) const;
  bool has_addresses() const { return caps_.gpu_mmu; }
  bool has_residency() const { return caps_.wddm2(); }
  uint32_t nodes() const { return caps_.nodes; }

  // --- Buffers ---
  enum class Place : uint8_t {
    Video,     // where the driver prefers it
    Visible,   // in local memory and seen by the CPU
    Readback,  // in the machine's memory, for the CPU to read
    Commands,  // holds commands for the GPU
  };
  // Created, and no more.
  std::optional<GpuBuffer> create_buffer(uint64_t bytes, Place place, Kind kind = Kind::Alone);
  // The private data of such a buffer, and one that is made from private data; only where there is a workload.
  std::optional<std::vector<uint8_t>> describe(const DRYDOCK_WORKLOAD_MEMORY& memory) const;
  std::optional<GpuBuffer> create_from(std::vector<uint8_t> private_data, uint64_t bytes, Kind kind = Kind::Alone);
  static DRYDOCK_WORKLOAD_MEMORY memory_of(uint64_t bytes, Place place);
  std::optional<GpuBuffer> open_buffer(D3DKMT_HANDLE global_share, uint64_t bytes);
  // A buffer that is mapped, and on the device's residency list.
  std::optional<GpuBuffer> make_buffer(uint64_t bytes, Place place, Kind kind = Kind::Alone);
  // Such a buffer of pixels, four bytes each and without gaps; where there is a workload.
  std::optional<GpuBuffer> make_surface(uint32_t width, uint32_t height);
  bool prepare(GpuBuffer& buffer);
  NTSTATUS destroy_buffer(const GpuBuffer& buffer, D3DDDICB_DESTROYALLOCATION2FLAGS flags = {});

  // The address is not to be used before the fence: what these return is STATUS_PENDING then, and wait_for_paging()
  // waits for the last one.
  NTSTATUS map(GpuBuffer& buffer);
  // A client that has nothing left to evict says so, and is given room before others.
  enum class Trim : uint8_t { Can, Cannot };
  NTSTATUS make_resident(const GpuBuffer& buffer, Trim trim = Trim::Can);
  NTSTATUS evict(const GpuBuffer& buffer);
  NTSTATUS wait_for_paging();
  D3DKMT_HANDLE paging_queue() const { return queue_; }
  D3DKMT_HANDLE paging_fence() const { return queue_fence_; }
  uint64_t paging_value() const { return paging_value_; }
  void expect_paging(uint64_t value) { paging_value_ = value; }

  NTSTATUS lock(const GpuBuffer& buffer, uint8_t** bytes);
  NTSTATUS unlock(const GpuBuffer& buffer);
  // All of a buffer, by a lock. Nothing when it could not be locked.
  std::vector<uint8_t> read(const GpuBuffer& buffer);
  NTSTATUS write(const GpuBuffer& buffer, std::span<const uint8_t> bytes);

  // --- Synchronisation ---
  std::optional<D3DKMT_HANDLE> make_object(D3DDDI_SYNCHRONIZATIONOBJECTINFO2 info);
  std::optional<GpuFence> make_fence();
  NTSTATUS wait(D3DKMT_HANDLE fence, uint64_t value);
  NTSTATUS signal(D3DKMT_HANDLE fence, uint64_t value);
  NTSTATUS destroy_object(D3DKMT_HANDLE object);

  // --- The rest ---
  // By an escape of the workload's: DRYDOCK_HARDWARE_…; `context` where the kind is about one. A client that makes the
  // hardware misbehave takes back what open() said of it: from then on engines may time out and interrupts get lost.
  NTSTATUS misbehave(uint32_t kind, uint32_t node, uint64_t value, D3DKMT_HANDLE context = 0);
  bool can_misbehave(uint32_t kind) const { return workload_ && workload_->can_misbehave(kind); }
  D3DKMT_DEVICEEXECUTION_STATE state();
  bool lost() { return state() != D3DKMT_DEVICEEXECUTION_ACTIVE; }
  // What holds for a driver that has a workload and has broken no rule, where nothing is made to fail and there is
  // memory: it is known what its memory holds.
  bool reliable() const;
  // The fact. Where it should hold and does not: a finding for a driver that has a workload, as the work was correct
  // and the driver had it; of any other driver it is not known what its work does, and the scenario is incomplete. A
  // finding names the function of the scenario, and no line: its text stays the same when the scenario's file changes.
  bool expect(bool fact, const char* step = __builtin_FUNCTION(), base::Here where = base::Here::now()) const;
  bool succeeds(NTSTATUS status, const char* step = __builtin_FUNCTION(), base::Here where = base::Here::now()) const;
  // The same for memory that holds what `what` says, or does not.
  bool expect_content(bool right, const char* what) const;

  void destroy_device() { allocations_.destroy_device(); }
  void end() { allocations_.end(); }
  D3DKMT_HANDLE device() const { return allocations_.device(); }
  D3DKMT_HANDLE adapter() const { return adapter_; }
  kmt::Client& client() { return allocations_.client(); }
  nt::Machine& machine() { return client().machine(); }
  NTSTATUS answered(const char* thunk, NTSTATUS status) { return allocations_.answered(thunk, status); }

 private:
  bool open_device();
  void open_workload();
  std::optional<GpuBuffer> create_described(DRYDOCK_WORKLOAD_MEMORY memory, Kind kind);

  const std::string name_;
  Graphics& graphics_;
  AllocClient allocations_;
  const dxgk::AdapterCaps& caps_;
  D3DKMT_HANDLE adapter_ = 0;
  D3DKMT_HANDLE queue_ = 0;
  D3DKMT_HANDLE queue_fence_ = 0;
  uint64_t paging_value_ = 0;
  std::unique_ptr<WorkloadClient> workload_;
};

}  // namespace host
