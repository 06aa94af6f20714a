#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/machine.h"
#include "drydock/stream.h"
#include "host/scenarios/ks/ks_pin_query.h"
#include "host/scenarios/ks/streams.h"
#include "ks/object/program.h"
#include "nt/io/file_objects.h"

namespace drydock::internal {

// The implementation of a StreamProgram and everything that it names. Shared by those values and, until it stops, the
// machine; ends with it. One thread at a time; its members are used on the machine's thread.
class StreamClient : public std::enable_shared_from_this<StreamClient> {
 public:
  StreamClient(std::shared_ptr<Machine> machine, std::string name);

  // The process itself, on the machine.
  void begin();
  void end();

  // What a call of the program answers: a status, and where it failed one sentence.
  struct Answer {
    Status status = kSuccess;
    std::string why;
  };
  // `what` on the machine's thread, while there is a program. A failure leaves its reason in why().
  Status call(const char* function, const std::function<Answer(ks::Program&)>& what);
  std::string why();
  Status refuse(Status status, std::string why);

  // --- Files ---
  Status open_filter(size_t device, size_t filter, HANDLE* handle);
  Status control(HANDLE file, ULONG code, const void* in, ULONG in_bytes, void* out, ULONG out_bytes, ULONG* returned);
  Status get(HANDLE file, const GUID& set, ULONG id, std::vector<uint8_t>* data);
  Status set(HANDLE file, const GUID& set, ULONG id, const void* data, ULONG bytes);
  Status close(HANDLE file);

  // --- Filters ---
  std::vector<PinInfo> pins(HANDLE filter);
  // A format as the driver wants it.
  using Format = std::vector<uint8_t>;
  Status intersect(HANDLE filter, ULONG pin, const std::string& format_name, Format* format);
  // A pin with that format; `to`: connected to that sink in the kernel.
  Status open_pin(HANDLE filter, ULONG pin, const Format& format, HANDLE to, HANDLE* handle);
  Status open_allocator(HANDLE pin, HANDLE source, HANDLE* allocator);
  uint64_t went_round(HANDLE source);

  // --- Pins ---
  uint32_t frame_bytes(HANDLE pin);
  StreamState state(HANDLE pin);
  Status set_state(HANDLE pin, StreamState state);
  Status go(HANDLE pin, StreamState state);
  Status reset(HANDLE pin, Reset reset);
  Status send(HANDLE pin, const FrameOptions& options);
  Status send(HANDLE pin, const std::vector<uint8_t>& bytes);
  Frame receive(HANDLE pin, base::TimeNs patience);
  std::vector<Frame> cancel(HANDLE pin);
  uint32_t under_way(HANDLE pin);

  Machine& machine() { return *machine_; }

  // On the machine's thread.
  void end_here();
  // After the machine's end.
  void abandon();

 private:
  struct OpenPin {
    Format format;
    size_t frame_bytes = 0;
    std::deque<std::unique_ptr<ks::ProgramFrame>> frames;
  };

  Answer answer(Status status);
  static Answer answer(const base::Failure& failure);
  std::optional<Format> choose(ks::Program& program, const host::KsPinQuery& query, HANDLE filter,
                               const std::string& format_name, Answer* refused);
  OpenPin* find(HANDLE pin);
  Answer start(OpenPin& pin, HANDLE handle, std::unique_ptr<ks::ProgramFrame> frame, bool write);

  const std::shared_ptr<Machine> machine_;
  const std::string name_;
  std::unique_ptr<ks::Program> program_;  // on the machine; null before begin() and after the end
  std::map<HANDLE, OpenPin> pins_;        // by handle, whose numbers are the same in every run
  std::mutex why_mutex_;
  std::string why_;
};

// A format in words; empty for no format.
std::string describe(const StreamClient::Format& format);

}  // namespace drydock::internal
