// A video pin's stream: KSPIN.Context, from the pin's Create to its Close.
//
//   client's frames ──► AVStream's queue ──► clones that wait ──► filled ──► back to the client
//                        (take_frames)         ▲
//   camera ──► ring ──► interrupt ──► DPC ─────┘ (pictures_came)
//
// A clone waits unlocked and has no cancel callback, so that a request can be cancelled at any time without asking the
// driver: the clone's frame is then gone, which the DPC finds out when it cannot lock it ("Stream Pointers and IRP
// Cancellation", third technique). A callback that deleted the clone could do so just when the DPC is about to lock it.
//
// Locks: lock_ guards the list of clones and the counts. No function of AVStream is called with it held.
#pragma once

#include "camera.h"
#include "formats.h"
#include "ring.h"

namespace testcam {

class Stream {
 public:
  // The pictures since ACQUIRE.
  struct Counts {
    LONGLONG pictures;  // that there were, dropped or not
    LONGLONG dropped;
  };

  void initialize(PKSPIN pin, Camera& camera, const VideoFormat& format);

  const VideoFormat& format() const { return format_; }
  const Ring& ring() const { return ring_; }
  bool acquired() const { return ring_.allocated(); }
  void set_format(const VideoFormat& format) { format_ = format; }  // while it is not acquired

  // --- States, at PASSIVE_LEVEL; state.cc ---
  NTSTATUS acquire();  // STOP to ACQUIRE: the ring, the clock
  void prepare();      // ACQUIRE to PAUSE: frames are taken; the camera knows where to write
  void run();
  void pause();
  void unprepare();  // PAUSE to ACQUIRE: the camera stops, and nothing is held of the queue
  void release();    // ACQUIRE to STOP

  // --- Frames and pictures, up to DISPATCH_LEVEL; stream.cc ---
  NTSTATUS take_frames();  // AVStrMiniPinProcess
  void give_up_frames();   // every clone is deleted
  void pictures_came();    // in the DPC
  void ring_restarts();    // the camera begins to write at slot 0 again
  Counts counts();

 private:
  // Of a clone: its context.
  struct Waiting {
    LIST_ENTRY link;
    PKSSTREAM_POINTER clone;
  };

  void forget_pictures();
  void set_taking(bool taking);
  bool wait_for_picture(PKSSTREAM_POINTER clone);
  PKSSTREAM_POINTER next_clone();
  PKSSTREAM_POINTER lock_next_frame();
  void take_pictures();
  void take_picture(const TESTCAM_SLOT& slot);
  NTSTATUS fill(KSSTREAM_POINTER& frame, const TESTCAM_SLOT& slot);
  void describe(KSSTREAM_HEADER& header, const TESTCAM_SLOT& slot);
  void stamp(KSSTREAM_HEADER& header, const TESTCAM_SLOT& slot);
  Counts count_picture();
  void count_dropped(ULONG64 pictures);

  PKSPIN pin_;
  Camera* camera_;
  ULONG channel_;
  VideoFormat format_;
  Ring ring_;
  PIKSREFERENCECLOCK clock_;  // null: the graph has none
  bool prepared_;

  KSPIN_LOCK lock_;
  LIST_ENTRY waiting_;  // of Waiting, in the order of the queue
  bool taking_;         // clones may be added
  Counts counts_;

  volatile LONG calls_;  // of pictures_came() that are not served yet
  // Used by the processor that serves them, and while the camera is quiet.
  ULONG read_;           // as TESTCAM_CHANNEL_READ
  ULONG64 next_number_;  // of the picture that should come next
  LONGLONG last_time_;   // the latest presentation time
  bool discontinuity_;   // pictures were dropped since the last frame
};

inline Stream& stream_of(PKSPIN pin) { return *static_cast<Stream*>(pin->Context); }

}  // namespace testcam
