#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "host/capture/capture_session.h"
#include "host/scenarios/kmd/scenario_environment.h"
#include "host/scenarios/ks/ks_driver.h"
#include "host/scenarios/ks/ks_pin_query.h"
#include "host/scenarios/ks/streaming_run.h"
#include "ks/allocator/allocator_registry.h"
#include "ks/object/program.h"
#include "ks/pin/pin.h"
#include "ks/stream/pipe.h"
#include "nt/io/file_objects.h"

namespace host {
namespace {

constexpr base::TimeNs kPatience = 5 * kSecond;  // of virtual time, for the next frame

// One end of the connection: a filter of its driver, open, and what it says of the pin.
struct End {
  HANDLE filter = nullptr;
  HANDLE pin = nullptr;
  KsPinQuery query;
};

std::string line_of(const ks::AllocatorNode::Ledger& ledger) {
  return fmt::format(
      "{}: {}, {} frames of {} bytes, aligned to {}; allocated {}, refused {}, freed {}, outstanding {} "
      "(at most {}), {}",
      ledger.pin, ledger.drivers_own ? "the driver's own" : "the default one", ledger.framing.Frames,
      ledger.framing.FrameSize, ledger.framing.FileAlignment + 1, ledger.allocated, ledger.refused, ledger.freed,
      ledger.outstanding, ledger.most_outstanding, ks::to_string(ledger.state));
}

// A graph builder's program: connects, chooses the source's allocator, runs. On the machine's first thread.
class Connector {
 public:
  Connector(const ConnectOptions& options, ConnectResult& result, nt::Machine& machine)
      : options_(options), result_(result), machine_(machine), program_(machine, "connect") {}

  void run(KsDriver& source, KsDriver& sink) {
    if (!open_filter(source, options_.source, options_.source_pin, source_) ||
        !open_filter(sink, options_.sink, options_.sink_pin, sink_) || !open_pins()) {
      return;
    }
    if (!choose_allocator()) return;
    if (go(KSSTATE_RUN)) watch();
    go(KSSTATE_STOP);
  }

 private:
  bool wrong(std::string what) {
    result_.usage_error = std::move(what);
    return false;
  }
  bool failed(const char* what, NTSTATUS status) {
    result_.incomplete = fmt::format("{}: 0x{:08X}", what, static_cast<uint32_t>(status));
    return false;
  }

  bool open_filter(KsDriver& driver, const std::string& path, uint32_t pin, End& end) {
    auto place = driver.find_pin(pin);
    if (!place) return wrong(fmt::format("{}: it has no pin {}; --list shows them", path, pin));
    auto filter = program_.open_filter(driver.device(), place->filter);
    if (!filter.ok()) return failed("a filter was not opened", filter.failure().code());
    end.filter = filter.take();
    end.query = KsPinQuery::ask(program_, end.filter, place->pin);
    bool out = end.query.flow == KSPIN_DATAFLOW_OUT;
    if (out != (&end == &source_)) {
      return wrong(
          fmt::format("{}: data flows {} pin {}; the first pin of --connect is the source, the second the sink", path,
                      out ? "out of" : "into", pin));
    }
    return true;
  }

  bool open_pins() {
    auto format = choose_format(program_, source_.filter, source_.query);
    if (!format)
      return wrong(fmt::format("{}: pin {} agrees to none of its own ranges", options_.source, options_.source_pin));
    const auto& agreed = *reinterpret_cast<const KSDATAFORMAT*>(format->data());
    auto sink = program_.open_pin(sink_.filter, ks::standard_connect(sink_.query.pin), agreed);
    if (!sink.ok()) return failed("the sink did not take the source's format", sink.failure().code());
    sink_.pin = sink.take();
    auto source = program_.open_pin(source_.filter, ks::standard_connect(source_.query.pin, sink_.pin), agreed);
    if (!source.ok()) return failed("the source did not connect", source.failure().code());
    source_.pin = source.take();
    bytes_ = frame_bytes(agreed, 4096);
    return true;
  }

  bool choose_allocator() {
    KSALLOCATOR_FRAMING framing = program_.propose_framing(source_.pin, bytes_);
    auto allocator = program_.open_allocator(source_.pin, framing);
    if (!allocator.ok()) return failed("the allocator was not created", allocator.failure().code());
    NTSTATUS status = program_.assign_allocator(source_.pin, allocator.take());
    return NT_SUCCESS(status) || failed("the allocator was not assigned", status);
  }

  bool go(KSSTATE to) {
    KSSTATE steps[] = {KSSTATE_ACQUIRE, KSSTATE_PAUSE, KSSTATE_RUN};
    if (to == KSSTATE_STOP) {
      for (KSSTATE step : {KSSTATE_PAUSE, KSSTATE_ACQUIRE, KSSTATE_STOP}) set_both(step, source_.pin, sink_.pin);
      return true;
    }
    return std::all_of(std::begin(steps), std::end(steps),
                       [&](KSSTATE step) { return set_both(step, sink_.pin, source_.pin); });
  }

  bool set_both(KSSTATE state, HANDLE first, HANDLE second) {
    for (HANDLE pin : {first, second}) {
      NTSTATUS status = program_.set_state(pin, state);
      if (!NT_SUCCESS(status)) return failed("a state was refused", status);
    }
    return true;
  }

  ks::Pipe* pipe() {
    auto file = machine_.files().find(&program_.process(), source_.pin, UserMode);
    if (!file.ok()) return nullptr;
    auto& pin = *static_cast<ks::Pin*>(ks::node_of(file.value()));
    machine_.files().dereference(*file.value());
    return pin.pipe();
  }

  void watch() {
    base::TimeNs last = machine_.executor().now();
    while (ks::Pipe* pipe = this->pipe()) {
      uint64_t now_round = pipe->ledger().went_round;
      if (now_round != result_.went_round) last = machine_.executor().now();
      result_.went_round = now_round;
      if (now_round >= options_.frames) return;
      if (machine_.executor().now() - last > kPatience) {
        failed("no frame came back from the sink in five seconds of the machine's time", STATUS_TIMEOUT);
        return;
      }
      machine_.executor().sleep_for(kMillisecond);
    }
  }

  const ConnectOptions& options_;
  ConnectResult& result_;
  nt::Machine& machine_;
  ks::Program program_;
  End source_, sink_;
  size_t bytes_ = 0;
};

}  // namespace

ConnectResult connect_pins(const ConnectOptions& options) {
  ConnectResult result;
  auto source = load_minidriver(options.source, {});
  if (!source.ok()) {
    result.usage_error = source.error();
    return result;
  }
  bool one_file = options.source == options.sink;
  std::optional<DriverImage> other;
  if (!one_file) {
    auto sink = load_minidriver(options.sink, {});
    if (!sink.ok()) {
      result.usage_error = sink.error();
      return result;
    }
    other = sink.take();
  }
  StreamingRun run{.seed = options.seed,
                   .name = "connect",
                   .files = {},
                   .keep_going = false,
                   .policy = {},
                   .images = {&source.value()}};
  if (other) run.images.push_back(&*other);
  bool ended = run.play(
      [&](ks::System& system) {
        KsDriver first(system, source.value());
        std::optional<KsDriver> second;
        if (other) second.emplace(system, *other);
        for (KsDriver* driver : {&first, second ? &*second : nullptr}) {
          if (driver && !driver->start()) result.incomplete = fmt::format("{}: {}", driver->name(), driver->refusal());
        }
        if (result.incomplete.empty()) {
          Connector(options, result, system.machine()).run(first, second ? *second : first);
          for (const auto& ledger : system.allocators().ledgers()) result.ledger.push_back(line_of(ledger));
        }
        if (second) second->stop();
        first.stop();
      },
      result.findings);
  if (!ended && result.incomplete.empty()) result.incomplete = "the machine stopped";
  return result;
}

}  // namespace host
