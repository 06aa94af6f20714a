#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "dxgk/paging/paging_builder.h"
#include "dxgk/paging/paging_work.h"

namespace dxgk {

class Adapter;
class DeviceQueue;
class Gpu;
class VideoBlock;
class VideoMemory;

// The thread that carries out what the video memory manager has planned: it has the driver build paging buffers, hands
// them to the scheduler, and waits for the GPU. Owned by the video memory.
class PagingThread final : private PagingBuilder::Sink {
 public:
  explicit PagingThread(VideoMemory& memory);
  ~PagingThread() override;

  // Before start(), in this order.
  base::Result<> make_buffers();
  uint64_t aperture_bytes() const;               // what the buffers take at the end of their aperture segment
  base::Result<> map_buffers(PagingWork& work);  // under the memory's lock; with GPU virtual addresses

  void start();
  // Nothing is posted any more, and everything has been carried out.
  void stop();
  void kick();
  // How many bytes the driver is offered in one call, from the next work on.
  void set_limit(size_t bytes) { limit_.store(bytes, std::memory_order_relaxed); }
  // Of how many bytes at most one transfer or fill is; a multiple of the page size.
  void set_transfer_limit(uint64_t bytes) { transfer_limit_.store(bytes, std::memory_order_relaxed); }
  // The driver failed at something.
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  // The adapter was reset: what is being carried out has lost its meaning. Under the memory's lock.
  void leave_off() { leave_off_.store(true, std::memory_order_release); }
  // The driver is told what has lost its content, without the GPU. Alone in the driver, on the scheduler's thread.
  void tell_losses(const vidmm::Plan& plan);
  // The steps are not carried out; what they own goes.
  static void dispose(PagingWork& work);
  // Nothing that runs concerns the device.
  void forget(const DeviceQueue& device);

 private:
  // A range of the paging process's addresses for one copy.
  struct Window {
    uint64_t source = 0;
    uint64_t destination = 0;
  };

  void make_builder();
  void work();
  void carry_out(PagingWork& work);
  void finish(PagingWork& work, bool could);
  base::Result<> step(PagingWork& work, PagingWork::Step& step);
  base::Result<> step(const vidmm::PagingOp& op);
  base::Result<> step(const TableChange& change);
  base::Result<> step(const ContextUpdate& update, std::span<const uint8_t> data);
  void step(const CpuViewChange& change);

  // Moving bytes: by segment addresses, or through windows of the paging process.
  uint64_t most_at_once() const;
  base::Result<> fill(const vidmm::PagingOp& op);
  base::Result<> copy(const vidmm::PagingOp& op);
  base::Result<> copy_seen(const vidmm::PagingOp& op);
  base::Result<> copy_unseen(const vidmm::PagingOp& op);
  base::Result<> copy_physically(const vidmm::PagingOp& op);
  base::Result<> copy_virtually(const vidmm::PagingOp& op);
  base::Result<> map_aperture(const vidmm::PagingOp& op);
  base::Result<> unmap_aperture(const vidmm::PagingOp& op);
  base::Result<> notify(const vidmm::PagingOp& op, bool resident);
  base::Result<> init_context(const vidmm::PagingOp& op);
  paging::Transfer loss_of(const vidmm::PagingOp& op) const;
  std::vector<paging::UnmapAperture> unmaps_of(const vidmm::PagingOp& op) const;
  base::Result<> decommit(const vidmm::PagingOp& op);
  base::Result<Window> next_window();
  base::Result<> aim(uint64_t va, VideoBlock& block, const vidmm::Place& place, uint64_t offset, uint64_t bytes,
                     bool write);

  base::Result<> apply(const TableChange& change, const vidmm::TableOp& op);
  void suspend_clients();
  void resume_clients();
  base::Result<> update(const TableChange& change, const vidmm::TableOp& op);
  base::Result<> flush_tlb(const TableChange& change, const vidmm::TableOp& op);
  void tell_paging_root();
  base::Result<> make_windows(PagingWork& work);
  base::Result<> place_in_aperture(PagingBuffer& buffer, uint64_t first_page);

  // PagingBuilder::Sink
  base::Result<> submit(const PagingBuilder::Submission& submission) override;
  void wait_for(PagingBuffer& buffer) override;
  void wait_idle(HANDLE allocation) override;
  void wait_for_packets();

  VideoMemory& memory_;
  Adapter& adapter_;
  Gpu& gpu_;
  std::vector<std::unique_ptr<PagingBuffer>> buffers_;
  std::unique_ptr<PagingBuilder> builder_;
  std::atomic<uint32_t> packets_{0};  // submitted and not retired
  std::atomic<bool> failed_{false};
  std::atomic<size_t> limit_{SIZE_MAX};
  std::atomic<uint64_t> transfer_limit_{UINT64_MAX};
  std::atomic<bool> leave_off_{false};
  std::atomic<bool> forget_aperture_{false};
  bool paused_ = false;  // nothing of clients goes to the hardware
  bool root_due_ = false;
  bool root_told_ = false;
  uint64_t windows_at_ = 0;  // the paging process's address of the first
  uint32_t next_window_ = 0;
  uint64_t dummy_page_ = 0;  // physical address: what an unmapped page of an aperture shows
  nt::RamBlock* dummy_ = nullptr;

  base::Mutex<base::LockRank::Adapter> lock_;
  base::Task* task_ GUARDED_BY(lock_) = nullptr;
  bool stopping_ GUARDED_BY(lock_) = false;
  bool left_ GUARDED_BY(lock_) = true;
  std::atomic<const DeviceQueue*> at_work_for_{nullptr};
};

}  // namespace dxgk
