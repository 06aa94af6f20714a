#include "dxgk/work/gpu.h"

#include "base/raw_enum.h"
#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/kernel.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/object/context.h"
#include "dxgk/object/context_allocation.h"
#include "dxgk/work/device_queue.h"
#include "dxgk/work/dma_buffer.h"
#include "dxgk/work/queue_waiter.h"
#include "nt/hardware/interrupts.h"
#include "nt/mm/pool.h"

namespace dxgk {
namespace {

vidsch::SchedulerConfig config_of(const AdapterCaps& caps, const Policy& policy) {
  vidsch::SchedulerConfig config;
  config.nodes = caps.nodes;
  config.preemption_aware = caps.driver.SchedulingCaps.PreemptionAware;
  config.cancel_aware = caps.driver.SchedulingCaps.CancelCommandAware;
  config.per_engine_tdr = caps.driver.SupportPerEngineTDR;
  if (caps.driver.SchedulingCaps.HwQueuePacketCap) {
    config.hardware_depth = caps.driver.SchedulingCaps.HwQueuePacketCap;
  }
  config.timeout = policy.timeout;
  return config;
}

Submission& submission_of(vidsch::Packet& packet) { return static_cast<Submission&>(packet); }
ContextQueue& queue_of(vidsch::Context& context) { return static_cast<ContextQueue&>(context); }

}  // namespace

Gpu::Gpu(Adapter& adapter) : adapter_(adapter), machine_(adapter.machine()) {}

Gpu::~Gpu() { CHECK_MSG(!scheduler_ || !base::Executor::current(), "a GPU goes while it runs"); }

// --- Life ---

void Gpu::start(HANDLE system_context) {
  const AdapterCaps& caps = adapter_.caps();
  system_context_ = system_context;
  {
    base::Guard guard(lock_);
    vidsch::Scheduler::Owner& owner = *this;
    scheduler_ = std::make_unique<vidsch::Scheduler>(owner, config_of(caps, adapter_.kernel().policy()));
    paging_queue_ = std::make_unique<ContextQueue>(
        system_device_, vidsch::ContextSettings{.node = caps.paging_node, .system = true}, nullptr);
    scheduler_->add(*paging_queue_);
    reported_.assign(scheduler_->node_count(), 0);
    stopping_ = false;
    worker_left_ = false;
  }
  machine_.create_thread({.name = "graphics scheduler", .body = [this] { work(); }, .housekeeping = true});
}

void Gpu::stop() {
  if (!scheduler_) return;
  {
    base::Guard guard(lock_);
    stopping_ = true;
  }
  kick();
  wait([this] {
    base::Guard guard(lock_);
    return worker_left_;
  });
  base::Guard guard(lock_);
  scheduler_->remove(*paging_queue_);
  paging_queue_.reset();
  scheduler_.reset();
}

void Gpu::kick() {
  base::Task* worker;
  {
    base::Guard guard(lock_);
    worker = std::exchange(worker_, nullptr);
  }
  if (worker) machine_.executor().unpark(*worker);
}

void Gpu::work() {
  for (;;) {
    settle();
    vidsch::Action action;
    base::TimeNs deadline = base::kForever;
    bool leave, wait_began;
    {
      base::Guard guard(lock_);
      worker_ = nullptr;
      action = scheduler_->next(machine_.executor().now());
      if (machine_.traces()) trace_nodes();
      wait_began = std::exchange(wait_began_, false);
      leave = (stopping_ && scheduler_->idle()) || machine_.ending();
      if (action.kind == vidsch::Action::Kind::None && !leave && told_.empty()) {
        deadline = scheduler_->next_deadline();
        worker_ = base::Executor::current();
      } else {
        deadline = 0;
      }
    }
    if (wait_began) changes_.notify(machine_);
    tell_causes();
    do_what_passed();
    if (adapter_.memory().has_waiters()) retry_waiters();
    if (adapter_.memory().wants_thread()) adapter_.memory().kick();
    if (perform(action)) continue;
    if (leave) break;
    if (deadline) machine_.executor().park(deadline, base::Point::Wait);
  }
  {
    base::Guard guard(lock_);
    worker_left_ = true;
    worker_ = nullptr;
  }
  changes_.notify(machine_);
}

// --- Queues ---

std::unique_ptr<DeviceQueue> Gpu::make_device_queue(Device& device) {
  VideoMemory& memory = adapter_.memory();
  base::Guard guard(memory.lock());
  ProcessAdapter& process = device.process_adapter();
  if (!process.memory) {
    process.memory = std::make_unique<vidmm::ProcessMemory>(memory.manager().budgets(), process.process().id());
  }
  return std::make_unique<DeviceQueue>(device, memory.manager(), *process.memory, device.ordinal());
}

void Gpu::end_device_queue(std::unique_ptr<DeviceQueue> queue) {
  ContextAllocation::destroy_all_of(queue->owner);
  wait_for_passed(queue->owner);
  adapter_.memory().forget(*queue);
  adapter_.memory().wait_idle();
  base::Guard guard(adapter_.memory().lock());
  queue.reset();
}

void Gpu::when_passed(Device& device, std::function<void()> then) {
  Moment moment = device.queued_work();
  {
    base::Guard guard(lock_);
    later_.push_back({&device, std::move(moment), std::move(then)});
  }
  kick();
}

void Gpu::wait_for_passed(const Device& device) {
  wait([&] {
    base::Guard guard(lock_);
    return std::none_of(later_.begin(), later_.end(), [&](const Later& later) { return later.device == &device; });
  });
}

void Gpu::do_what_passed() {
  for (;;) {
    std::function<void()> then;
    {
      base::Guard guard(lock_);
      auto passed =
          std::find_if(later_.begin(), later_.end(), [](const Later& later) { return later.moment.passed(); });
      if (passed == later_.end()) return;
      then = std::exchange(passed->then, nullptr);
    }
    then();
    {
      base::Guard guard(lock_);
      later_.erase(std::find_if(later_.begin(), later_.end(), [](const Later& later) { return !later.then; }));
    }
    changes_.notify(machine_);
  }
}

// Their devices are tried again, first come, first served.
void Gpu::retry_waiters() {
  std::vector<DeviceQueue*> waiters;
  {
    base::Guard guard(lock_);
    adapter_.memory().take_waiters(waiters);
    for (DeviceQueue* waiter : waiters) scheduler_->resume(waiter->state);
  }
  if (!waiters.empty()) kick();
}

void Gpu::add(ContextQueue& queue) {
  base::Guard guard(lock_);
  scheduler_->add(queue);
}

// A wait may never be satisfied, and the queue would never become empty: what stands behind a wait is cancelled (ours).
void Gpu::end_queue(Context& context) {
  ContextQueue& queue = context.queue();
  wait([&] {
    {
      base::Guard guard(lock_);
      if (queue.empty() && context.work().idle()) return true;
      if (queue.waiting()) scheduler_->cancel(queue);
    }
    kick();
    return false;
  });
  std::vector<void*> blocks;
  {
    base::Guard guard(lock_);
    scheduler_->remove(queue);
    blocks.swap(context.spare_private_data);
  }
  for (void* block : blocks) machine_.pool().free(block, 0);
}

void Gpu::hardware_gone() {
  if (!scheduler_) return;
  {
    base::Guard guard(lock_);
    scheduler_->stop();
    scheduler_->cancel(*paging_queue_);
  }
  kick();
}

// How Windows joins the two priorities of a context is not documented: here they add up.
void Gpu::set_priority(Context& context) {
  vidsch::Level level =
      vidsch::fold_priority(vidsch::ProcessClass::Normal, context.priority + context.in_process_priority);
  base::Guard guard(lock_);
  scheduler_->set_level(context.queue(), level);
}

void Gpu::end_patience(Device& device) {
  if (!scheduler_) return;
  {
    base::Guard guard(lock_);
    scheduler_->end_patience(device.queue().state, machine_.executor().now());
  }
  kick();
}

void Gpu::lose(Device& device, Device::State state) {
  device.mark(state);
  end_waits(device);
  changes_.notify(machine_);
  if (!scheduler_ || !device.has_queue()) return;
  {
    base::Guard guard(lock_);
    if (!device.queue().state.failed()) scheduler_->fail(device.queue().state);
  }
  kick();
}

// --- Packets ---

Submission& Gpu::make(vidsch::PacketKind kind) {
  base::Guard guard(lock_);
  if (free_.empty()) free_.push_back(&rooms_.emplace_back());
  Room* room = free_.back();
  free_.pop_back();
  return *new (room->bytes) Submission(kind);
}

void Gpu::drop(Submission& submission) {
  Context* context = submission.context;
  void* block = std::exchange(submission.private_data, nullptr);
  submission.~Submission();
  base::Guard guard(lock_);
  if (block) context->spare_private_data.push_back(block);
  free_.push_back(reinterpret_cast<Room*>(&submission));
}

void* Gpu::take_private_data(Context& context) {
  {
    base::Guard guard(lock_);
    if (!context.spare_private_data.empty()) {
      void* block = context.spare_private_data.back();
      context.spare_private_data.pop_back();
      return block;
    }
  }
  void* block =
      machine_.pool().allocate(context.info().DmaBufferPrivateDataSize, 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  CHECK(block);
  return block;
}

void Gpu::enqueue(Context& context, Submission& submission) {
  submission.context = &context;
  submission.work = context.work().queue();
  {
    base::Guard guard(lock_);
    scheduler_->enqueue(context.queue(), submission, machine_.executor().now());
    last_queued_.store(submission.sequence(), std::memory_order_release);
  }
  kick();
}

void Gpu::enqueue_paging(Submission& submission) {
  {
    base::Guard guard(lock_);
    scheduler_->enqueue(*paging_queue_, submission, machine_.executor().now());
  }
  kick();
}

// --- For the memory manager ---

void Gpu::wait_for_hardware() {
  std::vector<vidsch::FenceId> fences;
  {
    base::Guard guard(lock_);
    for (uint32_t node = 0; node < scheduler_->node_count(); ++node) {
      fences.push_back(scheduler_->node(node).last_submitted());
    }
  }
  wait([&] {
    base::Guard guard(lock_);
    for (uint32_t i = 0; i < fences.size(); ++i) {
      const vidsch::Node& node = scheduler_->node(i);
      if (node.in_hardware() && vidsch::is_after(fences[i], node.last_completed())) return false;
    }
    return true;
  });
}

void Gpu::memory_ready(vidsch::DeviceState& device) {
  {
    base::Guard guard(lock_);
    scheduler_->resume(device);
  }
  kick();
}

void Gpu::pause() {
  base::Guard guard(lock_);
  scheduler_->pause();
}

void Gpu::unpause() {
  {
    base::Guard guard(lock_);
    scheduler_->unpause();
  }
  kick();
}

void Gpu::root_changed(AddressSpace& space) { space.root_version.fetch_add(1, std::memory_order_release); }

void Gpu::wake(QueueWaiter& waiter) {
  {
    base::Guard guard(lock_);
    if (!waiter.packet) return;
    scheduler_->wake(*waiter.packet);
  }
  kick();
}

void Gpu::forget(QueueWaiter& waiter) {
  base::Guard guard(lock_);
  waiter.packet = nullptr;
}

// --- What the scheduler asks and tells ---

bool Gpu::ready(vidsch::Context& context) {
  Context* owner = queue_of(context).owner;
  if (!owner || owner->synchronization_only()) return true;
  if (owner->virtual_addressing()) return adapter_.memory().ready(owner->device().queue());
  vidsch::Packet* next = context.next();
  return !next || !next->for_hardware() || adapter_.memory().ready(submission_of(*next));
}

bool Gpu::try_wait(vidsch::Packet& wait) {
  Submission& submission = submission_of(wait);
  submission.waiter = base::make_ref<QueueWaiter>(*this, submission);
  if ((*submission.waiter)->begin_wait(adapter_.kernel(), submission.points, submission.any)) return true;
  lock_.assert_held();
  wait_began_ = true;
  return false;
}

void Gpu::signal(vidsch::Packet& packet) {
  lock_.assert_held();
  told_.push_back({&submission_of(packet), Told::Signal, {}});
}

void Gpu::retire(vidsch::Packet& packet, vidsch::Outcome outcome) {
  lock_.assert_held();
  told_.push_back({&submission_of(packet), Told::Retire, outcome});
}

void Gpu::settle() {
  bool moved = false;
  {
    base::Guard guard(lock_);
    if (is_settling_ || told_.empty()) return;
    is_settling_ = true;
  }
  for (;;) {
    {
      base::Guard guard(lock_);
      settling_.clear();
      settling_.swap(told_);
      if (settling_.empty()) {
        is_settling_ = false;
        break;
      }
    }
    moved = true;
    for (const Told& told : settling_) carry_out(told);
  }
  if (moved) changes_.notify(machine_);
}

void Gpu::carry_out(const Told& told) {
  if (told.what == Told::Signal) {
    send_signal(*told.submission);
  } else {
    retire_now(*told.submission, told.outcome);
  }
}

void Gpu::send_signal(Submission& submission) {
  if (submission.event) (*submission.event)->wake();
  // A signal may be refused by now (the fence has advanced meanwhile); no caller is left to be told.
  for (const FenceValue& point : submission.points)
    static_cast<void>(point.object->signal(point.value, submission.rewind));
}

void Gpu::retire_now(Submission& submission, vidsch::Outcome outcome) {
  if (submission.waiter && outcome != vidsch::Outcome::Completed) (*submission.waiter)->forget(adapter_.kernel());
  if (submission.paging_left) submission.paging_left->fetch_sub(1, std::memory_order_release);
  if (Context* context = submission.context) {
    if (outcome == vidsch::Outcome::Aborted) explain_abort(submission);
    if (outcome != vidsch::Outcome::Completed) note_loss(context->device());
    if (submission.for_hardware()) count_end(outcome);
    if (submission.dma) adapter_.memory().retired(submission);
    uint64_t work = submission.work;
    drop(submission);
    context->work().complete(work);
  } else {
    drop(submission);
  }
}

void Gpu::count_end(vidsch::Outcome outcome) {
  if (outcome == vidsch::Outcome::Completed) submissions_completed_.fetch_add(1, std::memory_order_relaxed);
  if (outcome == vidsch::Outcome::Aborted) submissions_aborted_.fetch_add(1, std::memory_order_relaxed);
}

Device::State Gpu::scheduled_state(Device& device) {
  using vidsch::DeviceError;
  base::Guard guard(lock_);
  switch (device.queue().state.error()) {
    case DeviceError::None:
      return Device::State::Active;
    case DeviceError::Hung:
      return Device::State::Hung;
    case DeviceError::PageFault:
      return Device::State::PageFaulted;
    case DeviceError::Stopped:
      return Device::State::Stopped;
    case DeviceError::Fault:
    case DeviceError::Refused:
      return Device::State::Error;
  }
  CHECK(false);
}

// The scheduler knows the reason; the client reads it from the device.
void Gpu::note_loss(Device& device) {
  Device::State state = scheduled_state(device);
  if (state == Device::State::Active) return;  // only its context is lost
  if (device.mark(state)) end_waits(device);
}

// Waits through the device end first: they must not succeed because of the values that its fences get next.
void Gpu::end_waits(Device& device) {
  adapter_.kernel().fences().end_waits(device);
  device.fences().signal_maximum();
}

// --- Interrupts ---

void Gpu::interrupted(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  if (!scheduler_) return;
  base::TimeNs now = machine_.executor().now();
  vidsch::Verdict verdict;
  {
    base::Guard guard(lock_);
    switch (base::raw(data.InterruptType)) {
      case DXGK_INTERRUPT_DMA_COMPLETED: {
        uint32_t node = scheduler_->node_index(data.DmaCompleted.NodeOrdinal, data.DmaCompleted.EngineOrdinal);
        verdict = scheduler_->completed(node, data.DmaCompleted.SubmissionFenceId, now);
        if (node < reported_.size() && verdict.fine()) reported_[node] = data.DmaCompleted.SubmissionFenceId;
        break;
      }
      case DXGK_INTERRUPT_DMA_PREEMPTED:
        verdict = scheduler_->preempted(
            scheduler_->node_index(data.DmaPreempted.NodeOrdinal, data.DmaPreempted.EngineOrdinal),
            data.DmaPreempted.PreemptionFenceId, data.DmaPreempted.LastCompletedFenceId, now);
        break;
      case DXGK_INTERRUPT_DMA_FAULTED:
        verdict =
            scheduler_->faulted(scheduler_->node_index(data.DmaFaulted.NodeOrdinal, data.DmaFaulted.EngineOrdinal),
                                data.DmaFaulted.FaultedFenceId, now);
        break;
      case DXGK_INTERRUPT_DMA_PAGE_FAULTED:
        verdict = scheduler_->page_faulted(
            scheduler_->node_index(data.DmaPageFaulted.NodeOrdinal, data.DmaPageFaulted.EngineOrdinal),
            data.DmaPageFaulted.FaultedFenceId, base::raw(data.DmaPageFaulted.PageFaultFlags), now);
        page_fault_ = {data.DmaPageFaulted.NodeOrdinal, data.DmaPageFaulted.FaultedFenceId,
                       data.DmaPageFaulted.FaultedVirtualAddress};
        break;
      default:
        break;  // a signalled monitored fence is read in the DPC
    }
    if (machine_.traces()) trace_nodes();
  }
  judge(verdict);
}

void Gpu::deferred() {
  if (!scheduler_) return;
  {
    base::Guard guard(lock_);
    scheduler_->retire_completed();
  }
  adapter_.kernel().sample_fences();  // the GPU may have written some without an interrupt
  settle();
  kick();
}

}  // namespace dxgk
