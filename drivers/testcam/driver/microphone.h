// A microphone that needs no hardware: KSPIN.Context of its pin. A timer's DPC has AVStream process the pin, and
// Process writes as many samples into the frames at the leading edge as the time that has passed asks for. The edge is
// locked only while it is written ("Stream Pointers and IRP Cancellation", first technique); a frame that is not full
// yet waits for the next tick, and can be cancelled meanwhile.
//
// Locks: AVStream's processing mutex, which it holds during Process, guards everything that Process looks at.
#pragma once

#include "sound_format.h"

namespace testcam {

class Microphone {
 public:
  void initialize(PKSPIN pin, const SoundFormat& format);

  const SoundFormat& format() const { return format_; }
  bool acquired() const { return acquired_; }
  void set_format(const SoundFormat& format) { format_ = format; }  // while it is not acquired

  // --- States, at PASSIVE_LEVEL ---
  void acquire();
  void run();
  void pause();
  void release();

  void process();  // at PASSIVE_LEVEL: everything that is due

 private:
  enum class Edge { Next, NoMore };

  static KDEFERRED_ROUTINE tick;
  ULONG64 samples_due() const;
  void skip_what_is_lost(ULONG64 due);
  Edge fill(KSSTREAM_POINTER& edge, ULONG64 due);
  void begin_frame(KSSTREAM_HEADER& header, ULONG64 due);
  void write_samples(PUCHAR to, ULONG count);

  PKSPIN pin_;
  SoundFormat format_;
  PIKSREFERENCECLOCK clock_;  // null: the graph has none
  bool acquired_;
  bool running_;
  KTIMER timer_;
  KDPC dpc_;

  LARGE_INTEGER started_;    // when it was last set to RUN, by the performance counter
  LARGE_INTEGER frequency_;  // of that
  ULONG64 heard_before_;     // samples, until then
  ULONG64 next_sample_;      // the number of the sample that is written next
  LONGLONG last_time_;       // the latest presentation time
  bool discontinuity_;       // samples were lost since the last frame
};

inline Microphone& microphone_of(PKSPIN pin) { return *static_cast<Microphone*>(pin->Context); }

}  // namespace testcam
