// The GPU scheduler: which packet of which context goes to the hardware next, and what to do when it does not come
// back.
//
// A state machine. Events go in (enqueue, wake, interrupts), actions come out of next(); it has no thread, reads no
// clock and calls no driver. dxgk has one worker per adapter that does what next() says:
//
//   clients ── enqueue ──►┌───────────┐── next(): Submit, Preempt, Reset… ──► worker ──► DxgkDdi*
//   signals ── wake ─────►│ Scheduler │◄─ submitted, engine_reset… ──────────────┘
//   driver ─── completed ►└───────────┘── Owner::ready, try_wait, signal, retire ──► dxgk
//              preempted, faulted
//
// A packet's way: enqueued in its context; issued when the context's cursor reaches it (a Wait that is satisfied and a
// Signal that is armed do not keep the next packet from the hardware); in the hardware until an interrupt names its
// fence or a later one; retired when everything before it in its context has retired.
//
// Order. Within a context always that of enqueue(). At a node: paging that was taken back, then the highest level;
// among equals the context whose quantum runs, then the others in turn. A level above one in the hardware asks the
// driver to give the hardware back (Preempt), where the driver can; one request per node at a time, and nothing is
// submitted to the node before it is answered.
//
// Calls are serialised by the caller. Those from the interrupt (completed, preempted, faulted, page_faulted) call no
// Owner and allocate nothing, and their time is bounded by what is in the hardware and in the guilty device.
#pragma once

#include <cstdint>
#include <memory>

#include "base/executor.h"
#include "vidsch/action.h"
#include "vidsch/context.h"
#include "vidsch/node.h"
#include "vidsch/timeout.h"

namespace vidsch {

struct SchedulerConfig {
  uint32_t nodes = 1;           // per engine
  uint32_t engines = 1;         // nodes * engines is at most 64
  uint32_t hardware_depth = 2;  // packets in the hardware per node: HwQueuePacketCap, or two
  bool preemption_aware = false;
  bool cancel_aware = false;
  bool per_engine_tdr = false;
  base::TimeNs quantum_ns = 10'000'000;  // our policy
  FenceId first_fence = 1;               // another one brings the wrap nearer
  TimeoutConfig timeout;
};

class Scheduler {
 public:
  // Called by the scheduler, within its own calls; implemented by dxgk. Of the scheduler it may call wake() and
  // resume() and nothing else.
  class Owner {
   public:
    // Only from next(): may this context's next packet run? False when its device's memory is not resident; the owner
    // then makes it so and calls resume().
    virtual bool ready(Context& context) = 0;
    // Only from next(): begins a Wait. False: the owner calls wake() when it is satisfied, at most until it is retired.
    // It is not asked again.
    virtual bool try_wait(Packet& wait) = 0;
    // Signal and Event: everything before it in its context has retired. Retired next.
    virtual void signal(Packet& signal) = 0;
    // The packet is the owner's again. For a Wait that was never satisfied: forget it.
    virtual void retire(Packet& packet, Outcome outcome) = 0;

   protected:
    ~Owner() = default;
  };

  Scheduler(Owner& owner, const SchedulerConfig& config);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // What all of the scheduler's calls name a node by; a driver's ordinals that do not exist make one that does not.
  uint32_t node_index(uint32_t node, uint32_t engine) const {
    return node < config_.nodes && engine < config_.engines ? engine * config_.nodes + node : kNoNode;
  }
  static constexpr uint32_t kNoNode = ~uint32_t{0};
  uint32_t node_count() const { return node_count_; }
  const Node& node(uint32_t index) const { return nodes_[index]; }

  // From clients.
  void add(Context& context);
  void remove(Context& context);  // when it is empty()
  void enqueue(Context& context, Packet& packet, base::TimeNs now);
  void set_level(Context& context, Level level);
  // Cancels what this context has queued; what is in the hardware ends as it ends.
  void cancel(Context& context);
  // From here on the device's packets must end in time, whatever was said of its contexts
  // (ContextSettings::may_run_long).
  void end_patience(DeviceState& device, base::TimeNs now);
  // The device is in error: all its contexts are cancelled, now and with whatever is enqueued later.
  void fail(DeviceState& device, DeviceError error = DeviceError::Stopped);

  // From synchronisation objects and from the memory manager.
  void wake(Packet& wait);  // what try_wait() began is satisfied; ignored when it was cancelled since
  void suspend(Context& context);
  void resume(Context& context);  // ready() is worth asking again; also ends suspend()
  void suspend(DeviceState& device);
  void resume(DeviceState& device);  // for all its contexts; those suspended by themselves stay so
  // From pause() to unpause() nothing of clients is submitted; they nest. Paging goes on: the thread that pauses may
  // have to wait for it. What clients have in the hardware ends by itself: see idle().
  void pause() { ++pauses_; }
  void unpause();
  bool idle() const;  // nothing in the hardware, no preemption unanswered, no reset under way

  // From the worker.
  Action next(base::TimeNs now);
  base::TimeNs next_deadline() const;  // when next() has something to do by time alone
  enum class Submission : uint8_t { Accepted, Refused /* STATUS_INVALID_PARAMETER */ };
  Verdict submitted(Packet& packet, Submission submission);
  void cancelled(Packet& packet);
  // The driver's DependentNodeOrdinalMask. After a violation the node itself is taken to be in it.
  Verdict dependents(uint32_t node, uint64_t node_mask, base::TimeNs now);
  enum class Reset : uint8_t { Done, Failed };
  // After a violation the reset is taken to have failed.
  Verdict engine_reset(uint32_t node, Reset reset, FenceId last_aborted, base::TimeNs now);
  void adapter_reset_done(base::TimeNs now);

  // The adapter is gone (removed, stopped, after a bug check) or about to go: what is in the hardware is aborted and
  // the driver is asked for nothing any more. next() still retires: fail() devices and cancel() system contexts, then
  // call it until it has nothing more. The answer to a reset that is under way is ignored; a packet that is in the
  // driver is retired after its answer.
  void stop();

  // From the interrupt. Ignored for a node that is being reset.
  Verdict completed(uint32_t node, FenceId fence, base::TimeNs now);
  Verdict preempted(uint32_t node, FenceId preemption, FenceId last_completed, base::TimeNs now);
  Verdict faulted(uint32_t node, FenceId fence, base::TimeNs now);
  Verdict page_faulted(uint32_t node, FenceId fence, uint32_t flags, base::TimeNs now);  // DXGK_PAGE_FAULT_FLAGS

  // From the DPC: retires what the interrupts reported. next() does it too.
  void retire_completed();

  // Every list, count and state agrees with the others.
  bool validate() const;

 private:
  // A timed-out engine on its way back: ask which engines depend on it, let those preempt, reset, node by node.
  struct Recovery {
    enum class Phase : uint8_t { None, Ask, Preempt, Reset, Adapter };
    Phase phase = Phase::None;
    uint32_t node = 0;          // the one that timed out
    uint64_t preempting = 0;    // dependents that still have something in the hardware
    uint64_t resetting = 0;     // to be reset, lowest first
    base::TimeNs deadline = 0;  // for the dependents
  };

  // Where a context comes in among its equals.
  enum class Turn : uint8_t { InOrder, First, Last };
  // How packets left the hardware unfinished.
  enum class Left : uint8_t { Preempted, PreemptedForQuantum, EngineReset, AdapterReset };

  // Where a context stands (scheduler.cc).
  void place(Context& context, Turn turn = Turn::InOrder);
  void displace(Context& context);
  Action attend(Context& context);
  Action cancel_next(Context& context);
  void advance(Context& context);
  bool pass(Context& context, Packet& packet);
  void drain(Context& context);
  void retire(Context& context, Packet& packet);
  void take_back(Packet& packet, Turn turn);

  // What goes to a node (scheduler_dispatch.cc).
  Action step(Node& node, base::TimeNs now);
  Action schedule(Node& node, base::TimeNs now);
  Action submit(Node& node, Packet& packet, FenceId fence, base::TimeNs now);
  Action submit_next(Node& node, Context& context, base::TimeNs now);
  Action ask_preemption(Node& node, base::TimeNs now);
  bool worth_preempting(const Node& node, const Context& context, base::TimeNs now) const;
  bool full(const Node& node) const { return node.in_hardware_ >= config_.hardware_depth; }
  bool closed(const Node& node) const;
  base::TimeNs quantum_deadline(const Node& node) const;

  // What does not come back (scheduler_recovery.cc).
  Action watch(Node& node, base::TimeNs now);
  Action time_out(Node& node, base::TimeNs now);
  Action begin_recovery(Node& node, bool engine, base::TimeNs now);
  Action recover(base::TimeNs now);
  Action let_dependents_preempt(base::TimeNs now);
  Action reset_next_engine();
  Action reset_adapter(base::TimeNs now);
  Action bug_check(uint32_t code, const char* sentence);
  base::TimeNs timeout_deadline(const Node& node) const;
  void abort(Node& node, Packet& packet);
  void empty_hardware(Node& node, Left left);
  void end_recovery();

  bool valid_node(uint32_t index) const { return index < node_count_; }
  void mark(const Node& node) { due_ |= uint64_t{1} << node.index(); }
  void mark_done(const Node& node) { done_ |= uint64_t{1} << node.index(); }
  void mark_all() { due_ = ~uint64_t{0} >> (64 - node_count_); }
  Action await(const Action& action);
  void answered(Action::Kind kind);
  Verdict end_by_fault(Node& node, FenceId fence, DeviceError error, base::TimeNs now);

  Owner& owner_;
  const SchedulerConfig config_;
  const uint32_t node_count_;
  std::unique_ptr<Node[]> nodes_;
  IntrusiveList<Context, WorkTag> attention_;  // contexts that have something to do without the hardware
  uint64_t due_ = 0;                           // nodes that may have something to do
  uint64_t done_ = 0;                          // nodes with packets to retire
  uint64_t sequence_ = 0;
  Packet* calling_ = nullptr;  // in the driver with the worker: not to be retired
  Action::Kind awaited_ = Action::Kind::None;
  Recovery recovery_;
  uint32_t life_ = 1;  // of the adapter, between its resets: what was preempted in one cannot continue in the next
  ResetHistory resets_;
  uint32_t pauses_ = 0;
  bool stopped_ = false;
  base::TimeNs now_ = 0;                   // of the latest call that said
  base::TimeNs wake_at_ = base::kForever;  // no node has anything to do by time before this
};

}  // namespace vidsch
