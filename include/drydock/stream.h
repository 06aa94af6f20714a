#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "drydock/client.h"
#include "drydock/export.h"

namespace drydock {

namespace internal {
class Machine;
class StreamClient;
}  // namespace internal

using StreamHandle = void*;  // HANDLE of a filter, a pin, an allocator

enum class StreamState : std::uint32_t { Stop, Acquire, Pause, Run };       // KSSTATE
enum class DevicePower : std::uint32_t { D0 = 1, D1 = 2, D2 = 3, D3 = 4 };  // DEVICE_POWER_STATE
enum class Reset : std::uint32_t { Begin, End };                            // KSRESET

// How long a program waits for a frame, in the machine's time, before it cancels the request.
inline constexpr std::chrono::seconds kFramePatience{5};

// What a filter says of one of its pins.
struct PinInfo {
  std::uint32_t id = 0;
  bool output = true;           // data flows out of it
  bool takes_requests = false;  // a program can open it and send frames: KSPIN_COMMUNICATION_SINK or _BOTH
  bool makes_requests = false;  // it can be the source of a connection in the kernel: _SOURCE or _BOTH
  std::uint32_t instances = 0;  // that are open
  std::uint32_t possible = 0;   // KSINSTANCE_INDETERMINATE: as many as one likes
  std::uint32_t necessary = 0;
  std::vector<std::string> ranges;  // each in words: "video YUY2 160x120 to 1280x720, 5 to 60 frames a second"
};

// How requests for frames are made.
struct FrameOptions {
  std::uint32_t bytes = 0;         // of the frame's memory; 0: what the format needs
  std::uint32_t header_bytes = 0;  // Size of its KSSTREAM_HEADER; 0: with a KS_FRAME_INFO behind it
};

// A frame that has come back. A value. False when it came without success: status and why say more.
struct Frame {
  explicit operator bool() const { return status >= 0; }

  Status status = kSuccess;
  std::string why;
  std::vector<std::uint8_t> bytes;  // as many as DataUsed says
  std::uint32_t flags = 0;          // KSSTREAM_HEADER_OPTIONSF_…
  std::int64_t time = 0;            // of its presentation, in units of 100 ns; meaningless without …F_TIMEVALID
  std::int64_t duration = 0;
  std::int64_t picture_number = 0;  // of its KS_FRAME_INFO; 0 where the header had no room for it
  std::int64_t drop_count = 0;
};

// What happened to one allocator of a connection in the kernel.
struct AllocatorLedger {
  std::string pin;           // whose it was
  bool drivers_own = false;  // AVStrMiniAllocate and its three companions, and not the class's pool
  bool deleted = false;      // the allocator is gone; the driver's AVStrMiniDeleteAllocator has returned
  std::uint32_t frames = 0;  // as it was created: how many, of how many bytes
  std::uint32_t frame_bytes = 0;
  std::uint64_t allocated = 0;
  std::uint64_t refused = 0;
  std::uint64_t freed = 0;
  std::uint32_t outstanding = 0;
  std::uint32_t most_outstanding = 0;
};

// An AVStream file that a program has open. A value that names something in the host, as a Process is: copies name the
// same file, and a value may outlive it. One thread at a time uses a program and what it has open.
class DRYDOCK_API StreamFile {
 public:
  // False when it could not be opened: status() and why() say more.
  explicit operator bool() const { return status_ >= 0; }
  Status status() const { return status_; }
  // Why the last call that failed did, in one sentence; of a file that was never opened, why not.
  std::string why() const;
  StreamHandle handle() const { return handle_; }

  // KSPROPERTY_TYPE_GET and _SET of any property, by the GUID of its set. What a get gives is empty when it was
  // refused.
  template <typename Guid>
  std::vector<std::uint8_t> get(const Guid& property_set, std::uint32_t id) const {
    static_assert(sizeof(Guid) == 16, "the GUID of a property set");
    return get_property(&property_set, id);
  }
  template <typename Guid, typename Value>
  Status set(const Guid& property_set, std::uint32_t id, const Value& value) const {
    static_assert(sizeof(Guid) == 16, "the GUID of a property set");
    return set_property(&property_set, id, &value, sizeof(value));
  }
  // Any control code with any buffers, sensible or not (IOCTL_KS_PROPERTY, IOCTL_KS_METHOD, …).
  Status control(std::uint32_t code, const void* in, std::uint32_t in_bytes, void* out = nullptr,
                 std::uint32_t out_bytes = 0, std::uint32_t* returned = nullptr) const;
  // The handle is closed; frames that were under way are gone.
  Status close() const;

 protected:
  friend class StreamProgram;
  StreamFile() = default;
  std::vector<std::uint8_t> get_property(const void* property_set, std::uint32_t id) const;
  Status set_property(const void* property_set, std::uint32_t id, const void* value, std::size_t bytes) const;

  std::shared_ptr<internal::StreamClient> program_;
  StreamHandle handle_ = nullptr;
  Status status_ = static_cast<Status>(0xC0000008u);  // STATUS_INVALID_HANDLE
  std::string why_;
};

// A pin that a program has open, with the frames that are under way to it.
class DRYDOCK_API StreamPin : public StreamFile {
 public:
  // What was agreed on, in words.
  const std::string& format() const { return format_; }
  std::uint32_t frame_bytes() const { return frame_bytes_; }

  StreamState state() const;
  // One request for this state. The class goes through the states in between.
  Status set_state(StreamState state) const;
  // Step by step, as a graph manager does it. The first refusal ends it.
  Status go(StreamState state) const;

  // One frame of an output pin: sent, and waited for.
  Frame read(std::chrono::nanoseconds patience = kFramePatience) const;
  // So many frames one after the other, with several requests pending at any time. Ends at the first that fails.
  std::vector<Frame> read_frames(std::uint32_t count) const;
  // One frame into an input pin.
  Frame write(const std::vector<std::uint8_t>& bytes) const;

  // Requests without waiting: `count` frames to be filled; one frame with data.
  Status send(std::uint32_t count = 1, const FrameOptions& options = {}) const;
  Status send(const std::vector<std::uint8_t>& bytes) const;
  // The oldest that is under way. One that did not come in time is cancelled, and is STATUS_IO_TIMEOUT.
  Frame receive(std::chrono::nanoseconds patience = kFramePatience) const;
  std::uint32_t under_way() const;
  // Cancels all of them, and returns the result of each.
  std::vector<Frame> cancel() const;
  // IOCTL_KS_RESET_STATE.
  Status reset(Reset reset) const;

 private:
  friend class StreamConnection;
  friend class StreamFilter;
  friend class StreamProgram;
  StreamPin() = default;
  Frame refused(Status status) const;

  std::string format_;
  std::uint32_t frame_bytes_ = 0;
};

// A filter that a program has open.
class DRYDOCK_API StreamFilter : public StreamFile {
 public:
  std::vector<PinInfo> pins() const;
  // The format that the driver gives for what is asked: "YUY2:320x240", "RGB24:640x480@15", "PCM:44100x2". Empty: the
  // first of its own that it agrees to. Words; empty when it was refused.
  std::string intersect(std::uint32_t pin, const std::string& format = {}) const;
  // A pin for frames of the program's.
  StreamPin open_pin(std::uint32_t pin, const std::string& format = {}) const;

 private:
  friend class StreamProgram;
  StreamFilter() = default;
};

// Whose allocator a connection uses. Default: none is assigned, and the class chooses.
enum class AllocatorOf : std::uint8_t { Source, Sink, Default };

// Two pins that are connected in the kernel, and the allocator for it. False when there is none: why() says more.
class DRYDOCK_API StreamConnection {
 public:
  explicit operator bool() const { return static_cast<bool>(source_) && static_cast<bool>(sink_) && why_.empty(); }
  const std::string& why() const { return why_; }

  const StreamPin& source() const { return source_; }
  const StreamPin& sink() const { return sink_; }
  StreamHandle allocator() const { return allocator_; }
  // Both pins step by step: upward the sink first, downward the source.
  Status go(StreamState state) const;
  // How often a frame came back from the sink.
  std::uint64_t went_round() const;
  // Lets time pass until so many frames have come back, or until none has for too long. True when they have.
  bool wait_for(std::uint64_t frames) const;
  // Allocator, source, sink.
  void close() const;

 private:
  friend class StreamProgram;
  StreamConnection() = default;

  std::shared_ptr<internal::StreamClient> program_;
  StreamPin source_;
  StreamPin sink_;
  StreamHandle allocator_ = nullptr;
  std::string why_;
};

// A device of a minidriver, as Plug and Play and the power manager see it.
class DRYDOCK_API StreamDevice {
 public:
  // Each sends the request to the driver and returns its status. stop() sends the query first.
  Status stop() const;
  Status start() const;
  Status set_power(DevicePower power) const;
  // The hardware is pulled out, and the driver gets the surprise removal.
  Status surprise_remove() const;
  // How many filters it offers.
  std::uint32_t filters() const;

 private:
  friend class Host;
  friend class StreamProgram;
  StreamDevice(std::shared_ptr<internal::Machine> machine, std::size_t index);

  std::shared_ptr<internal::Machine> machine_;
  std::size_t index_;
};

// A process that streams.
class DRYDOCK_API StreamProgram {
 public:
  // Why the last call that failed did, in one sentence; empty when none was.
  std::string why() const;

  // A filter of a device, counted.
  StreamFilter open_filter(std::uint32_t filter = 0) const;  // of the host's first device
  StreamFilter open_filter(const StreamDevice& device, std::uint32_t filter = 0) const;
  // A connection in the kernel, as a graph builder makes it: sink, source, allocator.
  StreamConnection connect(const StreamFilter& source, std::uint32_t source_pin, const StreamFilter& sink,
                           std::uint32_t sink_pin, AllocatorOf allocator = AllocatorOf::Source) const;
  // The process ends with everything it has open. Host::stop() does this to all of them.
  void end() const;

 private:
  friend class Host;
  explicit StreamProgram(std::shared_ptr<internal::StreamClient> program);

  std::shared_ptr<internal::StreamClient> program_;
};

}  // namespace drydock
