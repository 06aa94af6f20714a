#include "softgpu/hw/interrupts.h"

#include "softgpu/proto/softgpu_regs.h"

namespace softgpu {
namespace {

constexpr uint32_t may_wait() {
  uint32_t causes = 0;
  for (uint32_t engine = 0; engine < SOFTGPU_ENGINES; ++engine)
    causes |= SOFTGPU_INT_FENCE(engine) | SOFTGPU_INT_SIGNAL(engine);
  return causes;
}
constexpr uint32_t kMayWait = may_wait();

}  // namespace

void Interrupts::reset() {
  pending_ = seen_ = again_ = enabled_ = coalesce_ns_ = 0;
  update();
}

void Interrupts::add(uint32_t causes) {
  causes &= SOFTGPU_INT_ALL;
  again_ |= causes & seen_;
  pending_ |= causes;
  update();
}

void Interrupts::acknowledge(uint32_t causes) {
  pending_ &= ~(causes & ~again_);
  again_ &= ~causes;
  seen_ &= ~causes;
  lower();  // so that whatever is left is a new interrupt
  update();
}

uint32_t Interrupts::read_status() {
  seen_ |= pending_;
  return pending_;
}

void Interrupts::enable(uint32_t causes) {
  enabled_ = causes & SOFTGPU_INT_ALL;
  update();
}

void Interrupts::advance(uint64_t now) {
  if (due_ <= now) raise();
}

void Interrupts::update() {
  uint32_t active = pending_ & enabled_;
  if (active == 0) {
    due_ = kNever;
    lower();
  } else if (!raised_) {
    if (coalesce_ns_ == 0 || active & ~kMayWait) {
      raise();
    } else if (due_ == kNever) {
      due_ = host_.now() + coalesce_ns_;
    }
  }
}

void Interrupts::raise() {
  due_ = kNever;
  raised_ = true;
  ++count_;
  host_.raise_interrupt();
}

void Interrupts::lower() {
  if (raised_) host_.lower_interrupt();
  raised_ = false;
}

}  // namespace softgpu
