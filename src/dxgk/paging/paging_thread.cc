#include "dxgk/paging/paging_thread.h"

#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/system_devices.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/object/device.h"
#include "dxgk/work/device_queue.h"
#include "dxgk/work/gpu.h"
#include "nt/mm/physical_memory.h"
#include "nt/mm/pool.h"

namespace dxgk {
namespace {

constexpr uint64_t kPage = vidmm::kPageBytes;

}  // namespace

PagingThread::PagingThread(VideoMemory& memory) : memory_(memory), adapter_(memory.adapter()), gpu_(adapter_.gpu()) {}

PagingThread::~PagingThread() {
  if (dummy_) adapter_.machine().physical().ram().free(*dummy_);
}

// --- Life ---

base::Result<> PagingThread::make_buffers() {
  nt::PhysicalMemory& physical = adapter_.machine().physical();
  dummy_ = physical.ram().allocate({.bytes = kPage, .fill = nt::PoolFill::Zero}, nt::ResourceKind::ContiguousMemory);
  if (!dummy_) return base::Failure(STATUS_NO_MEMORY, "no memory for the dummy page");
  dummy_page_ = *physical.physical(dummy_->block.address);
  make_builder();
  if (adapter_.caps().paging_buffer_bytes == 0) return {};
  for (size_t i = 0; i < kPagingBuffers; ++i) buffers_.push_back(TRY(PagingBuffer::create(adapter_)));
  if (adapter_.caps().paging_segment != 0 && !adapter_.caps().gpu_mmu) {
    const Segment& segment = *adapter_.caps().segment(adapter_.caps().paging_segment);
    uint64_t page = (segment.size - aperture_bytes()) / kPage;
    ParkingLock lock(adapter_.paging_mutex());
    for (const auto& buffer : buffers_) {
      TRY(place_in_aperture(*buffer, page));
      page += buffer->pages();
    }
  }
  for (const auto& buffer : buffers_) builder_->give(*buffer);
  return {};
}

void PagingThread::make_builder() {
  PagingBuilder::Sink& sink = *this;
  builder_ = std::make_unique<PagingBuilder>(adapter_, sink,
                                             PagingBuilder::Options{.system_context = adapter_.system_context()});
  for (const auto& buffer : buffers_) {
    buffer->restart();
    builder_->give(*buffer);
  }
}

uint64_t PagingThread::aperture_bytes() const {
  return buffers_.empty() ? 0 : paging_aperture_bytes(adapter_.caps().paging_buffer_bytes);
}

// At the end of the aperture, and without a buffer to build it in (observed).
base::Result<> PagingThread::place_in_aperture(PagingBuffer& buffer, uint64_t first_page) {
  const Segment& segment = *adapter_.caps().segment(adapter_.caps().paging_segment);
  paging::MapAperture map;
  map.segment = segment.id;
  map.first_page = first_page;
  map.pages = buffer.pages();
  map.mdl = buffer.mdl();
  TRY(builder_->now(map));
  buffer.place({segment.id, segment.base + first_page * kPage, 0});
  return {};
}

base::Result<> PagingThread::map_buffers(PagingWork& work) {
  AddressSpace& space = memory_.paging_space();
  for (const auto& buffer : buffers_) {
    uint64_t bytes = buffer->pages() * kPage;
    uint64_t va = TRY(space.reserve_own(bytes));
    std::vector<vidmm::PageRun> runs;
    for (size_t i = 0; i < buffer->pages(); ++i) {
      runs.push_back({.segment = 0, .page = MmGetMdlPfnArray(buffer->mdl())[i], .count = 1, .large = false});
    }
    TRY(space.map_runs(va, bytes, runs, {.write = true, .execute = true}, work));
    PagingBuffer::Placement placement = buffer->placement();
    placement.gpu_address = va;
    buffer->place(placement);
  }
  return make_windows(work);
}

void PagingThread::start() {
  {
    base::Guard guard(lock_);
    stopping_ = false;
    left_ = false;
  }
  adapter_.machine().create_thread({.name = "graphics paging", .body = [this] { work(); }, .housekeeping = true});
}

void PagingThread::stop() {
  {
    base::Guard guard(lock_);
    if (left_) return;
    stopping_ = true;
  }
  kick();
  memory_.changes_.wait(adapter_.machine(), [this] {
    base::Guard guard(lock_);
    return left_;
  });
}

void PagingThread::kick() {
  base::Task* task;
  {
    base::Guard guard(lock_);
    task = std::exchange(task_, nullptr);
  }
  if (task) adapter_.machine().executor().unpark(*task);
}

void PagingThread::forget(const DeviceQueue& device) {
  memory_.changes_.wait(adapter_.machine(), [&] { return at_work_for_.load() != &device; });
}

void PagingThread::work() {
  for (;;) {
    std::optional<PagingWork> work;
    {
      base::Guard guard(lock_);
      task_ = base::Executor::current();
      if (stopping_ || adapter_.machine().ending()) break;
    }
    {
      base::Guard guard(memory_.lock_);
      if (memory_.posted_.empty()) {
        memory_.wants_thread_.store(false, std::memory_order_release);
      } else {
        work = std::move(memory_.posted_.front());
        memory_.posted_.pop_front();
        leave_off_.store(false, std::memory_order_relaxed);
        at_work_for_.store(work->device);
      }
    }
    if (!work) {
      adapter_.machine().executor().park(base::kForever, base::Point::Wait);
      continue;
    }
    carry_out(*work);
  }
  {
    base::Guard guard(lock_);
    task_ = nullptr;
    left_ = true;
  }
  memory_.changes_.notify(adapter_.machine());
}

// --- Work ---

void PagingThread::carry_out(PagingWork& work) {
  bool could = true;
  if (forget_aperture_.exchange(false, std::memory_order_acq_rel)) make_builder();
  builder_->set_limit(limit_.load(std::memory_order_relaxed));
  for (PagingWork::Step& each : work.steps) {
    if (leave_off_.load(std::memory_order_acquire)) break;
    base::Result<> done = step(work, each);
    if (done.ok()) continue;
    could = false;
    adapter_.machine().note(trace::Refusal{.status = done.status(),
                                           .reason = done.failure().why(),
                                           .file = done.failure().where().file,
                                           .line = done.failure().where().line});
    break;
  }
  if (root_due_) tell_paging_root();
  if (!buffers_.empty() && adapter_.talks_to_driver()) {
    ParkingLock lock(adapter_.paging_mutex());
    static_cast<void>(builder_->flush());
  }
  wait_for_packets();
  next_window_ = 0;
  finish(work, could);
}

// If the work failed, the device that needed it is lost. Threads that wait for the work are woken in any case.
void PagingThread::finish(PagingWork& work, bool could) {
  dispose(work);
  if (!could && adapter_.talks_to_driver()) failed_.store(true, std::memory_order_release);
  if (DeviceQueue* device = at_work_for_.load() ? work.device : nullptr) {
    if (!could) gpu_.lose(device->owner, Device::State::Error);
  }
  memory_.carried_out_.fetch_add(1, std::memory_order_release);
  if (work.done) work.done();
  if (work.device) gpu_.memory_ready(work.device->state);
  at_work_for_.store(nullptr);
  memory_.changes_.notify(adapter_.machine());
  adapter_.destructions().kick();
}

void PagingThread::dispose(PagingWork& work) {
  for (PagingWork::Step& each : work.steps) {
    const auto* change = std::get_if<TableChange>(&each);
    if (!change) continue;
    for (const vidmm::TableOp& op : change->ops->ops()) {
      if (op.kind == vidmm::TableOp::Kind::Free) AddressSpace::dispose(*op.table);
    }
  }
  work.steps.clear();
}

base::Result<> PagingThread::step(PagingWork& work, PagingWork::Step& each) {
  if (const auto* change = std::get_if<CpuViewChange>(&each)) {
    step(*change);
    return {};
  }
  if (!adapter_.talks_to_driver()) return {};
  if (const auto* update = std::get_if<ContextUpdate>(&each)) return step(*update, work.data);
  if (const auto* change = std::get_if<TableChange>(&each)) return step(*change);
  return step(std::get<vidmm::PagingOp>(each));
}

// --- After a reset ---

namespace {

// Discards what the driver builds for notices: the GPU is not to be used for them (documented).
class DiscardingSink final : public PagingBuilder::Sink {
 public:
  base::Result<> submit(const PagingBuilder::Submission&) override { return {}; }
  void wait_for(PagingBuffer&) override {}
  void wait_idle(HANDLE) override {}
};

}  // namespace

// Tells the driver of a transfer of no bytes for each block that was in a memory segment, and of unmapped apertures
// (TR-02). The builder's own record of apertures begins anew.
void PagingThread::tell_losses(const vidmm::Plan& plan) {
  if (!adapter_.talks_to_driver() || buffers_.empty()) return;
  auto buffer = PagingBuffer::create(adapter_);
  if (!buffer.ok()) return;
  DiscardingSink discarding;
  PagingBuilder notices(adapter_, discarding, {.system_context = adapter_.system_context()});
  notices.give(*buffer.value());
  for (const vidmm::PagingOp& op : plan) {
    if (VideoBlock::of(*op.block).page_table) continue;
    if (op.kind == vidmm::PagingOp::Kind::Lose) static_cast<void>(notices.add(loss_of(op)));
    if (op.kind != vidmm::PagingOp::Kind::UnmapAperture) continue;
    for (const paging::UnmapAperture& unmap : unmaps_of(op)) static_cast<void>(notices.add(unmap));
  }
  forget_aperture_.store(true, std::memory_order_release);
}

// --- PagingBuilder::Sink ---

base::Result<> PagingThread::submit(const PagingBuilder::Submission& part) {
  Submission& submission = gpu_.make(vidsch::PacketKind::Paging);
  submission.paging.emplace(part);
  submission.paging_left = &packets_;
  packets_.fetch_add(1, std::memory_order_relaxed);
  gpu_.enqueue_paging(submission);
  return {};
}

// The scheduler's thread needs the mutex to submit what is waited for.
void PagingThread::wait_for(PagingBuffer&) {
  adapter_.paging_mutex().unlock();
  wait_for_packets();
  adapter_.paging_mutex().lock();
}

void PagingThread::wait_idle(HANDLE) {
  adapter_.paging_mutex().unlock();
  gpu_.wait_for_hardware();
  wait_for_packets();
  adapter_.paging_mutex().lock();
}

void PagingThread::wait_for_packets() {
  gpu_.wait([this] { return packets_.load(std::memory_order_acquire) == 0; });
}

}  // namespace dxgk
