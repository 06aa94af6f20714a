// The capture pin's stream: KSPIN.Context, from the pin's Create to its Close.
//
//   client's frames ──► AVStream's queue ──► locked clones ──► back to the client
//                        (take_frames)        │       ▲ (pictures_came)
//                                 descriptors ▼       │ results
//                                           the ring, the grabber, interrupt, DPC
//
// The grabber writes into the frames themselves. A clone is locked for as long as the grabber may do so: its frame
// cannot be cancelled meanwhile and keeps its mappings ("Stream Pointers and IRP Cancellation", fourth technique),
// which takes a few pictures' time. When the stream pauses the grabber is halted and the clones are unlocked, so that
// frames can be cancelled however long that lasts; they are locked again when it runs. There is nothing a cancel
// callback could do.
//
// Locks: the grabber's lock guards the ring, the list of clones and the counts. No function of AVStream is called with
// it held.
#pragma once

#include "formats.h"
#include "grabber.h"
#include "ring.h"

namespace kssg {

class Stream {
 public:
  void initialize(PKSPIN pin, Grabber& grabber, const VideoFormat& format);

  const VideoFormat& format() const { return format_; }
  const Ring& ring() const { return ring_; }
  bool acquired() const { return ring_.allocated(); }
  void set_format(const VideoFormat& format) { format_ = format; }  // while it is not acquired

  // --- States, at PASSIVE_LEVEL; state.cc. Those that go down do nothing twice. ---
  NTSTATUS acquire();  // STOP to ACQUIRE: the grabber is this stream's alone; the ring, the clock
  void run();          // PAUSE to RUN
  void pause();        // RUN to PAUSE: the grabber stops; frames are kept, and can be cancelled
  void release();      // ACQUIRE to STOP

  // --- Frames and pictures, up to DISPATCH_LEVEL; stream.cc ---
  NTSTATUS take_frames();                       // AVStrMiniPinProcess
  void give_up_frames(NTSTATUS status);         // every clone is deleted, with the grabber halted
  void pictures_came();                         // in the DPC
  void numbers_restart() { next_number_ = 0; }  // the grabber counts from 0 again; the lock is held

 private:
  // The pictures since ACQUIRE.
  struct Counts {
    LONGLONG pictures;  // that there were, dropped or not
    LONGLONG dropped;
  };
  // Of a clone: its context.
  struct InFlight {
    LIST_ENTRY link;
    PKSSTREAM_POINTER clone;
    ULONG last;  // descriptor of its list
  };
  // A picture that the grabber is done with.
  struct Picture {
    PKSSTREAM_POINTER clone;
    ULONG64 time_ns;
    Counts counts;
    bool whole;
    bool discontinuity;  // pictures are missing before it
  };

  bool has_room(ULONG pieces);
  bool take_frame(PKSSTREAM_POINTER leading);
  bool hand_over(PKSSTREAM_POINTER clone, ULONG pieces);
  void put_list(const KSSTREAM_POINTER_OFFSET& memory, ULONG pieces);
  void set_taking(bool taking);
  void lock_frames();
  void unlock_frames();
  void take_pictures();
  bool next_picture(Picture& picture);
  void finish(const Picture& picture);
  void describe(KSSTREAM_HEADER& header, const Picture& picture);
  void stamp(KSSTREAM_HEADER& header, ULONG64 time_ns);

  PKSPIN pin_;
  Grabber* grabber_;
  VideoFormat format_;
  PIKSREFERENCECLOCK clock_;  // null: the graph has none
  bool running_;

  // Guarded by the grabber's lock.
  Ring ring_;
  LIST_ENTRY in_flight_;  // of InFlight, in the order of the queue; while it does not run, unlocked
  ULONG in_flight_count_;
  ULONG next_number_;  // of the picture that should come next
  Counts counts_;
  bool taking_;         // clones may be added
  bool discontinuity_;  // pictures were lost since the last frame

  volatile LONG calls_;  // of pictures_came() that are not served yet
  LONGLONG last_time_;   // the latest presentation time; used by the serving processor, and while the grabber is quiet
};

inline Stream& stream_of(PKSPIN pin) { return *static_cast<Stream*>(pin->Context); }

}  // namespace kssg
