// One engine of the hardware: its ring, and what has become of the fences in it.
//
// Submissions come at PASSIVE_LEVEL or DISPATCH_LEVEL and take the engine's lock; interrupts come at DIRQL and take
// nothing. What both use changes only while interrupts are held off (hold_interrupts) or not yet on.
#pragma once

#include "registers.h"
#include "softgpu_cmd.h"

namespace softgpu {

// What goes into the ring for one DMA buffer.
struct Submission {
  UINT64 address;
  UINT bytes;   // 0: nothing to run, only a fence
  UCHAR flags;  // SOFTGPU_FLAG_… of the call
  UINT64 root;  // of its address space; 0: it has physical addresses
  UINT root_entries;
  UINT64 context;  // whose registers it uses; 0: none
  UINT64 image;    // where they are kept; 0: they are not kept, begin as zeros and are lost
  UINT fence;      // SubmissionFenceId
  bool refused;    // its fence completes in its turn, without a notice
};

class Engine {
 public:
  // The ring holds this many submissions at least. Once, at PASSIVE_LEVEL.
  NTSTATUS initialize(Registers& registers, ULONG index, ULONG submissions);
  void destroy();

  // Makes the hardware run an empty ring. It is reset, and what became of the fences is settled.
  void start();
  void stop();
  // False if the hardware would not.
  bool reset();
  // The hardware was reset. Fences up to this one count as completed, and what it may still say of them is old. No
  // thread submits meanwhile, and interrupts are held off or off.
  void settle(UINT completed);

  void submit(const Submission& submission);
  UINT last_submitted();
  // The hardware need not keep this context's registers any more, and must not save them.
  void forget(UINT64 context) { registers_->write64(at(SOFTGPU_ENGINE_CONTEXT), context); }
  // As the hardware has it; of what was submitted since the last reset, else the fence that was settled then.
  UINT completed_fence() const;
  // The same of those that were not refused.
  UINT last_accepted() const;

  ULONG state() const { return registers_->read(at(SOFTGPU_ENGINE_STATE)); }
  ULONG index() const { return index_; }
  ULONG read(ULONG offset) const { return registers_->read(at(offset)); }
  ULONG64 read64(ULONG offset) const { return registers_->read64(at(offset)); }

  // --- In the interrupt, or while interrupts are held off ---

  // True if there is a fence that was not reported yet.
  bool take_completed(UINT& fence);
  // True if there is nothing to preempt: the answer can be given at once.
  bool preempt(UINT preemption_fence);
  // Drops what was not run and tells where it stopped. False if no preemption was requested, or it still
  // runs: the interrupt was about a request from before a reset.
  bool take_preempted(UINT& preemption_fence, UINT& last_completed);
  // The fence of the submission that runs or is next, or of the last one that completed.
  UINT fence_at_head() const;

 private:
  ULONG at(ULONG offset) const { return SOFTGPU_REG_ENGINE(index_) + offset; }
  ULONG vmid() const { return index_ + 1; }  // VMID 0 is the rings' own and stays off
  ULONG64 fence_value(const Submission& submission) const;
  bool of_this_generation(ULONG64 value) const;
  bool last_told_fence(UINT& fence) const;
  ULONG room() const;
  void emit_root(const Submission& submission);
  void emit_state(const Submission& submission);
  void emit_save(UINT64 unless);
  template <typename Packet>
  void emit(const Packet& packet) {
    emit(&packet, sizeof(packet));
  }
  void emit(const void* packet, ULONG bytes);
  UINT64 ring_qword(ULONG offset) const;

  Registers* registers_;
  ULONG index_;
  UCHAR* ring_;
  PHYSICAL_ADDRESS ring_physical_;
  ULONG ring_bytes_;

  KSPIN_LOCK lock_;  // guards the next two
  ULONG tail_;
  UINT last_submitted_;

  // Shared with the interrupt. The hardware's fences have 64 bits and survive resets: the upper half says since which
  // reset they count, so that an old one is never taken for a new one, and whether the submission was refused.
  ULONG generation_;
  UINT notified_;
  bool preempting_;
  UINT preemption_fence_;
};

}  // namespace softgpu
