#include "host/capture/capture_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>

#include "host/scenarios/kmd/scenario_environment.h"
#include "host/scenarios/ks/ks_driver.h"
#include "host/scenarios/ks/ks_pin_query.h"
#include "host/scenarios/ks/streaming_run.h"
#include "ks/object/program.h"

namespace host {
namespace {

constexpr size_t kInFlight = 4;
constexpr base::TimeNs kPatience = 5 * kSecond;  // of virtual time, for one frame

std::string status_text(NTSTATUS status) { return fmt::format("0x{:08X}", static_cast<uint32_t>(status)); }

// A person's program: one pin, frames in flight. On the machine's first thread.
class Recorder {
 public:
  Recorder(const CaptureOptions& options, const ShowFrame& show, CaptureResult& result, KsDriver& driver,
           nt::Machine& machine)
      : options_(options),
        show_(show),
        result_(result),
        driver_(driver),
        machine_(machine),
        program_(machine, "capture") {}

  void run() {
    if (!open()) return;
    if (options_.script) {
      for (const CaptureStep& step : options_.script->steps) {
        play(step);
        if (!result_.usage_error.empty()) break;
      }
    } else {
      record(options_.frames);
    }
    ask_dropped();
    program_.set_state(pin_, KSSTATE_STOP);
    take_back();
  }

 private:
  bool open() {
    auto place = driver_.find_pin(options_.pin);
    if (!place) return wrong(fmt::format("it has no pin {}; --list shows them", options_.pin));
    auto filter = program_.open_filter(driver_.device(), place->filter);
    if (!filter.ok()) return failed("the filter was not opened", filter.failure().code());
    filter_ = filter.take();
    KsPinQuery query = KsPinQuery::ask(program_, filter_, place->pin);
    if (query.flow != KSPIN_DATAFLOW_OUT)
      return wrong(fmt::format("data flows into pin {}, not out of it", options_.pin));
    if (!choose(query)) return false;
    const KSDATAFORMAT& format = this->format();
    result_.format = describe_format(format);
    auto pin = program_.open_pin(filter_, ks::standard_connect(place->pin), format);
    // A driver may look at a size only when the pin is opened.
    if (!pin.ok() && options_.format && pin.failure().code() == STATUS_NO_MATCH) return not_its_format();
    if (!pin.ok()) return failed("the pin was not opened", pin.failure().code());
    pin_ = pin.take();
    frame_bytes_ = frame_bytes(format, 4096);
    if (const WAVEFORMATEX* sound = sound_of(format)) frame_bytes_ = std::max<size_t>(sound->nAvgBytesPerSec / 10, 64);
    header_bytes_ = sizeof(KSSTREAM_HEADER) + sizeof(KS_FRAME_INFO);
    return true;
  }

  bool choose(const KsPinQuery& query) {
    if (!options_.format) {
      auto format = choose_format(program_, filter_, query);
      if (!format) return wrong(fmt::format("pin {} agrees to none of its own ranges", options_.pin));
      format_ = std::move(*format);
      return true;
    }
    auto format = choose_format(program_, filter_, query, *options_.format);
    if (!format) return not_its_format();
    format_ = std::move(*format);
    return true;
  }

  bool not_its_format() {
    return wrong(fmt::format("pin {} does not have that format; --list shows its ranges", options_.pin));
  }
  bool wrong(const std::string& what) {
    result_.usage_error = fmt::format("{}: {}", options_.driver, what);
    return false;
  }
  bool failed(const char* what, NTSTATUS status) {
    result_.incomplete = fmt::format("{}: {}", what, status_text(status));
    return false;
  }

  const KSDATAFORMAT& format() const { return *reinterpret_cast<const KSDATAFORMAT*>(format_.data()); }

  bool go(KSSTATE to) {
    auto now = program_.state(pin_);
    int at = now.ok() ? now.value() : KSSTATE_STOP;
    while (at != to) {
      at += at < to ? 1 : -1;
      NTSTATUS status = program_.set_state(pin_, static_cast<KSSTATE>(at));
      if (!NT_SUCCESS(status)) return failed("the driver refused a state", status);
    }
    return true;
  }

  bool send() {
    frames_.push_back(std::make_unique<ks::ProgramFrame>(program_, frame_bytes_, header_bytes_));
    NTSTATUS status = frames_.back()->read(pin_);
    return status == STATUS_PENDING || NT_SUCCESS(status);
  }

  // The oldest one under way. False when it did not come, or the person wants no more.
  bool receive(bool again) {
    if (frames_.empty()) return false;
    std::unique_ptr<ks::ProgramFrame> frame = std::move(frames_.front());
    frames_.pop_front();
    if (frame->wait(machine_.executor().now() + kPatience) == STATUS_TIMEOUT) {
      frame->cancel();
      frames_.push_front(std::move(frame));  // one that the driver has locked comes when the pin is stopped
      return failed("a frame did not come in five seconds of the machine's time", STATUS_TIMEOUT);
    }
    if (!NT_SUCCESS(frame->status().Status)) return failed("a frame came back", frame->status().Status);
    ++result_.frames;
    result_.bytes += frame->header().DataUsed;
    result_.usage_error = show_(format(), frame->data());
    if (!result_.usage_error.empty()) return false;
    if (!again) return true;
    frame->renew();
    frame->read(pin_);
    frames_.push_back(std::move(frame));
    return true;
  }

  void record(uint32_t count) {
    if (!go(KSSTATE_RUN)) return;
    for (size_t i = 0; i < std::min<size_t>(kInFlight, count); ++i) send();
    for (uint32_t i = 0; i < count; ++i) {
      if (!receive(i + kInFlight < count)) return;
    }
  }

  void take_back(base::TimeNs until = base::kForever) {
    for (auto& frame : frames_) {
      if (frame->pending()) frame->cancel();
    }
    for (auto& frame : frames_) frame->wait(until);
    std::erase_if(frames_, [](const auto& frame) { return !frame->pending(); });
  }

  void play(const CaptureStep& step) {
    std::string said = perform(step);
    if (!said.empty()) result_.steps.push_back(fmt::format("line {}: {}: {}", step.line, to_string(step.verb), said));
  }

  // What it gave, in a few words.
  std::string perform(const CaptureStep& step) {
    using Verb = CaptureStep::Verb;
    switch (step.verb) {
      case Verb::Stop:
      case Verb::Acquire:
      case Verb::Pause:
      case Verb::Run:
        return status_text(program_.set_state(pin_, static_cast<KSSTATE>(step.verb)));
      case Verb::Read:
        for (uint32_t i = static_cast<uint32_t>(frames_.size()); i < std::min<uint32_t>(kInFlight, step.number); ++i)
          send();
        return count_received(step.number, true);
      case Verb::Send:
        for (uint32_t i = 0; i < step.number; ++i) send();
        return fmt::format("{} under way", frames_.size());
      case Verb::Wait:
        return count_received(step.number, false);
      case Verb::Cancel:
        take_back(machine_.executor().now() + kPatience);
        return frames_.empty() ? "none under way" : fmt::format("{} under way, which the driver keeps", frames_.size());
      case Verb::ResetBegin:
      case Verb::ResetEnd:
        return status_text(program_.reset(pin_, step.verb == Verb::ResetBegin ? KSRESET_BEGIN : KSRESET_END));
      case Verb::HeaderBytes:
        header_bytes_ = std::max<size_t>(step.number, 1);
        return {};
      case Verb::FrameBytes:
        frame_bytes_ = std::max<size_t>(step.number, 1);
        return {};
      case Verb::Rest:
        machine_.executor().sleep_for(step.number * kMillisecond);
        return {};
      case Verb::Sleep:
        return status_text(driver_.slot().set_power(PowerDeviceD3));
      case Verb::Wake:
        return status_text(driver_.slot().set_power(PowerDeviceD0));
      case Verb::Remove:
        return status_text(driver_.slot().surprise_remove());
    }
    return {};
  }

  std::string count_received(uint32_t count, bool again) {
    uint32_t came = 0;
    while (came < count && receive(again && came + 1 < count)) ++came;
    std::string said = fmt::format("{} of {} frames", came, count);
    if (!result_.incomplete.empty()) said += "; " + std::exchange(result_.incomplete, {});
    return said;
  }

  void ask_dropped() {
    auto answer = program_.get(pin_, PROPSETID_VIDCAP_DROPPEDFRAMES, KSPROPERTY_DROPPEDFRAMES_CURRENT,
                               std::vector<uint8_t>(sizeof(KSPROPERTY_DROPPEDFRAMES_CURRENT_S) - sizeof(KSPROPERTY)));
    if (!answer.ok() || answer.value().size() < sizeof(KSPROPERTY_DROPPEDFRAMES_CURRENT_S)) return;
    KSPROPERTY_DROPPEDFRAMES_CURRENT_S counts;
    memcpy(&counts, answer.value().data(), sizeof(counts));
    result_.dropped = static_cast<uint64_t>(std::max<LONGLONG>(counts.DropCount, 0));
  }

  const CaptureOptions& options_;
  const ShowFrame& show_;
  CaptureResult& result_;
  KsDriver& driver_;
  nt::Machine& machine_;
  ks::Program program_;
  HANDLE filter_ = nullptr, pin_ = nullptr;
  std::vector<uint8_t> format_;
  size_t frame_bytes_ = 0, header_bytes_ = 0;
  std::deque<std::unique_ptr<ks::ProgramFrame>> frames_;
};

}  // namespace

CaptureResult capture(const CaptureOptions& options, const ShowFrame& show) {
  CaptureResult result;
  auto image = load_minidriver(options.driver, options.device);
  if (!image.ok()) {
    result.usage_error = image.error();
    return result;
  }
  StreamingRun run{.seed = options.seed,
                   .name = "capture",
                   .files = options.files,
                   .keep_going = options.keep_going,
                   .policy = {},
                   .images = {&image.value()}};
  bool ended = run.play(
      [&](ks::System& system) {
        KsDriver driver(system, image.value());
        if (!driver.start()) {
          result.incomplete = driver.refusal();
          return;
        }
        Recorder(options, show, result, driver, system.machine()).run();
        result.virtual_ms = system.machine().executor().now() / kMillisecond;
        driver.stop();
      },
      result.findings);
  if (!ended && result.incomplete.empty()) result.incomplete = "the machine stopped";
  return result;
}

}  // namespace host
