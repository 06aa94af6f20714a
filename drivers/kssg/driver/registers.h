// The way to the registers, for every IRQL. Once the grabber has been pulled out nothing is read or written any more:
// reads answer as an empty bus does.
#pragma once

#include "common.h"

namespace kssg {

class Registers {
 public:
  void attach(PVOID mapping) {
    base_ = static_cast<volatile UCHAR*>(mapping);
    InterlockedExchange(&lost_, 0);
  }
  PVOID detach() {
    PVOID mapping = const_cast<UCHAR*>(base_);
    base_ = nullptr;
    return mapping;
  }
  void lose() { InterlockedExchange(&lost_, 1); }
  bool present() const { return base_ != nullptr && ReadNoFence(&lost_) == 0; }

  ULONG read(ULONG offset) const { return present() ? READ_REGISTER_ULONG(at<ULONG>(offset)) : ~0u; }
  ULONG64 read64(ULONG offset) const { return present() ? READ_REGISTER_ULONG64(at<ULONG64>(offset)) : ~0ull; }
  void write(ULONG offset, ULONG value) const {
    if (present()) WRITE_REGISTER_ULONG(at<ULONG>(offset), value);
  }
  void write64(ULONG offset, ULONG64 value) const {
    if (present()) WRITE_REGISTER_ULONG64(at<ULONG64>(offset), value);
  }

 private:
  template <typename T>
  volatile T* at(ULONG offset) const {
    return reinterpret_cast<volatile T*>(base_ + offset);
  }

  volatile UCHAR* base_;
  volatile LONG lost_;
};

}  // namespace kssg
