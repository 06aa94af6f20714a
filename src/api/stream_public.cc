// The classes of <drydock/stream.h>, which only hold pointers to their implementations.
#include <algorithm>
#include <cstring>
#include <utility>

#include "api/stream_client.h"

namespace drydock {
namespace {

constexpr std::uint32_t kUnderWay = 4;  // frames, while a number of them is read
constexpr base::TimeNs kLook = 1'000'000;

base::TimeNs nanoseconds(std::chrono::nanoseconds duration) {
  return static_cast<base::TimeNs>(std::max<std::int64_t>(duration.count(), 0));
}

GUID guid_at(const void* set) {
  GUID guid;
  memcpy(&guid, set, sizeof(guid));
  return guid;
}

}  // namespace

// --- StreamFile ---

std::string StreamFile::why() const { return status_ >= 0 && program_ ? program_->why() : why_; }

std::vector<std::uint8_t> StreamFile::get_property(const void* property_set, std::uint32_t id) const {
  std::vector<std::uint8_t> data;
  if (program_) program_->get(handle_, guid_at(property_set), id, &data);
  return data;
}

Status StreamFile::set_property(const void* property_set, std::uint32_t id, const void* value,
                                std::size_t bytes) const {
  if (!program_) return status_;
  return program_->set(handle_, guid_at(property_set), id, value, static_cast<ULONG>(bytes));
}

Status StreamFile::control(std::uint32_t code, const void* in, std::uint32_t in_bytes, void* out,
                           std::uint32_t out_bytes, std::uint32_t* returned) const {
  ULONG bytes = 0;
  Status status = program_ ? program_->control(handle_, code, in, in_bytes, out, out_bytes, &bytes) : status_;
  if (returned) *returned = bytes;
  return status;
}

Status StreamFile::close() const { return program_ ? program_->close(handle_) : status_; }

// --- StreamPin ---

StreamState StreamPin::state() const { return program_ ? program_->state(handle_) : StreamState::Stop; }

Status StreamPin::set_state(StreamState state) const {
  return program_ ? program_->set_state(handle_, state) : status_;
}

Status StreamPin::go(StreamState state) const { return program_ ? program_->go(handle_, state) : status_; }

Frame StreamPin::refused(Status status) const {
  Frame none;
  none.status = status;
  none.why = why();
  return none;
}

Frame StreamPin::read(std::chrono::nanoseconds patience) const {
  Status sent = send();
  return sent < 0 ? refused(sent) : receive(patience);
}

std::vector<Frame> StreamPin::read_frames(std::uint32_t count) const {
  std::vector<Frame> frames;
  if (Status sent = send(std::min(kUnderWay, count)); sent < 0) return {refused(sent)};
  while (frames.size() < count) {
    frames.push_back(receive());
    if (!frames.back()) break;
    if (frames.size() + kUnderWay <= count) send();
  }
  return frames;
}

Frame StreamPin::write(const std::vector<std::uint8_t>& bytes) const {
  Status sent = send(bytes);
  return sent < 0 ? refused(sent) : receive();
}

Status StreamPin::send(std::uint32_t count, const FrameOptions& options) const {
  Status status = program_ ? kSuccess : status_;
  for (std::uint32_t i = 0; i < count && status >= 0; ++i) status = program_->send(handle_, options);
  return status;
}

Status StreamPin::send(const std::vector<std::uint8_t>& bytes) const {
  return program_ ? program_->send(handle_, bytes) : status_;
}

Frame StreamPin::receive(std::chrono::nanoseconds patience) const {
  return program_ ? program_->receive(handle_, nanoseconds(patience)) : refused(status_);
}

std::uint32_t StreamPin::under_way() const { return program_ ? program_->under_way(handle_) : 0; }

std::vector<Frame> StreamPin::cancel() const { return program_ ? program_->cancel(handle_) : std::vector<Frame>{}; }

Status StreamPin::reset(Reset reset) const { return program_ ? program_->reset(handle_, reset) : status_; }

// --- StreamFilter ---

std::vector<PinInfo> StreamFilter::pins() const { return program_ ? program_->pins(handle_) : std::vector<PinInfo>{}; }

std::string StreamFilter::intersect(std::uint32_t pin, const std::string& format_name) const {
  internal::StreamClient::Format format;
  if (program_) program_->intersect(handle_, pin, format_name, &format);
  return internal::describe(format);
}

StreamPin StreamFilter::open_pin(std::uint32_t pin, const std::string& format_name) const {
  StreamPin opened;
  opened.status_ = status_;
  opened.why_ = why_;
  if (!program_) return opened;
  internal::StreamClient::Format format;
  opened.program_ = program_;
  opened.status_ = program_->intersect(handle_, pin, format_name, &format);
  if (opened.status_ >= 0) opened.status_ = program_->open_pin(handle_, pin, format, nullptr, &opened.handle_);
  if (opened.status_ < 0) opened.why_ = program_->why();
  opened.format_ = internal::describe(format);
  opened.frame_bytes_ = program_->frame_bytes(opened.handle_);
  return opened;
}

// --- StreamConnection ---

Status StreamConnection::go(StreamState state) const {
  bool up = source_.state() < state;
  const StreamPin& first = up ? sink_ : source_;
  const StreamPin& second = up ? source_ : sink_;
  Status status = first.go(state);
  return status < 0 ? status : second.go(state);
}

std::uint64_t StreamConnection::went_round() const { return program_ ? program_->went_round(source_.handle()) : 0; }

bool StreamConnection::wait_for(std::uint64_t frames) const {
  std::uint64_t seen = went_round();
  auto patience = static_cast<base::TimeNs>(std::chrono::nanoseconds(kFramePatience).count());
  for (base::TimeNs waited = 0; seen < frames && waited < patience && program_; waited += kLook) {
    program_->machine().pass_time(kLook);
    std::uint64_t now = went_round();
    if (now != seen) waited = 0;
    seen = now;
  }
  return seen >= frames;
}

void StreamConnection::close() const {
  if (allocator_) program_->close(allocator_);
  source_.close();
  sink_.close();
}

// --- StreamDevice ---

StreamDevice::StreamDevice(std::shared_ptr<internal::Machine> machine, std::size_t index)
    : machine_(std::move(machine)), index_(index) {}

namespace {

// What the device answers. STATUS_NO_SUCH_DEVICE when there is none.
template <typename Ask>
Status ask_slot(internal::Machine& machine, std::size_t index, const Ask& ask) {
  Status status = kMachineStopped;
  machine.stream([&](host::Streams& streams) {
    bool there = index < streams.drivers() && streams.driver(index).started();
    status = there ? ask(streams.driver(index).slot()) : STATUS_NO_SUCH_DEVICE;
  });
  return status;
}

}  // namespace

Status StreamDevice::stop() const {
  return ask_slot(*machine_, index_, [](ks::PnpSlot& slot) {
    Status may = slot.query_stop();
    if (may >= 0) return slot.stop();
    slot.cancel_stop();
    return may;
  });
}

Status StreamDevice::start() const {
  return ask_slot(*machine_, index_, [](ks::PnpSlot& slot) { return slot.start(); });
}

Status StreamDevice::set_power(DevicePower power) const {
  return ask_slot(*machine_, index_,
                  [&](ks::PnpSlot& slot) { return slot.set_power(static_cast<DEVICE_POWER_STATE>(power)); });
}

Status StreamDevice::surprise_remove() const {
  return ask_slot(*machine_, index_, [](ks::PnpSlot& slot) { return slot.surprise_remove(); });
}

std::uint32_t StreamDevice::filters() const {
  std::uint32_t count = 0;
  machine_->stream([&](host::Streams& streams) {
    if (index_ < streams.drivers()) count = static_cast<std::uint32_t>(streams.driver(index_).filters());
  });
  return count;
}

// --- StreamProgram ---

StreamProgram::StreamProgram(std::shared_ptr<internal::StreamClient> program) : program_(std::move(program)) {}

std::string StreamProgram::why() const { return program_->why(); }

StreamFilter StreamProgram::open_filter(std::uint32_t filter) const {
  return open_filter(StreamDevice(nullptr, 0), filter);
}

StreamFilter StreamProgram::open_filter(const StreamDevice& device, std::uint32_t filter) const {
  StreamFilter opened;
  opened.program_ = program_;
  opened.status_ = program_->open_filter(device.index_, filter, &opened.handle_);
  if (opened.status_ < 0) opened.why_ = program_->why();
  return opened;
}

// The source's format is the connection's.
StreamConnection StreamProgram::connect(const StreamFilter& source, std::uint32_t source_pin, const StreamFilter& sink,
                                        std::uint32_t sink_pin, AllocatorOf allocator) const {
  StreamConnection made;
  made.program_ = program_;
  internal::StreamClient::Format format;
  StreamPin* pins[] = {&made.sink_, &made.source_};
  const StreamFilter* filters[] = {&sink, &source};
  const std::uint32_t ids[] = {sink_pin, source_pin};
  Status status = program_->intersect(source.handle_, source_pin, {}, &format);
  for (int i = 0; i < 2 && status >= 0; ++i) {
    pins[i]->program_ = program_;
    status =
        program_->open_pin(filters[i]->handle_, ids[i], format, i ? made.sink_.handle_ : nullptr, &pins[i]->handle_);
    pins[i]->status_ = status;
    pins[i]->format_ = internal::describe(format);
    pins[i]->frame_bytes_ = program_->frame_bytes(pins[i]->handle_);
  }
  if (status >= 0 && allocator != AllocatorOf::Default) {
    const StreamPin& whose = allocator == AllocatorOf::Source ? made.source_ : made.sink_;
    status = program_->open_allocator(whose.handle_, made.source_.handle_, &made.allocator_);
  }
  if (status < 0) made.why_ = program_->why();
  return made;
}

void StreamProgram::end() const { program_->end(); }

}  // namespace drydock
