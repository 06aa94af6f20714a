#pragma once

#include <cstddef>
#include <cstdint>

#include "nt/machine/machine.h"

// Finds drivers that touch frames they have not locked. While a frame is closed the whole pages inside it cannot
// be touched: poisoned in a build with AddressSanitizer, without access rights otherwise. Pages are counted, as frames
// may share them: a page is shut while at least one frame guards it and no frame on it is open. The table belongs to
// the process, as its address space does. Any thread.
//
// Without a sanitizer only memory is guarded that is known to hold nothing else: the machine's own, and what a client
// of ours has registered. With one, every frame that lies in memory which may be touched as a whole.
namespace ks {

class FrameGuard {
 public:
  // Begins to guard a frame, which is closed. False: it is not guarded, and no other function may be called for it.
  static bool begin(nt::Machine& machine, const uint8_t* data, size_t bytes);
  static void open(const uint8_t* data, size_t bytes);
  static void close(const uint8_t* data, size_t bytes);
  // Ends it; the frame is `opened` or closed now.
  static void end(const uint8_t* data, size_t bytes, bool opened);
  // Opens everything: a run has ended, and frames may still be guarded.
  static void forget_all();
  // Whether the page at `address` is shut.
  static bool shut(uintptr_t address);

  // Opens a range for the length of a block, if anything in it is guarded.
  class [[nodiscard]] Opened {
   public:
    Opened(const uint8_t* data, size_t bytes);
    ~Opened();
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;

   private:
    const uint8_t* data_;
    size_t bytes_;
  };

  // Memory that a client made for one frame and nothing else: `bytes` of frame, then `tail` bytes that are filled here
  // and must not be written. Page-aligned where it is to be guarded without a sanitizer.
  static void register_frame(uint8_t* data, size_t bytes, size_t tail);
  static void unregister_frame(const uint8_t* data);
  // Whether the address lies less than a page behind a registered frame and its tail.
  static bool behind(uintptr_t address);
  // How many bytes of the tail behind a registered frame were written; 0 for every other frame. Fills them again.
  static size_t overrun(const uint8_t* data);
};

}  // namespace ks
