#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "dxgk/adapter/adapter_interrupts.h"
#include "dxgk/memory/page_fault.h"
#include "dxgk/object/device.h"
#include "dxgk/sync/condition.h"
#include "dxgk/work/submission.h"
#include "vidsch/scheduler.h"

namespace dxgk {

class Adapter;
class AddressSpace;
class Context;
class ContextQueue;
class VideoMemory;

// The GPU of one adapter as the target of work: the scheduler, the thread that carries out its actions, and the
// driver's interrupts. Owned by the adapter, from its start to its stop.
//
// clang-format off
//   clients, paging ── enqueue ──► scheduler ──► worker ──► DxgkDdiSubmitCommand…   level 1: with the paging mutex held
//   driver ── DxgkCbNotifyInterrupt ──► scheduler                                   at DIRQL: only remembered
//   driver ── DxgkCbNotifyDpc ──► settle()                                          at DISPATCH_LEVEL: fences are
//                                                                                   signalled, waiters woken
// clang-format on
//
// What the scheduler reports while its lock is held is stored in a list; settle() carries it out when the lock is
// released, one thread at a time, in order.
class Gpu final : public InterruptSink, private vidsch::Scheduler::Owner {
 public:
  explicit Gpu(Adapter& adapter);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  // When the driver's caps are known. `system_context`: the driver's value for the paging context.
  void start(HANDLE system_context);
  // No queue but the paging one is left, and that is empty.
  void stop();
  bool running() const { return scheduler_ != nullptr; }

  // --- Queues ---
  std::unique_ptr<DeviceQueue> make_device_queue(Device& device);
  // Its contexts are gone. With no lock held.
  void end_device_queue(std::unique_ptr<DeviceQueue> queue);
  void add(ContextQueue& queue);
  // Waits for what is queued; what can never run any more is cancelled. With no mutex held.
  void end_queue(Context& context);
  // The hardware has gone, or its driver is not called any more: no packet completes from now on.
  void hardware_gone();
  void set_priority(Context& context);
  // The device is about to go: from here on its packets must end in time, even those that may run long (ours).
  void end_patience(Device& device);
  // The device is lost, for the reason given: what it has queued is cancelled. The first reason counts.
  void lose(Device& device, Device::State state);

  // --- Work ---
  // An empty packet; back to us by enqueue(), or by drop() if nothing comes of it.
  Submission& make(vidsch::PacketKind kind);
  void drop(Submission& submission);
  // A block of the size that the context's driver asked for; back with its packet.
  void* take_private_data(Context& context);
  void enqueue(Context& context, Submission& submission);
  void enqueue_paging(Submission& submission);
  // Counts packets of clients, in order (vidsch::Packet::sequence).
  uint64_t last_queued() const { return last_queued_.load(std::memory_order_acquire); }
  // Of clients' work for the hardware, from the adapter's creation on: what the driver has completed, and what was in
  // the hardware when a fault, a reset or a refusal ended it. Paging is not counted.
  uint64_t submissions_aborted() const { return submissions_aborted_.load(std::memory_order_relaxed); }
  uint64_t submissions_completed() const { return submissions_completed_.load(std::memory_order_relaxed); }

  // `then`, on the scheduler's thread, when everything that the device has queued so far has passed.
  void when_passed(Device& device, std::function<void()> then);
  // Nothing of the kind is left for the device. With no mutex held.
  void wait_for_passed(const Device& device);

  // --- Judging the driver ---
  // Every submission comes from us and ends, and the hardware works: a hang is then a finding, not an expected outcome.
  // Not for clients of which nothing is known.
  void trust_hardware() {
    HardwareTrust unknown = HardwareTrust::Unknown;
    trust_.compare_exchange_strong(unknown, HardwareTrust::Trusted, std::memory_order_relaxed);
  }
  // From here on, for good, the hardware is made to misbehave.
  void distrust_hardware() { trust_.store(HardwareTrust::Distrusted, std::memory_order_relaxed); }

  // --- For the memory manager's thread ---
  // Everything that is in the hardware now has left it.
  void wait_for_hardware();
  // `done` is asked again after each packet that has retired.
  template <typename Done>
  void wait(Done&& done) {
    changes_.wait(machine_, std::forward<Done>(done));
  }
  // The memory of a device that was not ready has become so.
  void memory_ready(vidsch::DeviceState& device);
  // From here to unpause() nothing new of clients goes to the hardware; paging does.
  void pause();
  void unpause();
  // The page tables of an address space have another root: its contexts are told with their next packets.
  void root_changed(AddressSpace& space);
  // A wait in a queue has been satisfied, or is no longer wanted.
  void wake(QueueWaiter& waiter);
  void forget(QueueWaiter& waiter);

  // InterruptSink
  void interrupted(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) override;
  void deferred() override;

 private:
  struct Later {
    Device* device;
    Moment moment;
    std::function<void()> then;
  };
  // Something that the scheduler told, in order.
  struct Told {
    Submission* submission;
    enum : uint8_t { Signal, Retire } what;
    vidsch::Outcome outcome;
  };

  // vidsch::Scheduler::Owner, under lock_.
  bool ready(vidsch::Context& context) override;
  bool try_wait(vidsch::Packet& wait) override;
  void signal(vidsch::Packet& signal) override;
  void retire(vidsch::Packet& packet, vidsch::Outcome outcome) override;

  void work();
  void kick();
  void do_what_passed();
  void retry_waiters();
  bool perform(const vidsch::Action& action);
  void settle();
  void carry_out(const Told& told);
  void count_end(vidsch::Outcome outcome);
  void retire_now(Submission& submission, vidsch::Outcome outcome);
  void send_signal(Submission& submission);
  void note_loss(Device& device);
  // What the scheduler says of it; Active if that has nothing against it.
  Device::State scheduled_state(Device& device);
  void end_waits(Device& device);
  void explain_abort(const Submission& submission);
  void tell_causes();
  void trace_nodes() REQUIRES(lock_);
  void judge(const vidsch::Verdict& verdict);

  // What the driver is called for (gpu_calls.cc, gpu_recovery.cc).
  vidsch::Scheduler::Submission submit(Submission& submission, vidsch::FenceId fence);
  NTSTATUS submit_virtual(Submission& submission, vidsch::FenceId fence);
  void submit_physical(Submission& submission, vidsch::FenceId fence);
  void tell_root(Context& context);
  void cancel_at_driver(Submission& submission);
  void preempt(uint32_t node, vidsch::FenceId fence);
  void query_fence(uint32_t node);
  // The hardware is trusted, and no violation was found yet of which a hang could be a consequence.
  bool hardware_trusted() const {
    return trust_.load(std::memory_order_relaxed) == HardwareTrust::Trusted && !machine_.broken();
  }
  void judge_timeout(const vidsch::Action& action);
  void judge_current_fence(uint32_t node, vidsch::FenceId before, vidsch::FenceId answer);
  uint64_t query_dependents(uint32_t node);
  void reset_engine(uint32_t node);
  void reset_adapter();

  Adapter& adapter_;
  nt::Machine& machine_;
  HANDLE system_context_ = nullptr;

  base::Mutex<base::LockRank::Scheduler> lock_;
  std::unique_ptr<vidsch::Scheduler> scheduler_ PT_GUARDED_BY(lock_);
  std::vector<vidsch::FenceId> traced_ GUARDED_BY(lock_);  // of each node, what the trace last told of it
  std::optional<PageFault> page_fault_ GUARDED_BY(lock_);  // the last one, until its packet retires
  std::vector<FaultCause> causes_ GUARDED_BY(lock_);       // to be told by the worker
  std::atomic<uint64_t> last_queued_{0};
  std::atomic<uint64_t> submissions_completed_{0}, submissions_aborted_{0};
  std::vector<Told> told_ GUARDED_BY(lock_);
  std::vector<Told> settling_;  // used by the thread that has set is_settling_
  bool is_settling_ GUARDED_BY(lock_) = false;
  // Memory of packets, used again.
  struct alignas(Submission) Room {
    std::byte bytes[sizeof(Submission)];
  };
  std::deque<Room> rooms_ GUARDED_BY(lock_);
  std::vector<Room*> free_ GUARDED_BY(lock_);
  vidsch::DeviceState system_device_;
  std::unique_ptr<ContextQueue> paging_queue_;
  base::Task* worker_ GUARDED_BY(lock_) = nullptr;
  bool wait_began_ GUARDED_BY(lock_) =
      false;  // set when a queue begins to wait: end_queue() then looks at its queue again
  bool stopping_ GUARDED_BY(lock_) = false;
  std::vector<vidsch::FenceId> reported_
      GUARDED_BY(lock_);  // by node: what the driver named last; 0: nothing since a reset
  enum class HardwareTrust : uint8_t { Unknown, Trusted, Distrusted };
  std::atomic<HardwareTrust> trust_{HardwareTrust::Unknown};
  bool worker_left_ GUARDED_BY(lock_) = true;
  std::vector<Later> later_ GUARDED_BY(lock_);
  Condition changes_;
};

}  // namespace dxgk
