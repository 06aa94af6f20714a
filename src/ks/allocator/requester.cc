#include "ks/allocator/requester.h"

#include <utility>

#include "ks/allocator/allocator.h"
#include "ks/device/device.h"
#include "ks/device/system.h"
#include "nt/boundary/refuse.h"
#include "nt/ex/work_queues.h"
#include "nt/io/file_objects.h"

namespace ks {
namespace {

// A source's frame that the sink needs: it has data, or it marks the end of the stream.
bool carries(const KSSTREAM_HEADER& header) {
  return header.DataUsed || (header.OptionsFlags & KSSTREAM_HEADER_OPTIONSF_ENDOFSTREAM);
}

}  // namespace

Requester::Requester(Pin& source, Pin& sink, FILE_OBJECT& file, AllocatorNode& allocator)
    : machine_(source.machine()),
      source_(source),
      sink_(sink),
      source_file_(source.file()),
      sink_file_(sink.file()),
      file_(file),
      allocator_(allocator) {
  for (FILE_OBJECT* held : {&source_file_, &sink_file_, &file_}) machine_.files().reference(*held);
}

Requester::~Requester() = default;

// --- Beginning and end ---

base::Result<> Requester::start(uint32_t frames) {
  std::vector<std::unique_ptr<StreamIrp>> made;
  while (made.size() < frames) {
    std::unique_ptr<StreamIrp> irp = request_frame();
    if (!irp) break;
    made.push_back(std::move(irp));
  }
  bool any = !made.empty();
  {
    base::Guard guard(lock_);
    running_ = attached_ = any;
    users_ = 1;
    self_ = shared_from_this();
  }
  if (!any) {
    leave();
    return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "the allocator has not a single frame for the circuit");
  }
  source_.set_transport(&from_source_);
  sink_.set_transport(&from_sink_);
  for (auto& irp : made) send(std::move(irp));
  return {};
}

std::unique_ptr<StreamIrp> Requester::request_frame() {
  void* frame = allocator_.allocate();
  std::unique_ptr<StreamIrp> irp;
  if (frame) {
    irp = StreamIrp::make(source_, frame, allocator_.framing().FrameSize);
    if (irp) {
      irp->tag = this;
    } else {
      allocator_.free(frame);
    }
  }
  base::Guard guard(lock_);
  ++(irp ? counts_.requested : counts_.refused);
  if (irp) ++out_;
  return irp;
}

void Requester::stop() {
  {
    base::Guard guard(lock_);
    if (!std::exchange(running_, false)) return;
  }
  source_.queue().flush(STATUS_CANCELLED);
  sink_.queue().flush(STATUS_CANCELLED);
  retire_all();
  leave();
}

bool Requester::running() {
  base::Guard guard(lock_);
  return running_;
}

void Requester::step_aside() {
  base::Guard guard(lock_);
  attached_ = false;
}

Requester::Counts Requester::counts() {
  base::Guard guard(lock_);
  Counts now = counts_;
  now.frames = out_;
  return now;
}

bool Requester::enter() {
  base::Guard guard(lock_);
  if (running_) ++users_;
  return running_;
}

void Requester::leave() {
  {
    base::Guard guard(lock_);
    --users_;
  }
  finish_if_done();
}

// Ends the requester when all frames are back and no thread is about to put one into a queue.
void Requester::finish_if_done() {
  bool detach;
  std::shared_ptr<Requester> self;
  {
    base::Guard guard(lock_);
    if (ended_ || users_ || out_) return;
    ended_ = true;
    detach = std::exchange(attached_, false);
    self.swap(self_);
  }
  if (detach) {
    source_.set_transport(nullptr);
    sink_.set_transport(nullptr);
  }
  // The allocator first: it is deleted before its pin can be closed.
  System& system = source_.system();
  for (FILE_OBJECT* held : {&file_, &sink_file_, &source_file_}) system.file_releases().drop(*held);
}

// --- Frames on their way ---

// A frame of another requester of the same pins, which has been stopped: that requester handles it.
void Requester::from_source(std::unique_ptr<StreamIrp> irp) {
  auto* owner = static_cast<Requester*>(irp->tag);
  if (owner && owner != this) return owner->retire(std::move(irp));
  bool cancelled = irp->status() == STATUS_CANCELLED || irp->status() == STATUS_DEVICE_NOT_CONNECTED;
  if (!enter()) return retire(std::move(irp));
  if (NT_SUCCESS(irp->status()) && carries(*irp->frames()[0].header)) {
    // A request that was cancelled meanwhile has come back from the sink.
    (void)sink_.accept(std::move(irp)).ok();
  } else if (irp->injected()) {
    StreamIrp::complete(std::move(irp));
  } else if (cancelled) {
    keep_idle(std::move(irp));
  } else {
    send(std::move(irp));
  }
  leave();
}

void Requester::from_sink(std::unique_ptr<StreamIrp> irp) {
  auto* owner = static_cast<Requester*>(irp->tag);
  if (owner && owner != this) return owner->retire(std::move(irp));
  if (!owner) return StreamIrp::complete(std::move(irp));  // a client's own request, or one that a driver injected
  if (!enter()) return retire(std::move(irp));
  {
    base::Guard guard(lock_);
    ++counts_.went_round;
  }
  if (source_.resetting()) {
    keep_idle(std::move(irp));
  } else {
    send(std::move(irp));
  }
  leave();
}

void Requester::send(std::unique_ptr<StreamIrp> irp) {
  irp->renew();
  // A request that was cancelled meanwhile has come back from the source.
  (void)source_.accept(std::move(irp)).ok();
}

// Frames that a flush of the source's queue sends back must not be queued again at once: the flush would never end.
void Requester::keep_idle(std::unique_ptr<StreamIrp> irp) {
  base::Guard guard(lock_);
  idle_.push_back(std::move(irp));
}

void Requester::replenish() {
  if (!enter()) return;
  std::vector<std::unique_ptr<StreamIrp>> idle;
  {
    base::Guard guard(lock_);
    idle.swap(idle_);
  }
  for (auto& irp : idle) send(std::move(irp));
  leave();
}

// --- Frames on their way back ---

void Requester::retire(std::unique_ptr<StreamIrp> irp) {
  if (irp->injected()) return StreamIrp::complete(std::move(irp));
  if (machine_.self().irql == PASSIVE_LEVEL) {
    release_frame(std::move(irp));
    finish_if_done();
    return;
  }
  keep_idle(std::move(irp));
  retire_later();
}

void Requester::retire_all() {
  std::vector<std::unique_ptr<StreamIrp>> home;
  {
    base::Guard guard(lock_);
    home.swap(idle_);
  }
  for (auto& irp : home) release_frame(std::move(irp));
}

// A frame may be pageable, and the end of the allocator comes with the last one: both are for PASSIVE_LEVEL.
void Requester::retire_later() {
  {
    base::Guard guard(lock_);
    if (std::exchange(retiring_later_, true)) return;
  }
  auto retire = [self = shared_from_this()] {
    {
      base::Guard guard(self->lock_);
      self->retiring_later_ = false;
    }
    self->retire_all();
    self->finish_if_done();
  };
  machine_.work_queues().queue({this, 0, retire, nullptr}, CriticalWorkQueue);
}

void Requester::release_frame(std::unique_ptr<StreamIrp> irp) {
  void* frame = irp->frames()[0].data;
  irp.reset();  // its pages are unlocked before the driver may free them
  allocator_.free(frame);
  base::Guard guard(lock_);
  ++counts_.returned;
  --out_;
}

}  // namespace ks
