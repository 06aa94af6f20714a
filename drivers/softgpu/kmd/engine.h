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
  UINT fence;  // SubmissionFenceId
};

class Engine {
 public:
  // The ring holds this many submissions at least. Once, at PASSIVE_LEVEL.
  NTSTATUS initialize(Registers& registers, ULONG index, ULONG submissions);
  void destroy();

  // Makes the hardware run an empty ring. What was submitted before counts as completed. Nobody submits meanwhile, and
  // interrupts are held off.
  void start();
  void stop();
  // False if the hardware would not.
  bool reset();

  void submit(const Submission& submission);
  UINT last_submitted();
  // As the hardware has it; of what was submitted since start(), else the last fence from before.
  UINT completed_fence() const { return fence_of(registers_->read64(at(SOFTGPU_ENGINE_FENCE_CURRENT))); }

  ULONG state() const { return registers_->read(at(SOFTGPU_ENGINE_STATE)); }
  ULONG index() const { return index_; }
  ULONG read(ULONG offset) const { return registers_->read(at(offset)); }
  ULONG64 read64(ULONG offset) const { return registers_->read64(at(offset)); }

  // --- In the interrupt, or while interrupts are held off ---

  // True if there is a fence that nobody was told of yet.
  bool take_completed(UINT& fence);
  void preempt(UINT preemption_fence);
  // After SOFTGPU_INT_PREEMPTED: drops what was not run and tells where it stopped.
  void take_preempted(UINT& preemption_fence, UINT& last_completed);
  // The fence of the submission that runs.
  UINT fence_at_head() const;

 private:
  ULONG at(ULONG offset) const { return SOFTGPU_REG_ENGINE(index_) + offset; }
  ULONG vmid() const { return index_ + 1; }  // VMID 0 is the rings' own and stays off
  UINT fence_of(ULONG64 value) const;
  ULONG room() const;
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

  // Shared with the interrupt. The hardware's fences have 64 bits and survive resets: the upper half says which start
  // they belong to, so that an old one is never taken for a new one.
  ULONG generation_;
  UINT base_fence_;  // completed before this generation
  UINT notified_;
  UINT preemption_fence_;
};

}  // namespace softgpu
