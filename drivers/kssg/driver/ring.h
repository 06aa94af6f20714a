// The ring of descriptors: a common buffer, and the counts of which part belongs to the driver. Owned by a stream, from
// ACQUIRE on; code that uses more than its address holds the grabber's lock.
#pragma once

#include "common.h"

namespace kssg {

class Ring {
 public:
  static constexpr ULONG kEntries = 1024;
  C_ASSERT(kEntries <= KSSG_MAX_RING_ENTRIES);

  // PASSIVE_LEVEL.
  NTSTATUS allocate(PDMA_ADAPTER dma) {
    entries_ = static_cast<KSSG_DESCRIPTOR*>(dma->DmaOperations->AllocateCommonBuffer(dma, kBytes, &logical_, TRUE));
    if (entries_ == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
    dma_ = dma;
    head_ = tail_ = 0;
    return STATUS_SUCCESS;
  }
  // The grabber does not look into it any more. PASSIVE_LEVEL.
  void release() {
    if (entries_ == nullptr) return;
    dma_->DmaOperations->FreeCommonBuffer(dma_, kBytes, logical_, entries_, TRUE);
    entries_ = nullptr;
  }

  bool allocated() const { return entries_ != nullptr; }
  ULONG64 logical() const { return static_cast<ULONG64>(logical_.QuadPart); }

  ULONG head() const { return head_; }
  ULONG tail() const { return tail_; }
  ULONG free_entries() const { return kEntries - (tail_ - head_); }
  const KSSG_DESCRIPTOR& at(ULONG count) const { return entries_[count % kEntries]; }

  void put(PHYSICAL_ADDRESS address, ULONG bytes, ULONG flags) {
    entries_[tail_++ % kEntries] = {static_cast<ULONG64>(address.QuadPart), bytes, flags, 0, 0, 0};
  }
  void retire(ULONG head) { head_ = head; }  // everything before it is software's again
  void clear() { head_ = tail_; }            // the grabber is halted

 private:
  static constexpr ULONG kBytes = kEntries * sizeof(KSSG_DESCRIPTOR);

  PDMA_ADAPTER dma_;
  KSSG_DESCRIPTOR* entries_;
  PHYSICAL_ADDRESS logical_;
  ULONG head_;
  ULONG tail_;
};

}  // namespace kssg
