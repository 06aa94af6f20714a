#include "api/stream_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "host/capture/media_format.h"
#include "ks/pin/pin.h"
#include "ks/stream/pipe.h"
#include "nt/io/file_objects.h"
#include "trace/text.h"

namespace drydock::internal {
namespace {

constexpr size_t kUnknownFrame = 4096;  // where a format does not say

const KSDATAFORMAT& as_format(const StreamClient::Format& bytes) {
  return *reinterpret_cast<const KSDATAFORMAT*>(bytes.data());
}

std::string status_text(Status status) {
  std::string_view name = trace::status_name(status);
  auto code = static_cast<uint32_t>(status);
  return name.empty() ? fmt::format("0x{:08X}", code) : fmt::format("{} (0x{:08X})", name, code);
}

size_t bytes_of_frame(const KSDATAFORMAT& format) {
  if (const WAVEFORMATEX* sound = host::sound_of(format)) return std::max<size_t>(sound->nAvgBytesPerSec / 10, 64);
  return host::frame_bytes(format, kUnknownFrame);
}

Frame public_frame(ks::ProgramFrame& from) {
  Frame frame;
  frame.status = from.status().Status;
  if (frame.status < 0) frame.why = status_text(frame.status);
  const KSSTREAM_HEADER& header = from.header();
  frame.bytes.assign(from.buffer().data(),
                     from.buffer().data() + std::min<size_t>(header.DataUsed, from.buffer().size()));
  frame.flags = header.OptionsFlags;
  frame.time = header.PresentationTime.Time;
  frame.duration = header.Duration;
  if (const KS_FRAME_INFO* info = from.info()) {
    frame.picture_number = info->PictureNumber;
    frame.drop_count = info->DropCount;
  }
  return frame;
}

PinInfo public_pin(const host::KsPinQuery& query) {
  PinInfo info;
  info.id = query.pin;
  info.output = query.flow == KSPIN_DATAFLOW_OUT;
  bool both = query.communication == KSPIN_COMMUNICATION_BOTH;
  info.takes_requests = both || query.communication == KSPIN_COMMUNICATION_SINK;
  info.makes_requests = both || query.communication == KSPIN_COMMUNICATION_SOURCE;
  info.instances = query.instances.CurrentCount;
  info.possible = query.instances.PossibleCount;
  info.necessary = query.necessary;
  for (size_t i = 0; i < query.range_count; ++i) {
    if (const KSDATARANGE* range = query.range(i)) info.ranges.push_back(host::describe_range(*range));
  }
  return info;
}

// What the pin asks for, if it does.
KSALLOCATOR_FRAMING framing_for(ks::Program& program, HANDLE pin, size_t frame_bytes) {
  KSALLOCATOR_FRAMING framing{};
  framing.OptionsFlags = KSALLOCATOR_OPTIONF_SYSTEM_MEMORY;
  framing.PoolType = NonPagedPool;
  framing.Frames = 3;
  framing.FrameSize = static_cast<ULONG>(frame_bytes);
  framing.FileAlignment = FILE_LONG_ALIGNMENT;
  auto asked = program.get(pin, KSPROPSETID_Connection, KSPROPERTY_CONNECTION_ALLOCATORFRAMING);
  if (!asked.ok() || asked.value().size() < sizeof(framing)) return framing;
  KSALLOCATOR_FRAMING wanted;
  memcpy(&wanted, asked.value().data(), sizeof(wanted));
  framing.FrameSize = std::max(framing.FrameSize, wanted.FrameSize);
  framing.Frames = std::max<ULONG>(wanted.Frames, 1);
  framing.FileAlignment = wanted.FileAlignment;
  return framing;
}

}  // namespace

std::string describe(const StreamClient::Format& format) {
  return format.empty() ? std::string() : host::describe_format(as_format(format));
}

StreamClient::StreamClient(std::shared_ptr<Machine> machine, std::string name)
    : machine_(std::move(machine)), name_(std::move(name)) {}

// --- Calls ---

void StreamClient::begin() {
  bool begun = machine_->stream(
      [&](host::Streams& streams) { program_ = std::make_unique<ks::Program>(streams.machine(), name_); });
  if (begun) machine_->add(shared_from_this());
}

Status StreamClient::refuse(Status status, std::string why) {
  std::lock_guard lock(why_mutex_);
  why_ = std::move(why);
  return status;
}

std::string StreamClient::why() {
  std::lock_guard lock(why_mutex_);
  return why_;
}

Status StreamClient::call(const char* function, const std::function<Answer(ks::Program&)>& what) {
  Answer answer;
  bool done = machine_->stream([&](host::Streams&) {
    answer = program_ ? what(*program_)
                      : Answer{STATUS_PROCESS_IS_TERMINATING, fmt::format("the process {} has ended", name_)};
  });
  if (!done && machine_->has_graphics()) {
    return refuse(STATUS_NOT_SUPPORTED, "the host's driver is a display driver: nothing streams");
  }
  if (!done) return refuse(kMachineStopped, machine_->stop_reason());
  if (answer.status >= 0) return answer.status;
  if (answer.why.empty()) answer.why = status_text(answer.status);
  return refuse(answer.status, fmt::format("{}: {}", function, answer.why));
}

StreamClient::Answer StreamClient::answer(const base::Failure& failure) {
  return {failure.code(), fmt::format("{}: {}", failure.why(), status_text(failure.code()))};
}

StreamClient::Answer StreamClient::answer(Status status) { return {status, {}}; }

// --- Files ---

Status StreamClient::open_filter(size_t device, size_t filter, HANDLE* handle) {
  return call("open_filter", [&](ks::Program& program) {
    host::Streams& streams = machine_->streams();
    if (device >= streams.drivers()) return Answer{STATUS_OBJECT_NAME_NOT_FOUND, "the host has no such device"};
    ks::Device* found = streams.driver(device).started() ? streams.driver(device).slot().device() : nullptr;
    if (!found) return Answer{STATUS_DEVICE_REMOVED, "the device was removed"};
    auto opened = program.open_filter(*found, filter);
    if (!opened.ok()) return answer(opened.failure());
    *handle = opened.take();
    return answer(kSuccess);
  });
}

Status StreamClient::control(HANDLE file, ULONG code, const void* in, ULONG in_bytes, void* out, ULONG out_bytes,
                             ULONG* returned) {
  return call("control", [&](ks::Program& program) {
    return answer(program.control(file, code, in, in_bytes, out, out_bytes, returned));
  });
}

Status StreamClient::get(HANDLE file, const GUID& set, ULONG id, std::vector<uint8_t>* data) {
  return call("get", [&](ks::Program& program) {
    auto got = program.get(file, set, id);
    if (!got.ok()) return answer(got.failure());
    *data = got.take();
    return answer(kSuccess);
  });
}

Status StreamClient::set(HANDLE file, const GUID& set, ULONG id, const void* data, ULONG bytes) {
  return call("set", [&](ks::Program& program) { return answer(program.set(file, set, id, data, bytes)); });
}

Status StreamClient::close(HANDLE file) {
  return call("close", [&](ks::Program& program) {
    Status status = program.close(file);
    auto pin = pins_.find(file);
    if (pin == pins_.end()) return answer(status);
    // The last handle's end has cancelled them.
    for (auto& frame : pin->second.frames) frame->wait();
    pins_.erase(pin);
    return answer(status);
  });
}

// --- Filters ---

std::vector<PinInfo> StreamClient::pins(HANDLE filter) {
  std::vector<PinInfo> all;
  call("pins", [&](ks::Program& program) {
    ULONG count = host::KsPinQuery::pins(program, filter);
    for (ULONG i = 0; i < count; ++i) all.push_back(public_pin(host::KsPinQuery::ask(program, filter, i)));
    return answer(kSuccess);
  });
  return all;
}

std::optional<StreamClient::Format> StreamClient::choose(ks::Program& program, const host::KsPinQuery& query,
                                                         HANDLE filter, const std::string& format_name,
                                                         Answer* refused) {
  *refused = {STATUS_NO_MATCH, fmt::format("pin {} agrees to none of its own ranges", query.pin)};
  if (format_name.empty()) return host::choose_format(program, filter, query);
  auto wanted = host::FormatRequest::parse(format_name);
  if (!wanted) {
    *refused = {STATUS_INVALID_PARAMETER,
                fmt::format("'{}' is no format, as YUY2:320x240 or PCM:44100x2", format_name)};
    return std::nullopt;
  }
  *refused = {STATUS_NO_MATCH, fmt::format("pin {} does not have {}", query.pin, format_name)};
  return host::choose_format(program, filter, query, *wanted);
}

Status StreamClient::intersect(HANDLE filter, ULONG pin, const std::string& format_name, Format* format) {
  return call("intersect", [&](ks::Program& program) {
    Answer refused;
    if (pin >= host::KsPinQuery::pins(program, filter)) {
      return Answer{STATUS_INVALID_PARAMETER, fmt::format("the filter has no pin {}", pin)};
    }
    auto chosen = choose(program, host::KsPinQuery::ask(program, filter, pin), filter, format_name, &refused);
    if (!chosen) return refused;
    *format = std::move(*chosen);
    return answer(kSuccess);
  });
}

Status StreamClient::open_pin(HANDLE filter, ULONG pin, const Format& format, HANDLE to, HANDLE* handle) {
  return call("open_pin", [&](ks::Program& program) {
    auto opened = program.open_pin(filter, ks::standard_connect(pin, to), as_format(format));
    if (!opened.ok()) return answer(opened.failure());
    *handle = opened.take();
    pins_[*handle] = {format, bytes_of_frame(as_format(format)), {}};
    return answer(kSuccess);
  });
}

Status StreamClient::open_allocator(HANDLE pin, HANDLE source, HANDLE* allocator) {
  return call("open_allocator", [&](ks::Program& program) {
    OpenPin* open = find(pin);
    if (!open) return answer(STATUS_INVALID_HANDLE);
    auto opened = program.open_allocator(pin, framing_for(program, pin, open->frame_bytes));
    if (!opened.ok()) return answer(opened.failure());
    *allocator = opened.take();
    return answer(program.assign_allocator(source, *allocator));
  });
}

uint64_t StreamClient::went_round(HANDLE source) {
  uint64_t times = 0;
  call("went_round", [&](ks::Program& program) {
    nt::Files& files = program.machine().files();
    if (!find(source)) return answer(STATUS_INVALID_HANDLE);
    auto file = files.find(&program.process(), source, UserMode);
    if (!file.ok()) return answer(file.failure());
    ks::Pipe* pipe = static_cast<ks::Pin*>(ks::node_of(file.value()))->pipe();
    if (pipe) times = pipe->ledger().went_round;
    files.dereference(*file.value());
    return pipe ? answer(kSuccess) : Answer{STATUS_NOT_FOUND, "the pin is not connected"};
  });
  return times;
}

// --- Pins ---

StreamClient::OpenPin* StreamClient::find(HANDLE pin) {
  auto found = pins_.find(pin);
  return found == pins_.end() ? nullptr : &found->second;
}

uint32_t StreamClient::frame_bytes(HANDLE pin) {
  uint32_t bytes = 0;
  machine_->look([&] {
    if (const OpenPin* open = find(pin)) bytes = static_cast<uint32_t>(open->frame_bytes);
  });
  return bytes;
}

StreamState StreamClient::state(HANDLE pin) {
  StreamState now = StreamState::Stop;
  call("state", [&](ks::Program& program) {
    auto state = program.state(pin);
    if (!state.ok()) return answer(state.failure());
    now = static_cast<StreamState>(state.value());
    return answer(kSuccess);
  });
  return now;
}

Status StreamClient::set_state(HANDLE pin, StreamState state) {
  return call("set_state",
              [&](ks::Program& program) { return answer(program.set_state(pin, static_cast<KSSTATE>(state))); });
}

Status StreamClient::go(HANDLE pin, StreamState state) {
  int at = static_cast<int>(this->state(pin)), to = static_cast<int>(state);
  Status status = kSuccess;
  while (at != to && status >= 0) {
    at += at < to ? 1 : -1;
    status = set_state(pin, static_cast<StreamState>(at));
  }
  return status;
}

Status StreamClient::reset(HANDLE pin, Reset reset) {
  return call("reset", [&](ks::Program& program) {
    return answer(program.reset(pin, reset == Reset::Begin ? KSRESET_BEGIN : KSRESET_END));
  });
}

// A frame that was refused at once was never in flight.
StreamClient::Answer StreamClient::start(OpenPin& pin, HANDLE handle, std::unique_ptr<ks::ProgramFrame> frame,
                                         bool write) {
  Status status = write ? frame->write(handle) : frame->read(handle);
  if (status < 0) return answer(status);
  pin.frames.push_back(std::move(frame));
  return answer(kSuccess);
}

Status StreamClient::send(HANDLE pin, const FrameOptions& options) {
  return call("send", [&](ks::Program& program) {
    OpenPin* open = find(pin);
    if (!open) return answer(STATUS_INVALID_HANDLE);
    size_t bytes = options.bytes ? options.bytes : open->frame_bytes;
    size_t header = options.header_bytes ? options.header_bytes : sizeof(KSSTREAM_HEADER) + sizeof(KS_FRAME_INFO);
    if (header < sizeof(KSSTREAM_HEADER)) {
      return Answer{STATUS_INVALID_PARAMETER, "a header that is shorter than KSSTREAM_HEADER; control() sends such"};
    }
    return start(*open, pin, std::make_unique<ks::ProgramFrame>(program, bytes, header), false);
  });
}

Status StreamClient::send(HANDLE pin, const std::vector<uint8_t>& bytes) {
  return call("send", [&](ks::Program& program) {
    OpenPin* open = find(pin);
    if (!open) return answer(STATUS_INVALID_HANDLE);
    auto frame = std::make_unique<ks::ProgramFrame>(program, std::max(bytes.size(), open->frame_bytes));
    if (!bytes.empty()) memcpy(frame->buffer().data(), bytes.data(), bytes.size());
    frame->header().DataUsed = static_cast<ULONG>(bytes.size());
    return start(*open, pin, std::move(frame), true);
  });
}

Frame StreamClient::receive(HANDLE pin, base::TimeNs patience) {
  Frame received;
  received.status = call("receive", [&](ks::Program& program) {
    OpenPin* open = find(pin);
    if (!open || open->frames.empty()) return Answer{STATUS_NOT_FOUND, "no frame is under way"};
    std::unique_ptr<ks::ProgramFrame> frame = std::move(open->frames.front());
    open->frames.pop_front();
    bool late = frame->wait(program.machine().executor().now() + patience) == STATUS_TIMEOUT;
    if (late) {
      frame->cancel();
      frame->wait();
    }
    received = public_frame(*frame);
    // A wait that times out returns a success code, so this case is handled separately.
    return late ? Answer{STATUS_IO_TIMEOUT, "the frame did not come in time"} : answer(received.status);
  });
  if (received.status < 0) received.why = why();
  return received;
}

std::vector<Frame> StreamClient::cancel(HANDLE pin) {
  std::vector<Frame> back;
  call("cancel", [&](ks::Program&) {
    OpenPin* open = find(pin);
    if (!open) return answer(STATUS_INVALID_HANDLE);
    auto frames = std::exchange(open->frames, {});
    for (auto& frame : frames) {
      if (frame->pending()) frame->cancel();
    }
    for (auto& frame : frames) {
      frame->wait();
      back.push_back(public_frame(*frame));
    }
    return answer(kSuccess);
  });
  return back;
}

uint32_t StreamClient::under_way(HANDLE pin) {
  uint32_t count = 0;
  machine_->look([&] {
    if (const OpenPin* open = find(pin)) count = static_cast<uint32_t>(open->frames.size());
  });
  return count;
}

// --- Its end ---

void StreamClient::end() {
  machine_->stream([&](host::Streams&) { end_here(); });
}

void StreamClient::end_here() {
  if (!program_) return;
  program_->end();
  for (auto& [handle, pin] : pins_) {
    for (auto& frame : pin.frames) frame->wait();
  }
  pins_.clear();
  program_.reset();
}

// Objects of a machine that stopped by itself are not destroyed.
void StreamClient::abandon() {
  for (auto& [handle, pin] : pins_) {
    for (auto& frame : pin.frames) static_cast<void>(frame.release());
  }
  pins_.clear();
  static_cast<void>(program_.release());
}

}  // namespace drydock::internal
