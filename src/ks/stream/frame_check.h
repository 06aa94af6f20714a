#pragma once

#include <cstdint>
#include <string>

#include "abi/ks/ks.h"
#include "nt/machine/machine.h"

namespace ks {

class ReferenceClock;
struct Frame;

// Judges the headers that a driver leaves on the frames of one output pin, L-15, L-19, L-20. Frames
// may be done in another order than they arrived; times and numbers are compared only with frames that arrived before.
// Guarded by the queue's lock.
class FrameCheck {
 public:
  // A stream begins anew: times and picture numbers may begin anew too.
  void restart() { *this = FrameCheck(); }
  struct Stream {
    const ReferenceClock* clock;  // null: the pin has asked for none
    bool reordered;  // its format is compressed over time: frames come as they are decoded, not as they are shown
  };
  // A frame that the driver is done with.
  void judge(nt::Machine& machine, const std::string& pin, const Frame& frame, const Stream& stream);
  // The driver may have said on this frame that data is missing. It has said so too when the frame is cancelled: that
  // no client reads it is not the driver's doing.
  void note_announcement(const Frame& frame);
  // What can be wrong with any frame, filled by the driver or by the client: bytes written behind it, or behind its
  // header.
  static void judge_bounds(nt::Machine& machine, const std::string& pin, const Frame& frame);

 private:
  void judge_time(nt::Machine& machine, const std::string& pin, const Frame& frame, const Stream& stream);
  void judge_picture(nt::Machine& machine, const std::string& pin, const Frame& frame);

  uint64_t timed_ = 0;    // sequence of the last frame that had a time; 0: none
  LONGLONG time_ = 0;     // that frame's time, in units of 100 ns
  uint64_t counted_ = 0;  // sequence of the last frame that had a picture number
  LONGLONG picture_ = 0;
  LONGLONG file_releases_ = 0;
  uint64_t announced_ = 0;  // sequence of the last frame on which the driver has marked a discontinuity
};

}  // namespace ks
