#include "kssg/hw/grabber.h"

#include <algorithm>
#include <cstddef>

#include "kssg/hw/pattern.h"

namespace kssg {
namespace {

constexpr bool power_of_two(uint32_t value) { return value != 0 && (value & (value - 1)) == 0; }

uint64_t with_low(uint64_t value, uint32_t half) { return (value & 0xFFFF'FFFF'0000'0000) | half; }
uint64_t with_high(uint64_t value, uint32_t half) { return (value & 0xFFFF'FFFF) | uint64_t{half} << 32; }

}  // namespace

uint64_t Grabber::read(uint64_t offset, uint32_t width) {
  const auto at = static_cast<uint32_t>(offset);
  if (width == 4) return read_register(at) & 0xFFFF'FFFF;
  if (width == 8) return (read_register(at) & 0xFFFF'FFFF) | read_register(at + 4) << 32;
  return 0;
}

void Grabber::write(uint64_t offset, uint32_t width, uint64_t value) {
  const auto at = static_cast<uint32_t>(offset);
  if (width == 4 || width == 8) write_register(at, static_cast<uint32_t>(value));
  if (width == 8) write_register(at + 4, static_cast<uint32_t>(value >> 32));
}

uint64_t Grabber::read_register(uint32_t offset) const {
  switch (offset) {
    case KSSG_REG_ID:
      return KSSG_ID;
    case KSSG_REG_VERSION:
      return KSSG_VERSION;
    case KSSG_REG_TIME:
      return host_.now(host_.host);
    case KSSG_REG_TIME + 4:
      return host_.now(host_.host) >> 32;
    case KSSG_REG_INT_STATUS:
      return state_.pending;
    case KSSG_REG_INT_ENABLE:
      return state_.enabled;
    case KSSG_REG_CONTROL:
      return state_.control;
    case KSSG_REG_WIDTH:
      return state_.width;
    case KSSG_REG_HEIGHT:
      return state_.height;
    case KSSG_REG_INTERVAL:
      return state_.interval;
    case KSSG_REG_RING_BASE:
      return state_.ring_base;
    case KSSG_REG_RING_BASE + 4:
      return state_.ring_base >> 32;
    case KSSG_REG_RING_ENTRIES:
      return state_.ring_entries;
    case KSSG_REG_HEAD:
      return state_.head;
    case KSSG_REG_TAIL:
      return state_.tail;
    case KSSG_REG_DROPPED:
      return state_.dropped;
    case KSSG_REG_BUS_ERRORS:
      return state_.bus_errors;
    default:
      return 0;
  }
}

void Grabber::write_register(uint32_t offset, uint32_t value) {
  switch (offset) {
    case KSSG_REG_RESET:
      if (value == KSSG_RESET_KEY) reset();
      break;
    case KSSG_REG_INT_ACK:
      state_.pending &= ~value;
      if (raised_) host_.lower_interrupt(host_.host, 0);  // so that whatever is left is a new interrupt
      raised_ = false;
      update_interrupt();
      break;
    case KSSG_REG_INT_ENABLE:
      state_.enabled = value & KSSG_INT_ALL;
      update_interrupt();
      break;
    case KSSG_REG_CONTROL:
      control(value);
      break;
    case KSSG_REG_TAIL:
      if (value - state_.head <= state_.ring_entries) state_.tail = value;
      break;
    default:
      if (state_.control == KSSG_CONTROL_STOP) write_setting(offset, value);
      break;
  }
}

void Grabber::write_setting(uint32_t offset, uint32_t value) {
  switch (offset) {
    case KSSG_REG_WIDTH:
      state_.width = value;
      break;
    case KSSG_REG_HEIGHT:
      state_.height = value;
      break;
    case KSSG_REG_INTERVAL:
      state_.interval = value;
      break;
    case KSSG_REG_RING_BASE:
      state_.ring_base = with_low(state_.ring_base, value);
      break;
    case KSSG_REG_RING_BASE + 4:
      state_.ring_base = with_high(state_.ring_base, value);
      break;
    case KSSG_REG_RING_ENTRIES:
      state_.ring_entries = value;
      break;
    case KSSG_REG_HEAD:
      state_.head = state_.tail = value;  // an empty ring, until software says otherwise
      break;
    default:
      break;
  }
}

bool Grabber::settings_valid() const {
  return state_.width != 0 && state_.width % 2 == 0 && state_.width <= KSSG_MAX_WIDTH && state_.height != 0 &&
         state_.height <= KSSG_MAX_HEIGHT && state_.interval != 0 && power_of_two(state_.ring_entries) &&
         state_.ring_entries <= KSSG_MAX_RING_ENTRIES;
}

void Grabber::control(uint32_t wanted) {
  if (wanted == KSSG_CONTROL_STOP) {
    state_.control = KSSG_CONTROL_STOP;
    state_.number = 0;
    state_.due = DRYDOCK_DEVICE_NEVER;
  } else if (wanted == KSSG_CONTROL_RUN && state_.control == KSSG_CONTROL_STOP) {
    state_.control = KSSG_CONTROL_RUN;
    state_.due = host_.now(host_.host) + uint64_t{state_.interval} * 100;
    if (!settings_valid()) fail();
  }
  ask_for_step();
}

void Grabber::fail() {
  state_.control = KSSG_CONTROL_FAULT;
  state_.due = DRYDOCK_DEVICE_NEVER;
  state_.pending |= KSSG_INT_FAULT;
  update_interrupt();
}

void Grabber::reset() {
  state_ = State{};
  update_interrupt();
  ask_for_step();
}

void Grabber::step(uint64_t now) {
  asked_for_ = DRYDOCK_DEVICE_NEVER;
  while (state_.due <= now && state_.due != DRYDOCK_DEVICE_NEVER) take_picture();
  update_interrupt();
  ask_for_step();
}

// --- Pictures ---

void Grabber::take_picture() {
  const uint64_t time_ns = state_.due;
  const uint32_t number = state_.number++;
  state_.due += uint64_t{state_.interval} * 100;
  const std::optional<List> list = read_list();
  if (!list) return fail();
  if (list->empty()) {
    ++state_.dropped;
    state_.pending |= KSSG_INT_DROPPED;
    return;
  }
  const uint32_t result = put_picture(*list, number);
  const uint32_t end = state_.head + static_cast<uint32_t>(list->size());
  if (!write_result(end - 1, result, number, time_ns)) return fail();
  state_.head = end;
  state_.pending |= KSSG_INT_PICTURE;
}

uint64_t Grabber::entry(uint32_t count) const {
  return state_.ring_base + uint64_t{count % state_.ring_entries} * sizeof(KSSG_DESCRIPTOR);
}

std::optional<Grabber::List> Grabber::read_list() {
  List list;
  for (uint32_t count = state_.head; count != state_.tail; ++count) {
    KSSG_DESCRIPTOR descriptor;
    if (host_.dma_read(host_.host, entry(count), &descriptor, sizeof(descriptor)) != DRYDOCK_DEVICE_OK) {
      ++state_.bus_errors;
      return std::nullopt;
    }
    list.push_back(descriptor);
    if (descriptor.flags & KSSG_DESCRIPTOR_LAST) return list;
  }
  return List{};
}

uint32_t Grabber::put_picture(const List& list, uint32_t number) {
  const std::vector<uint8_t> picture = render(number, state_.width, state_.height);
  size_t done = 0;
  bool answered = true;
  for (const KSSG_DESCRIPTOR& piece : list) {
    const size_t bytes = std::min<size_t>(piece.bytes, picture.size() - done);
    if (bytes == 0) continue;
    if (host_.dma_write(host_.host, piece.address, picture.data() + done, bytes) != DRYDOCK_DEVICE_OK) {
      ++state_.bus_errors;
      answered = false;
    }
    done += bytes;
  }
  if (!answered) return KSSG_RESULT_BUS_ERROR;
  return done == picture.size() ? KSSG_RESULT_DONE : KSSG_RESULT_SHORT;
}

// The result is written last: software may look at any time.
bool Grabber::write_result(uint32_t last, uint32_t result, uint32_t number, uint64_t time_ns) {
  const uint64_t at = entry(last);
  auto put = [&](size_t offset, const auto& value) {
    return host_.dma_write(host_.host, at + offset, &value, sizeof(value)) == DRYDOCK_DEVICE_OK;
  };
  const bool answered = put(offsetof(KSSG_DESCRIPTOR, number), number) &&
                        put(offsetof(KSSG_DESCRIPTOR, time_ns), time_ns) &&
                        put(offsetof(KSSG_DESCRIPTOR, result), result);
  if (!answered) ++state_.bus_errors;
  return answered;
}

// --- Towards the host ---

void Grabber::update_interrupt() {
  const bool wanted = (state_.pending & state_.enabled) != 0;
  if (wanted == raised_) return;
  raised_ = wanted;
  wanted ? host_.raise_interrupt(host_.host, 0) : host_.lower_interrupt(host_.host, 0);
}

void Grabber::ask_for_step() {
  if (state_.due == asked_for_) return;
  asked_for_ = state_.due;
  host_.wake_at(host_.host, state_.due);
}

}  // namespace kssg
