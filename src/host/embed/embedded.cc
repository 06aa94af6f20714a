#include "host/embed/embedded.h"

#include <signal.h>

#include <chrono>

#include "host/scenarios/ks/streaming_run.h"
#include "nt/fault/fault.h"

namespace host {
namespace {

// Faults of the current thread are the machine's for as long as this lives. Then its signal stack is again what it was:
// a sanitizer gives each thread one, and frees it with the thread.
class FaultsCaught {
 public:
  FaultsCaught() {
    CHECK(sigaltstack(nullptr, &before_) == 0);
    nt::install_fault_handlers();
  }
  ~FaultsCaught() { CHECK(sigaltstack(&before_, nullptr) == 0); }
  FaultsCaught(const FaultsCaught&) = delete;
  FaultsCaught& operator=(const FaultsCaught&) = delete;

 private:
  stack_t before_;
};

}  // namespace

// The verifier serves one thread at a time, and on a live machine several may have something to tell at once. Lock
// orders and injected failures belong to simulated machines.
class Embedded::OneAtATime final : public nt::MachineObserver {
 public:
  explicit OneAtATime(verifier::Verifier& judge) : judge_(judge) {}

  nt::Then report_violation(const nt::ViolationReport& violation) override {
    std::lock_guard lock(mutex_);
    return judge_.report_violation(violation);
  }
  // Asked when the machine stops: a thread that failed inside of report_violation() has the mutex for ever.
  std::vector<verifier::Finding> findings() {
    std::unique_lock lock(mutex_, std::chrono::seconds(1));
    return judge_.findings();
  }

 private:
  verifier::Verifier& judge_;
  std::timed_mutex mutex_;
};

Embedded::Embedded(const EmbeddedOptions& options) : options_(options) {}

std::unique_ptr<Embedded> Embedded::start(const EmbeddedOptions& options) {
  std::unique_ptr<Embedded> made(new Embedded(options));
  if (made->load() && made->open_trace()) made->launch();
  if (!made->refusal_.empty()) made->stop();
  return made;
}

bool Embedded::refuse(std::string why) {
  refusal_ = std::move(why);
  return false;
}

bool Embedded::load() {
  auto image = DriverImage::load(options_.driver, {.device = options_.device});
  if (!image.ok()) return refuse(image.error());
  image_ = image.take();
  if (!load_more()) return false;
  if (options_.umd.empty()) return true;
  auto umd = UmdImage::load(options_.umd);
  if (!umd.ok()) return refuse(umd.error());
  umd_ = umd.take();
  return true;
}

bool Embedded::load_more() {
  if (is_streaming() && !options_.umd.empty()) {
    return refuse(options_.driver + ": a minidriver of AVStream; a user-mode display driver has nothing to do with it");
  }
  if (!is_streaming() && !options_.more_drivers.empty()) {
    return refuse(options_.driver + ": no minidriver of AVStream, and only those have others beside them");
  }
  for (const std::string& path : options_.more_drivers) {
    auto image = load_minidriver(path, {});
    if (!image.ok()) return refuse(image.error());
    more_images_.push_back(image.take());
  }
  return true;
}

bool Embedded::open_trace() {
  if (options_.trace || !options_.trace_file.empty()) writer_.turn_on();
  if (options_.trace_file.empty()) return true;
  auto made = trace::FileSink::create(options_.trace_file);
  if (!made.ok()) {
    return refuse(options_.trace_file + ": " + made.failure().why());
  }
  sink_ = made.take();
  writer_.set_sink(sink_.get());
  return true;
}

// The machine's thread, up to an adapter or a device that clients can open.
void Embedded::launch() {
  verifier::Options judged{.drivers = {image_->file_name()}};
  if (umd_) judged.drivers.push_back(umd_->file_name());
  for (const DriverImage& image : more_images_) judged.drivers.push_back(image.file_name());
  verifier_ = std::make_unique<verifier::Verifier>(judged, modules_);
  verifier_->reset({.driver = options_.driver,
                    .scenario = "embedded",
                    .seed = options_.seed,
                    .policy = {},
                    .schedule = {},
                    .processors = 0});
  nt::MachineOptions machine;
  machine.pace = options_.pace;
  machine.seed = options_.seed;
  machine.policy = nt::policy_for_seed(options_.seed);
  machine.stack_bytes = 0;
  machine.stuck_limit_s = options_.stuck_limit_s;
  if (options_.on_live_stop) machine.on_live_stop = [this] { options_.on_live_stop(*this); };
  if (options_.pace == nt::Pace::Live) one_at_a_time_ = std::make_unique<OneAtATime>(*verifier_);
  nt::MachineObserver& observer = one_at_a_time_ ? static_cast<nt::MachineObserver&>(*one_at_a_time_) : *verifier_;
  machine_ = std::make_unique<nt::Machine>(machine, observer, writer_);
  verifier_->attach(machine_.get());
  thread_ = std::thread([this] { thread_main(); });
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return started_; });
  if (!refusal_.empty()) refusal_ = options_.driver + ": " + refusal_;
}

// A machine that stopped by itself has threads in the middle of everything. As after a bug check nothing is taken
// apart: what they held is left as it is, and so are its clients (EmbeddedClient).
Embedded::~Embedded() {
  stop();
  static_cast<void>(runtime_.release());
  static_cast<void>(graphics_.release());
  static_cast<void>(streams_.release());
}

void Embedded::thread_main() {
  {
    FaultsCaught caught;
    machine_->run([this] { serve(); });
  }
  std::lock_guard lock(mutex_);
  if (!started_ && refusal_.empty()) refusal_ = "the machine stopped while the driver was starting";
  started_ = ended_ = true;
  changed_.notify_all();
}

void Embedded::serve() {
  bool ok = start_drivers();
  {
    std::lock_guard lock(mutex_);
    if (!ok) refusal_ = graphics_ ? graphics_->refusal() : streams_->refusal();
    started_ = true;
    changed_.notify_all();
  }
  for (;;) {
    const std::function<void()>* command = nullptr;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return command_ || ending_; });
      command = std::exchange(command_, nullptr);
    }
    if (!command) break;
    (*command)();
    std::lock_guard lock(mutex_);
    command_done_ = true;
    changed_.notify_all();
  }
  if (ok) stop_drivers();
  if (graphics_) ddi_calls_ = graphics_->ddi_calls();
  if (streams_) {
    stream_calls_ = streams_->ddi_calls();
    allocators_ = streams_->allocators();
  }
  graphics_.reset();
  streams_.reset();
}

bool Embedded::start_drivers() {
  nt::Work work(machine_->self());
  if (is_streaming()) {
    std::vector<const DriverImage*> images = {&*image_};
    for (const DriverImage& image : more_images_) images.push_back(&image);
    streams_ = std::make_unique<Streams>(*machine_, images);
    return streams_->start();
  }
  graphics_ = std::make_unique<Graphics>(*machine_, *image_, options_.policy);
  if (!graphics_->start().ok()) return false;
  if (umd_) runtime_ = std::make_unique<umd::Runtime>(*machine_, umd_->exports(), umd_->name());
  return true;
}

void Embedded::stop_drivers() {
  nt::Work work(machine_->self());
  runtime_.reset();
  if (graphics_) graphics_->stop();
  if (streams_) streams_->stop();
}

bool Embedded::run(const std::function<void(Graphics&)>& what) {
  return !is_streaming() && perform([&] { what(*graphics_); });
}

bool Embedded::perform(const std::function<void()>& what) {
  std::unique_lock lock(mutex_);
  if (ended_ || ending_) return false;
  command_ = &what;
  command_done_ = false;
  changed_.notify_all();
  changed_.wait(lock, [this] { return command_done_ || ended_; });
  command_ = nullptr;
  return command_done_;
}

void Embedded::stop() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  if (machine_) verifier_->attach(nullptr);
  close_trace();
}

// A file that could not be written to its end is cut short there, which its reader says.
void Embedded::close_trace() {
  if (!sink_) return;
  static_cast<void>(writer_.flush().ok());
  writer_.set_sink(nullptr);
  static_cast<void>(sink_->close().ok());
  sink_.reset();
}

// Asked on the machine's own thread while there is one: no other thread may read the machine's state.
std::vector<verifier::Finding> Embedded::findings() {
  std::vector<verifier::Finding> found;
  if (!verifier_) return found;
  if (!perform([&] { found = verifier_->findings(); })) found = verifier_->findings();
  return found;
}

std::vector<verifier::Finding> Embedded::findings_now() {
  return one_at_a_time_ ? one_at_a_time_->findings() : verifier_->findings();
}

DdiTotals Embedded::ddi_calls() {
  DdiTotals totals{};
  if (run([&](Graphics& graphics) { totals = graphics.ddi_calls(); })) return totals;
  return graphics_ ? graphics_->ddi_calls() : ddi_calls_;
}

StreamTotals Embedded::stream_calls() {
  StreamTotals totals{};
  if (perform([&] { totals = streams_ ? streams_->ddi_calls() : stream_calls_; })) return totals;
  return streams_ ? streams_->ddi_calls() : stream_calls_;
}

std::vector<ks::AllocatorNode::Ledger> Embedded::allocators() {
  std::vector<ks::AllocatorNode::Ledger> ledgers;
  if (!perform([&] {
        if (streams_) ledgers = streams_->allocators();
      })) {
    ledgers = allocators_;
  }
  return ledgers;
}

}  // namespace host
