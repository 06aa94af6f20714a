#include "ks/stream/pipe.h"

#include <fmt/format.h>

#include <algorithm>

#include "ks/allocator/allocator.h"
#include "ks/allocator/framing.h"
#include "ks/allocator/requester.h"
#include "ks/device/device.h"
#include "ks/device/system.h"
#include "ks/object/create_name.h"
#include "ks/pin/pin.h"
#include "nt/io/file_objects.h"

namespace ks {
namespace {

constexpr uint32_t kMostFrames = 1024;  // in one circuit, whatever the framing allows: ours

// What a frame of the connection must hold. The source's format counts: it fills the frames.
uint32_t sample_bytes(Pin& source) { return source.format().SampleSize; }

// The allocator is created below the sink.
void judge_default_use(Pin& sink) {
  if (fits_default_allocator(sink.descriptor().AllocatorFraming)) return;
  sink.machine().report_violation(nt::Violation::KsFramingNotSystemMemory,
                                  fmt::format("{} uses the default allocator, and an item of its framing lacks "
                                              "KSALLOCATOR_REQUIREMENTF_SYSTEM_MEMORY",
                                              sink.name()));
}

base::Result<FILE_OBJECT*> open_allocator(Pin& source, Pin& sink) {
  const KSPIN_DESCRIPTOR_EX& from = source.descriptor();
  const KSPIN_DESCRIPTOR_EX& to = sink.descriptor();
  KSALLOCATOR_FRAMING framing = TRY(negotiate(from.AllocatorFraming, to.AllocatorFraming, sample_bytes(source)));
  Provider provider = choose_provider(from, to);
  if (provider == Provider::Default) {
    framing.OptionsFlags |= KSALLOCATOR_OPTIONF_SYSTEM_MEMORY;
    judge_default_use(sink);
  }
  Pin& pin = provider == Provider::Source ? source : sink;
  std::u16string name = make_create_name(KSNAME_Allocator, &framing, sizeof(framing));
  return pin.machine().files().open({*pin.file().DeviceObject, &pin.file(), name, 0, KernelMode});
}

// Referenced.
base::Result<FILE_OBJECT*> find_allocator(Pin& source, Pin& sink) {
  FILE_OBJECT* assigned = source.allocator_file();
  if (!assigned) return open_allocator(source, sink);
  if (!allocator_of(source.system(), assigned)) {
    return base::Failure(STATUS_INVALID_PARAMETER, "what is assigned to the source is no allocator of the class's");
  }
  source.machine().files().reference(*assigned);
  return assigned;
}

uint32_t frames_for(const KSALLOCATOR_FRAMING& framing) {
  return std::min(framing.Frames ? framing.Frames : kFramesUnlessAsked, kMostFrames);
}

}  // namespace

struct Pipe::Impl {
  Pin& source;
  Pin& sink;
  bool broken = false;
  std::shared_ptr<Requester> requester;  // the circuit's, or the last one's
  Requester::Counts before{};            // of those before it

  void add_up() {
    if (!requester) return;
    Requester::Counts last = requester->counts();
    before.requested += last.requested;
    before.refused += last.refused;
    before.returned += last.returned;
    before.went_round += last.went_round;
  }
};

Pipe::Pipe(Pin& source, Pin& sink) : impl_(new Impl{source, sink, false, nullptr, {}}) {}

Pipe::~Pipe() { release(); }

Pin& Pipe::source() { return impl_->source; }
Pin& Pipe::sink() { return impl_->sink; }

base::Result<> Pipe::acquire() {
  if (impl_->broken) return base::Failure(STATUS_DEVICE_NOT_CONNECTED, "the other end of the connection is gone");
  if (impl_->requester && impl_->requester->running()) return {};
  FILE_OBJECT* file = TRY(find_allocator(impl_->source, impl_->sink));
  AllocatorNode& allocator = *allocator_of(impl_->source.system(), file);
  if (impl_->requester) impl_->requester->step_aside();
  impl_->add_up();
  impl_->requester = std::make_shared<Requester>(impl_->source, impl_->sink, *file, allocator);
  auto started = impl_->requester->start(frames_for(allocator.framing()));
  impl_->source.system().file_releases().drop(*file);
  return started;
}

void Pipe::release() {
  if (impl_->requester) impl_->requester->stop();
}

void Pipe::replenish() {
  if (impl_->requester) impl_->requester->replenish();
}

void Pipe::break_up(Pin&) {
  if (std::exchange(impl_->broken, true)) return;
  release();
  impl_->source.leave_pipe();
  impl_->sink.leave_pipe();
}

Pipe::Ledger Pipe::ledger() {
  Requester::Counts now = impl_->requester ? impl_->requester->counts() : Requester::Counts{};
  return {.frames = now.frames,
          .requested = impl_->before.requested + now.requested,
          .refused = impl_->before.refused + now.refused,
          .returned = impl_->before.returned + now.returned,
          .went_round = impl_->before.went_round + now.went_round};
}

}  // namespace ks
