#include "testcam/hw/camera.h"

#include <algorithm>

namespace testcam {
namespace {

constexpr uint32_t kChannelBytes = TESTCAM_REG_CHANNEL(1) - TESTCAM_REG_CHANNEL(0);
constexpr uint64_t all_ones(uint32_t width) { return ~uint64_t{0} >> (64 - 8 * width); }

constexpr bool of_channel(uint32_t offset) {
  return offset >= TESTCAM_REG_CHANNEL(0) && offset < TESTCAM_REG_CHANNEL(TESTCAM_CHANNELS);
}
constexpr uint32_t channel_of(uint32_t offset) { return (offset - TESTCAM_REG_CHANNEL(0)) / kChannelBytes; }
constexpr uint32_t in_channel(uint32_t offset) { return (offset - TESTCAM_REG_CHANNEL(0)) % kChannelBytes; }

}  // namespace

uint64_t Camera::read(uint64_t offset, uint32_t width) {
  if (pulled_out_) return all_ones(width);
  const auto at = static_cast<uint32_t>(offset);
  if (width == 4) return read_register(at) & 0xFFFF'FFFF;
  if (width == 8) return (read_register(at) & 0xFFFF'FFFF) | read_register(at + 4) << 32;
  return 0;
}

void Camera::write(uint64_t offset, uint32_t width, uint64_t value) {
  if (pulled_out_) return;
  const auto at = static_cast<uint32_t>(offset);
  if (width == 4 || width == 8) write_register(at, static_cast<uint32_t>(value));
  if (width == 8) write_register(at + 4, static_cast<uint32_t>(value >> 32));
}

uint64_t Camera::read_register(uint32_t offset) {
  if (of_channel(offset)) return channels_[channel_of(offset)].read(in_channel(offset)) & 0xFFFF'FFFF;
  switch (offset) {
    case TESTCAM_REG_ID:
      return TESTCAM_ID;
    case TESTCAM_REG_VERSION:
      return TESTCAM_VERSION;
    case TESTCAM_REG_TIME:
      return host_.now(host_.host);
    case TESTCAM_REG_TIME + 4:
      return host_.now(host_.host) >> 32;
    case TESTCAM_REG_INT_STATUS:
      return pending_;
    case TESTCAM_REG_INT_ENABLE:
      return enabled_;
    case TESTCAM_REG_BRIGHTNESS:
      return static_cast<uint32_t>(conditions_.brightness);
    case TESTCAM_REG_ZOOM:
      return static_cast<uint32_t>(conditions_.zoom);
    default:
      return 0;
  }
}

void Camera::write_register(uint32_t offset, uint32_t value) {
  if (of_channel(offset)) {
    channels_[channel_of(offset)].write(in_channel(offset), value, host_.now(host_.host));
    return ask_for_step();
  }
  switch (offset) {
    case TESTCAM_REG_RESET:
      if (value == TESTCAM_RESET_KEY) reset();
      break;
    case TESTCAM_REG_INT_ACK:
      pending_ &= ~value;
      if (raised_) host_.lower_interrupt(host_.host, 0);  // so that whatever is left is a new interrupt
      raised_ = false;
      update_interrupt();
      break;
    case TESTCAM_REG_INT_ENABLE:
      enabled_ = value & TESTCAM_INT_ALL;
      update_interrupt();
      break;
    case TESTCAM_REG_BRIGHTNESS:
    case TESTCAM_REG_ZOOM:
      write_scene(offset, static_cast<int32_t>(value));
      break;
    case TESTCAM_HOOK_LOSE_INTERRUPT:
      conditions_.lose_interrupt = value;
      break;
    case TESTCAM_HOOK_DROP_PICTURE:
      conditions_.drop_picture = value;
      break;
    case TESTCAM_HOOK_PULL_OUT:
      if (value != 0) pull_out();
      break;
    default:
      break;
  }
}

void Camera::write_scene(uint32_t offset, int32_t value) {
  if (offset == TESTCAM_REG_BRIGHTNESS) {
    conditions_.brightness = std::clamp(value, TESTCAM_MIN_BRIGHTNESS, TESTCAM_MAX_BRIGHTNESS);
  } else {
    conditions_.zoom = std::clamp(value, TESTCAM_MIN_ZOOM, TESTCAM_MAX_ZOOM);
  }
}

// The hooks are the test's, and stay.
void Camera::reset() {
  channels_ = {};
  conditions_.brightness = TESTCAM_DEFAULT_BRIGHTNESS;
  conditions_.zoom = TESTCAM_DEFAULT_ZOOM;
  pending_ = enabled_ = 0;
  update_interrupt();
  ask_for_step();
}

void Camera::pull_out() {
  reset();
  pulled_out_ = true;
}

// The one whose picture is due first, or none.
Channel* Camera::next_channel(uint64_t now) {
  Channel* next = nullptr;
  for (Channel& channel : channels_) {
    if (channel.due() <= now && (!next || channel.due() < next->due())) next = &channel;
  }
  return next;
}

void Camera::step(uint64_t now) {
  asked_for_ = DRYDOCK_DEVICE_NEVER;
  while (Channel* channel = next_channel(now)) {
    const auto index = static_cast<uint32_t>(channel - channels_.data());
    if (channel->take_picture(host_, conditions_)) pending_ |= TESTCAM_INT_CHANNEL(index);
  }
  update_interrupt();
  ask_for_step();
}

void Camera::update_interrupt() {
  const bool wanted = (pending_ & enabled_) != 0;
  if (wanted == raised_) return;
  raised_ = wanted;
  wanted ? host_.raise_interrupt(host_.host, 0) : host_.lower_interrupt(host_.host, 0);
}

void Camera::ask_for_step() {
  uint64_t first = DRYDOCK_DEVICE_NEVER;
  for (const Channel& channel : channels_) first = std::min(first, channel.due());
  if (first == asked_for_) return;
  asked_for_ = first;
  host_.wake_at(host_.host, first);
}

}  // namespace testcam
