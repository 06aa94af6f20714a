#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <span>

#include "base/mutex.h"
#include "base/result.h"
#include "base/roster.h"
#include "dxgk/memory/address_space.h"
#include "dxgk/memory/video_block.h"
#include "dxgk/paging/paging_work.h"
#include "dxgk/sync/condition.h"
#include "vidmm/manager/manager.h"

namespace dxgk {

class Adapter;
class Allocation;
class Device;
class DeviceQueue;
class PagingQueue;
class PagingThread;
class ProcessAdapter;
struct Submission;

// The video memory of one adapter: what is where, every process's GPU addresses, and the thread that moves bytes. Owned
// by the adapter, from its start to its stop.
//
// There are two states. The planned one is here, under one lock: vidmm::Manager, the address spaces and their page
// tables. A call that changes it computes what has to be done and posts that before it leaves the lock. The state that
// the GPU sees follows: the paging thread carries out what was posted, in that order. So a plan may reuse what an
// earlier one frees, and does not have to ask what has already happened.
class VideoMemory {
 public:
  using Lock = base::Mutex<base::LockRank::Memory>;

  explicit VideoMemory(Adapter& adapter);
  ~VideoMemory();

  // Makes the paging buffers and the paging process's page tables. When the scheduler runs.
  base::Result<> start();
  // Everything that was posted has been carried out; the clients' memory is gone.
  void stop();

  Adapter& adapter() { return adapter_; }
  Lock& lock() RETURN_CAPABILITY(lock_) { return lock_; }
  void assert_locked() const ASSERT_CAPABILITY(lock_) { lock_.assert_held(); }
  vidmm::Manager& manager() REQUIRES(lock_) { return *manager_; }

  // --- Planning (under the lock) ---
  // The manager's block of an allocation; made at the first use.
  VideoBlock& block_of(Allocation& allocation) REQUIRES(lock_);
  // The block is destroyed: no address leads to it any more, and the manager forgets it.
  void remove(VideoBlock& block, PagingWork& work) REQUIRES(lock_);
  // Adds the plan's steps, and the changes of GPU addresses that they need.
  base::Result<> add(const vidmm::Plan& plan, PagingWork& work) REQUIRES(lock_);
  // The pages of a place, for page tables.
  base::Result<> runs_of(VideoBlock& block, const vidmm::Place& place, uint64_t offset, uint64_t bytes,
                         std::vector<vidmm::PageRun>& out) REQUIRES(lock_);
  // Commits the block's bytes in the machine's memory, where a device can reach them.
  base::Result<> hold(VideoBlock& block) REQUIRES(lock_);
  // Queues the work and returns its number; passed() tells whether it is done. The caller wakes the thread with kick(),
  // without the lock.
  uint64_t post(PagingWork work) REQUIRES(lock_);

  // --- The thread ---
  void kick();
  bool wants_thread() const { return wants_thread_.load(std::memory_order_acquire); }
  bool passed(uint64_t work) const { return carried_out_.load(std::memory_order_acquire) >= work; }
  // At PASSIVE_LEVEL, with no mutex held.
  void wait(uint64_t work);
  void wait_idle();
  // The same for a thread that is in the driver, and so holds a mutex. False: the adapter is being reset, which needs
  // every thread out of the driver; the work may never be carried out.
  bool wait_in_driver(uint64_t work);
  // From here to end_reset() no thread waits in the driver. On the scheduler's thread.
  void begin_reset();
  void end_reset() { resetting_.store(false, std::memory_order_release); }

  // --- Residency ---
  struct Residency {
    NTSTATUS status = STATUS_SUCCESS;  // or STATUS_PENDING
    uint64_t fence = 0;                // of the paging queue
    uint64_t bytes_to_trim = 0;
  };
  base::Result<Residency> make_resident(PagingQueue& queue, std::span<Allocation* const> allocations,
                                        vidmm::MakeResidentFlags flags);
  base::Result<uint64_t> evict(Device& device, std::span<Allocation* const> allocations, vidmm::EvictFlags flags);
  base::Result<> offer(std::span<Allocation* const> allocations, vidmm::OfferPriority priority);
  base::Result<Residency> reclaim(PagingQueue* queue, std::span<Allocation* const> allocations,
                                  std::span<vidmm::ReclaimResult> results);
  void set_priority(Allocation& allocation, uint32_t priority);
  bool offered(const Allocation& allocation);

  // --- Locks (video_memory_lock.cc) ---
  // Makes the bytes reachable for the CPU; returns when they are. With no mutex held.
  base::Result<> lock_bytes(Allocation& allocation);
  void unlock_bytes(Allocation& allocation);
  // The address at which a program that has locked the allocation sees the bytes, wherever they are.
  base::Result<void*> cpu_address(Allocation& allocation);
  // A program's address leads to the block's place, and has to follow when the block moves.
  bool seen_by_cpu(const VideoBlock& block);
  // The files that hold the bytes of a block at a place. Without the memory's lock: the device model is asked.
  base::Result<std::vector<vidmm::FilePart>> files_of(const VideoBlock& block, const vidmm::Place& place);

  // --- Ends ---
  // A device's view of an allocation is being closed: it leaves the device's list, and the process's addresses if no
  // other device of the process has a view. Returns the work to wait for; 0 for none.
  uint64_t close(Device& device, Allocation& allocation, bool last_of_process);
  // The allocation is destroyed: nothing of it is left in video memory or in page tables when the returned work has
  // passed.
  uint64_t release(Allocation& allocation);
  // Takes the rest of it, when that work has passed. A thread that still waits to lock it finds nothing.
  std::unique_ptr<VideoBlock> take(Allocation& allocation);

  // --- For the scheduler, under its lock ---
  // Whether everything on the device's list is resident. If not, work to that end is posted, and Gpu::memory_ready
  // follows.
  bool ready(DeviceQueue& device);
  // The same for the blocks that one packet names (video_memory_physical.cc).
  bool ready(Submission& submission);
  void retired(Submission& submission);
  // Devices that found no room because of others that run. They are asked again when one of those has left the
  // hardware.
  bool has_waiters() const { return has_waiters_.load(std::memory_order_relaxed); }
  void take_waiters(std::vector<DeviceQueue*>& out);
  // The device has no more work: it is taken off the lists here.
  void forget(DeviceQueue& device);

  // --- Addresses (video_memory_addresses.cc) ---
  struct Mapped {
    uint64_t address = 0;
    NTSTATUS status = STATUS_SUCCESS;  // or STATUS_PENDING
    uint64_t fence = 0;                // of the paging queue
  };
  // `what` null: addresses without memory. The request's `what` is filled in here.
  base::Result<Mapped> map(PagingQueue& queue, Allocation* what, vidmm::VaSpace::MapRequest request);
  base::Result<uint64_t> reserve(ProcessAdapter& process, const vidmm::VaSpace::ReserveRequest& request);
  // Returns when the GPU cannot reach anything there any more (RS-10). With no mutex held.
  base::Result<> free(ProcessAdapter& process, uint64_t base, uint64_t bytes);
  // The updates' `what` are filled in from `allocations`, one for each.
  base::Result<uint64_t> update(ProcessAdapter& process, std::span<vidmm::VaSpace::Update> updates,
                                std::span<Allocation* const> allocations);
  // The process's address space, made at the first use; null on adapters without GPU virtual addresses.
  base::Result<AddressSpace*> make_address_space(ProcessAdapter& process) REQUIRES(lock_);
  AddressSpace* address_space(ProcessAdapter& process) REQUIRES(lock_);
  AddressSpace& paging_space() { return *paging_space_; }
  // The process has left the adapter: nothing of it runs any more. With no mutex held.
  void end_process(ProcessAdapter& process);

  // The adapter was reset: contents of memory segments are lost.
  void lose_contents();

  // Moves what lies in a memory segment so that its largest gap grows, where the driver says that it may be moved.
  base::Result<> defragment(uint32_t segment);

  // A device was lost because there was no room for what it must have: the clients asked for too much, and neither they
  // nor the driver broke a rule.
  bool gave_up() const { return gave_up_.load(std::memory_order_relaxed); }

  // Deviations for checks: the memory manager's own, and the size of the buffer that a driver gets for paging
  // operations.
  void set_knobs(const vidmm::Knobs& knobs);
  void set_paging_limit(size_t bytes);
  // Moves are split into parts of at most so many bytes; a multiple of the page size.
  void set_transfer_limit(uint64_t bytes);

 private:
  friend class AddressSpace;  // which puts itself on the list
  friend class PagingThread;
  std::vector<vidmm::SegmentInfo> segment_infos() const;
  // The block's mappings lead to the place.
  base::Result<> rebind(VideoBlock& block, const vidmm::Place& place, PagingWork& work) REQUIRES(lock_);
  vidmm::BlockTraits traits_of(const Allocation& allocation) const REQUIRES(lock_);
  // Whether the CPU sees a memory segment: the driver says so, and the device model has memory there.
  bool cpu_sees(const Segment& segment) const;
  // Whether it is locked where it is, in a memory segment that the CPU sees.
  bool cpu_follows(const Allocation& allocation) const REQUIRES(lock_);
  base::Result<> make_cpu_view(VideoBlock& block) REQUIRES(lock_);
  // The contents of segments are gone: CPU views of locked allocations show their system memory.
  void show_backings() REQUIRES(lock_);
  uint32_t supported_segments(const Allocation& allocation) const;
  // Whether some device that runs has left the hardware since it was prepared: it may be evicted for others.
  bool mark_idle_devices() REQUIRES(lock_);
  void post_for(DeviceQueue& device) REQUIRES(lock_);
  void trace_segments() REQUIRES(lock_);
  PagingWork losing(Device& device);
  void wait_in_line(DeviceQueue& device) REQUIRES(lock_);
  base::Result<Residency> try_make_resident(PagingQueue& queue, std::span<Allocation* const> allocations,
                                            vidmm::MakeResidentFlags flags);
  // The plan in plan_ as work that signals `queue` when it is done.
  base::Result<uint64_t> post_plan(DeviceQueue* device, PagingQueue* queue) REQUIRES(lock_);

  Adapter& adapter_;
  Lock lock_;
  std::unique_ptr<vidmm::Manager> manager_ PT_GUARDED_BY(lock_);
  std::unique_ptr<AddressSpace> paging_space_;
  std::deque<PagingWork> posted_ GUARDED_BY(lock_);
  uint64_t next_work_ GUARDED_BY(lock_) = 1;
  std::vector<uint64_t> traced_ GUARDED_BY(lock_);  // of each segment, the bytes in use that the trace last told
  std::atomic<uint64_t> carried_out_{0};
  std::atomic<bool> wants_thread_{false};
  std::atomic<bool> resetting_{false};
  std::unique_ptr<PagingThread> thread_;
  vidmm::Plan plan_ GUARDED_BY(lock_);  // scratch
  std::vector<vidmm::Block*> blocks_ GUARDED_BY(lock_);
  base::Roster<VideoBlock> viewed_ GUARDED_BY(lock_);    // those with a cpu_view
  base::Roster<AddressSpace> spaces_ GUARDED_BY(lock_);  // every one, in the order of their creation
  std::vector<DeviceQueue*> running_ GUARDED_BY(lock_);  // prepared, and not marked idle since
  std::vector<DeviceQueue*> waiting_ GUARDED_BY(lock_);  // first come, first served
  std::atomic<bool> has_waiters_{false};
  std::atomic<bool> gave_up_{false};
  Condition changes_;
};

}  // namespace dxgk
