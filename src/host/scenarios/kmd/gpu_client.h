#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/scenarios/kmd/alloc_client.h"
#include "host/softgpu/gpu_commands.h"

struct SOFTGPU_ALLOCATION;  // drivers/softgpu/proto/softgpu_user.h

namespace host {

// A monitored fence of a client.
struct GpuFence {
  D3DKMT_HANDLE object = 0;
  const volatile uint64_t* value = nullptr;
  uint64_t address = 0;  // for the GPU; 0 where commands are patched
};

// A client of scenarios that gives the GPU work: a device, buffers that are mapped and resident, fences, escapes. Its
// contexts are in gpu_context.h. It uses softgpu's protocol; for any other driver its submissions are empty, its
// buffers are those that the driver itself describes, and no bytes are compared. Used on one thread at a time.
class GpuClient {
 public:
  using Kind = AllocClient::Kind;

  GpuClient(Graphics& graphics, const std::string& name)
      : name_(name), graphics_(graphics), allocations_(graphics, name), caps_(graphics.adapter().caps()) {}

  // The device and, from WDDM 2.0 on, its paging queue. False when the driver refused.
  bool open();
  // A second device in the place of the first one, which has been lost and destroyed.
  bool open_again() { return open_device(); }

  bool speaks() const { return speaks_; }
  bool has_addresses() const { return caps_.gpu_mmu; }
  bool has_residency() const { return caps_.wddm2(); }
  uint32_t nodes() const { return caps_.nodes; }
  uint64_t local_bytes() const { return local_bytes_; }  // 0 where the driver does not speak

  // --- Buffers ---
  enum class Place : uint8_t {
    Video,     // where the driver prefers it
    Visible,   // in local memory and seen by the CPU
    Readback,  // in the machine's memory, for the CPU to read
  };
  // Created, and no more.
  std::optional<GpuBuffer> create_buffer(uint64_t bytes, Place place, Kind kind = Kind::Alone);
  std::optional<GpuBuffer> open_buffer(D3DKMT_HANDLE global_share, uint64_t bytes);
  // A buffer that is mapped, and on the device's residency list.
  std::optional<GpuBuffer> make_buffer(uint64_t bytes, Place place, Kind kind = Kind::Alone);
  // Such a buffer of pixels, four bytes each and without gaps; where the driver speaks.
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
  // SOFTGPU_ESCAPE_…; `context` where the code names one. A client that makes the hardware misbehave takes back what
  // open() said of it: from then on engines may time out and interrupts get lost.
  NTSTATUS escape(uint32_t code, uint32_t engine, uint64_t argument, D3DKMT_HANDLE context = 0,
                  uint64_t* value = nullptr);
  D3DKMT_DEVICEEXECUTION_STATE state();
  bool lost() { return state() != D3DKMT_DEVICEEXECUTION_ACTIVE; }
  // What holds for a driver that speaks and has broken no rule, where nothing is made to fail and there is memory: it
  // is known what its memory holds.
  bool reliable() const;
  // The fact. Where it should hold and does not: a finding for a driver that speaks, as the work was correct and the
  // driver had it; of any other driver it is not known what its work does, and the scenario is incomplete. A finding
  // names the function of the scenario, and no line: its text stays the same when the scenario's file changes.
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
  void ask_driver();
  std::optional<GpuBuffer> create_speaking(SOFTGPU_ALLOCATION data, Kind kind);

  const std::string name_;
  Graphics& graphics_;
  AllocClient allocations_;
  const dxgk::AdapterCaps& caps_;
  D3DKMT_HANDLE adapter_ = 0;
  D3DKMT_HANDLE queue_ = 0;
  D3DKMT_HANDLE queue_fence_ = 0;
  uint64_t paging_value_ = 0;
  bool speaks_ = false;
  uint64_t local_bytes_ = 0;
};

}  // namespace host
