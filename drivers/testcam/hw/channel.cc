#include "testcam/hw/channel.h"

#include <cstring>

#include "testcam/proto/testcam_format.h"

namespace testcam {
namespace {

uint64_t with_low(uint64_t value, uint32_t half) { return (value & 0xFFFF'FFFF'0000'0000) | half; }
uint64_t with_high(uint64_t value, uint32_t half) { return (value & 0xFFFF'FFFF) | uint64_t{half} << 32; }

// Whether this picture is one of those that a hook is about.
bool is_nth(uint64_t number, uint32_t every) { return every != 0 && (number + 1) % every == 0; }

}  // namespace

uint64_t Channel::read(uint32_t offset) const {
  switch (offset) {
    case TESTCAM_CHANNEL_CONTROL:
      return state_;
    case TESTCAM_CHANNEL_FORMAT:
      return format_;
    case TESTCAM_CHANNEL_WIDTH:
      return width_;
    case TESTCAM_CHANNEL_HEIGHT:
      return height_;
    case TESTCAM_CHANNEL_INTERVAL:
      return interval_;
    case TESTCAM_CHANNEL_SLOT_BYTES:
      return slot_bytes_;
    case TESTCAM_CHANNEL_RING_BASE:
      return ring_base_;
    case TESTCAM_CHANNEL_RING_BASE + 4:
      return ring_base_ >> 32;
    case TESTCAM_CHANNEL_SLOTS:
      return slots_;
    case TESTCAM_CHANNEL_WRITTEN:
      return written_;
    case TESTCAM_CHANNEL_READ:
      return read_;
    case TESTCAM_CHANNEL_DROPPED:
      return dropped_;
    default:
      return 0;
  }
}

void Channel::write(uint32_t offset, uint32_t value, uint64_t now) {
  if (offset == TESTCAM_CHANNEL_CONTROL) return control(value, now);
  if (offset == TESTCAM_CHANNEL_READ) {
    if (written_ - value <= written_ - read_) read_ = value;
    return;
  }
  if (state_ != TESTCAM_CONTROL_STOP) return;
  switch (offset) {
    case TESTCAM_CHANNEL_FORMAT:
      format_ = value;
      break;
    case TESTCAM_CHANNEL_WIDTH:
      width_ = value;
      break;
    case TESTCAM_CHANNEL_HEIGHT:
      height_ = value;
      break;
    case TESTCAM_CHANNEL_INTERVAL:
      interval_ = value;
      break;
    case TESTCAM_CHANNEL_SLOT_BYTES:
      slot_bytes_ = value;
      break;
    case TESTCAM_CHANNEL_RING_BASE:
      ring_base_ = with_low(ring_base_, value);
      break;
    case TESTCAM_CHANNEL_RING_BASE + 4:
      ring_base_ = with_high(ring_base_, value);
      break;
    case TESTCAM_CHANNEL_SLOTS:
      slots_ = value;
      break;
    default:
      break;
  }
}

bool Channel::settings_valid() const {
  const uint32_t bytes = testcam_frame_bytes(format_, width_, height_);
  return bytes != 0 && testcam_interval_valid(interval_) && slots_ >= 1 && slots_ <= TESTCAM_MAX_SLOTS &&
         slot_bytes_ >= sizeof(TESTCAM_SLOT) + bytes;
}

void Channel::control(uint32_t wanted, uint64_t now) {
  if (wanted == TESTCAM_CONTROL_STOP) {
    state_ = TESTCAM_CONTROL_STOP;
    written_ = read_ = dropped_ = 0;
    number_ = 0;
    due_ = DRYDOCK_DEVICE_NEVER;
  }
  if (state_ == TESTCAM_CONTROL_FAULT || state_ == wanted) return;
  if (wanted != TESTCAM_CONTROL_PAUSE && wanted != TESTCAM_CONTROL_RUN) return;
  state_ = settings_valid() ? wanted : TESTCAM_CONTROL_FAULT;
  due_ = state_ == TESTCAM_CONTROL_RUN ? now + interval_ns() : DRYDOCK_DEVICE_NEVER;
}

bool Channel::take_picture(const DRYDOCK_DEVICE_HOST& host, const Conditions& conditions) {
  const Scene scene{number_++, due_, conditions.brightness, conditions.zoom};
  due_ += interval_ns();
  if (written_ - read_ == slots_ || is_nth(scene.number, conditions.drop_picture)) {
    ++dropped_;
  } else if (put(host, scene)) {
    ++written_;
  } else {
    state_ = TESTCAM_CONTROL_FAULT;
    due_ = DRYDOCK_DEVICE_NEVER;
  }
  return !is_nth(scene.number, conditions.lose_interrupt);
}

bool Channel::put(const DRYDOCK_DEVICE_HOST& host, const Scene& scene) {
  const uint32_t bytes = testcam_frame_bytes(format_, width_, height_);
  slot_.resize(sizeof(TESTCAM_SLOT) + bytes);
  TESTCAM_SLOT head{};
  head.number = scene.number;
  head.time_ns = scene.time_ns;
  head.bytes = bytes;
  std::memcpy(slot_.data(), &head, sizeof(head));
  render(scene, {format_, width_, height_}, slot_.data() + sizeof(head));
  const uint64_t at = ring_base_ + uint64_t{written_ % slots_} * slot_bytes_;
  return host.dma_write(host.host, at, slot_.data(), slot_.size()) == DRYDOCK_DEVICE_OK;
}

}  // namespace testcam
