#pragma once

#include <vector>

#include "host/scenarios/nt/nt_program.h"

namespace host {

// Makes requests for a device that nothing is known of but the driver's file. Of one thread.
class NtRequestMaker {
 public:
  NtRequestMaker(NtStack& stack, DEVICE_OBJECT& device);

  // One request of each kind that the driver has a dispatch routine for and a program can send, with good buffers; of
  // controls, one for each code that was found.
  std::vector<NtRequest> each_kind();
  // A read, a write or a control with good buffers.
  NtRequest plain();
  // A control, or a transfer, with any code, lengths and pointers.
  NtRequest wild();
  // A read, or whatever is most likely to pend.
  NtRequest slow();

 private:
  bool sends_internal_controls();
  ULONG size();
  ULONG code();
  NtRequest transfer(UCHAR major);
  NtRequest control(UCHAR major);

  NtStack& stack_;
  DEVICE_TYPE type_;
  std::vector<ULONG> codes_;  // found in the driver's file
  std::vector<UCHAR> plain_majors_;
};

}  // namespace host
