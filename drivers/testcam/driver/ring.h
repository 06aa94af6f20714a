// The memory that a channel writes pictures into: a common buffer, cut into slots. Owned by a stream, from ACQUIRE on.
#pragma once

#include "common.h"

namespace testcam {

class Ring {
 public:
  static constexpr ULONG kSlots = 4;  // pictures that may wait while the DPC is late

  // PASSIVE_LEVEL.
  NTSTATUS allocate(PDMA_ADAPTER dma, ULONG picture_bytes) {
    const ULONG slot_bytes = (sizeof(TESTCAM_SLOT) + picture_bytes + 63) & ~63u;
    memory_ = static_cast<PUCHAR>(dma->DmaOperations->AllocateCommonBuffer(dma, kSlots * slot_bytes, &logical_, TRUE));
    if (memory_ == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
    dma_ = dma;
    slot_bytes_ = slot_bytes;
    return STATUS_SUCCESS;
  }
  // The camera does not write any more. PASSIVE_LEVEL.
  void release() {
    if (memory_ == nullptr) return;
    dma_->DmaOperations->FreeCommonBuffer(dma_, kSlots * slot_bytes_, logical_, memory_, TRUE);
    memory_ = nullptr;
  }

  bool allocated() const { return memory_ != nullptr; }
  ULONG64 logical() const { return static_cast<ULONG64>(logical_.QuadPart); }
  ULONG slot_bytes() const { return slot_bytes_; }
  const TESTCAM_SLOT& slot(ULONG count) const {
    return *reinterpret_cast<const TESTCAM_SLOT*>(memory_ + count % kSlots * slot_bytes_);
  }

 private:
  PDMA_ADAPTER dma_;
  PUCHAR memory_;
  PHYSICAL_ADDRESS logical_;
  ULONG slot_bytes_;
};

}  // namespace testcam
