/* softgpu's workload: its private data and commands, for the scenarios of display drivers. */
#include <stdlib.h>
#include <string.h>

#include "abi/workload/drydock_workload.h"
#include "softgpu_build.h"
#include "softgpu_cmd.h"
#include "softgpu_regs.h"
#include "softgpu_user.h"

/* What a client knows of its adapter. */
struct DRYDOCK_WORKLOAD_CLIENT {
  bool gpu_virtual_memory;
};

namespace {

DRYDOCK_WORKLOAD_CLIENT* open(const DRYDOCK_WORKLOAD_ADAPTER* adapter) {
  SOFTGPU_ADAPTER answer;
  if (adapter->private_bytes != sizeof(answer)) return nullptr;
  memcpy(&answer, adapter->private_data, sizeof(answer));
  if (answer.magic != SOFTGPU_USER_MAGIC || answer.version != SOFTGPU_USER_VERSION) return nullptr;
  if (answer.virtual_addressing != adapter->gpu_virtual_memory) return nullptr;
  auto* client = static_cast<DRYDOCK_WORKLOAD_CLIENT*>(malloc(sizeof(DRYDOCK_WORKLOAD_CLIENT)));
  if (client) client->gpu_virtual_memory = adapter->gpu_virtual_memory != 0;
  return client;
}

void close(DRYDOCK_WORKLOAD_CLIENT* client) { free(client); }

// --- Private data ---

uint32_t allocation_flags(const DRYDOCK_WORKLOAD_MEMORY& memory) {
  uint32_t flags = memory.shared ? SOFTGPU_ALLOCATION_SHARED : 0;
  if (memory.place == DRYDOCK_WORKLOAD_VIDEO) return flags;
  flags |= SOFTGPU_ALLOCATION_CPU_VISIBLE;
  return memory.place == DRYDOCK_WORKLOAD_VISIBLE ? flags : flags | SOFTGPU_ALLOCATION_CACHED;
}

template <typename T>
int32_t give(DRYDOCK_WORKLOAD_BYTES* bytes, const T& data) {
  if (bytes->room < sizeof(data)) return DRYDOCK_WORKLOAD_NO_ROOM;
  memcpy(bytes->bytes, &data, sizeof(data));
  bytes->used = sizeof(data);
  return DRYDOCK_WORKLOAD_OK;
}

int32_t describe(DRYDOCK_WORKLOAD_CLIENT*, const DRYDOCK_WORKLOAD_MEMORY* memory, DRYDOCK_WORKLOAD_BYTES* data) {
  uint32_t segment = memory->place == DRYDOCK_WORKLOAD_VISIBLE ? SOFTGPU_SEGMENT_LOCAL : 0;
  SOFTGPU_ALLOCATION allocation = softgpu_buffer(memory->bytes, allocation_flags(*memory), segment);
  allocation.width = memory->width;
  allocation.height = memory->height;
  allocation.pitch = memory->pitch;
  allocation.format = memory->format;
  return give(data, allocation);
}

uint32_t escape_code(uint32_t kind) {
  switch (kind) {
    case DRYDOCK_HARDWARE_HANG:
      return SOFTGPU_ESCAPE_HANG_ENGINE;
    case DRYDOCK_HARDWARE_FAULT:
      return SOFTGPU_ESCAPE_FAULT_ENGINE;
    case DRYDOCK_HARDWARE_REFUSE_RESET:
      return SOFTGPU_ESCAPE_REFUSE_RESET;
    case DRYDOCK_HARDWARE_REFUSE_PREEMPTION:
      return SOFTGPU_ESCAPE_REFUSE_PREEMPTION;
    case DRYDOCK_HARDWARE_SLOW:
      return SOFTGPU_ESCAPE_SLOW_ENGINE;
    case DRYDOCK_HARDWARE_DROP_INTERRUPTS:
      return SOFTGPU_ESCAPE_DROP_INTERRUPTS;
    case DRYDOCK_HARDWARE_SET_REGISTERS:
      return SOFTGPU_ESCAPE_SET_REGISTERS;
    default:
      return 0;
  }
}

int32_t misbehave(DRYDOCK_WORKLOAD_CLIENT*, const DRYDOCK_WORKLOAD_HARDWARE* how, DRYDOCK_WORKLOAD_BYTES* escape) {
  uint32_t code = escape_code(how->kind);
  if (code == 0) return DRYDOCK_WORKLOAD_UNAVAILABLE;
  return give(escape, softgpu_escape(code, how->node, how->value));
}

// --- Commands ---

uint32_t knows(DRYDOCK_WORKLOAD_CLIENT* client, uint32_t kind, uint32_t node) {
  switch (kind) {
    case DRYDOCK_WORK_CHECKSUM:
    case DRYDOCK_WORK_LONG:
      return node == SOFTGPU_ENGINE_RENDER;  // kernels run there only
    case DRYDOCK_WORK_FAULT:
    case DRYDOCK_WORK_SIGNAL:
      return client->gpu_virtual_memory;
    default:
      return kind < DRYDOCK_WORK_KINDS;
  }
}

// Appends packets to a host's buffer, and says where their addresses stand.
class Writer {
 public:
  explicit Writer(DRYDOCK_WORK_COMMANDS* commands) : commands_(*commands), begin_(commands->used) {
    builder_ = softgpu_builder(commands->bytes + begin_, commands->room - begin_);
  }

  SOFTGPU_BUILDER* packets() { return &builder_; }
  // An address of the packet; it is 0 there where the driver patches it.
  void refer(uint32_t operand, size_t field, uint64_t offset, bool written) {
    DRYDOCK_WORK_REFERENCE reference = {};
    reference.operand = operand;
    reference.at = begin_ + static_cast<uint32_t>(field);
    reference.offset = offset;
    reference.written = written;
    commands_.references[commands_.reference_count++] = reference;
  }
  int32_t end() {
    commands_.used = begin_ + builder_.used;
    return DRYDOCK_WORKLOAD_OK;
  }

 private:
  DRYDOCK_WORK_COMMANDS& commands_;
  uint32_t begin_;
  SOFTGPU_BUILDER builder_;
};

constexpr uint32_t kLargestPacket = 64;
constexpr uint32_t kMostReferences = 2;

int32_t build(DRYDOCK_WORKLOAD_CLIENT*, const DRYDOCK_WORK* work, DRYDOCK_WORK_COMMANDS* commands) {
  if (commands->room - commands->used < kLargestPacket) return DRYDOCK_WORKLOAD_NO_ROOM;
  if (commands->reference_room < kMostReferences) return DRYDOCK_WORKLOAD_NO_ROOM;
  Writer writer(commands);
  uint64_t to = work->to.address, from = work->from.address;
  auto refer_to = [&](size_t field, bool written = true) {
    writer.refer(DRYDOCK_OPERAND_TO, field, work->to.offset, written);
  };
  auto refer_from = [&](size_t field) { writer.refer(DRYDOCK_OPERAND_FROM, field, work->from.offset, false); };
  switch (work->kind) {
    case DRYDOCK_WORK_NOTHING:
      break;
    case DRYDOCK_WORK_FILL:
      softgpu_add_fill(writer.packets(), to, work->bytes, static_cast<uint32_t>(work->value));
      refer_to(offsetof(SOFTGPU_FILL, destination));
      break;
    case DRYDOCK_WORK_COPY:
      softgpu_add_copy(writer.packets(), from, to, work->bytes);
      refer_from(offsetof(SOFTGPU_COPY, source));
      refer_to(offsetof(SOFTGPU_COPY, destination));
      break;
    case DRYDOCK_WORK_CHECKSUM:
      softgpu_add_kernel(writer.packets(), SOFTGPU_KERNEL_CRC32, from, 0, to, static_cast<uint32_t>(work->bytes / 4),
                         0);
      refer_from(offsetof(SOFTGPU_KERNEL, a));
      refer_to(offsetof(SOFTGPU_KERNEL, destination));
      break;
    case DRYDOCK_WORK_LONG:
      softgpu_add_kernel(writer.packets(), SOFTGPU_KERNEL_ITERATE, to, 0, to, static_cast<uint32_t>(work->bytes / 4),
                         static_cast<uint32_t>(work->value));
      refer_to(offsetof(SOFTGPU_KERNEL, a), false);
      refer_to(offsetof(SOFTGPU_KERNEL, destination));
      break;
    case DRYDOCK_WORK_ENDLESS:
      softgpu_add_wait(writer.packets(), to, work->value, 0);
      refer_to(offsetof(SOFTGPU_WAIT, address), false);
      break;
    case DRYDOCK_WORK_FAULT:
      softgpu_add_fill(writer.packets(), work->address, work->bytes, 1);
      break;
    case DRYDOCK_WORK_SIGNAL:
      softgpu_add_signal(writer.packets(), work->address, work->value, SOFTGPU_FLAG_INTERRUPT);
      break;
    case DRYDOCK_WORK_SET_REGISTER:
      softgpu_add_set_state(writer.packets(), work->index, work->value);
      break;
    case DRYDOCK_WORK_ADD_REGISTER:
      softgpu_add_add_state(writer.packets(), work->index, work->value);
      break;
    case DRYDOCK_WORK_STORE_REGISTER:
      softgpu_add_store_state(writer.packets(), work->index, to);
      refer_to(offsetof(SOFTGPU_STORE_STATE, address));
      break;
    default:
      return DRYDOCK_WORKLOAD_UNAVAILABLE;
  }
  return writer.end();
}

// --- Results ---

uint32_t crc32(const uint8_t* bytes, uint64_t count) {
  uint32_t crc = 0xFFFFFFFFu;
  for (uint64_t i = 0; i < count; ++i) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
  }
  return ~crc;
}

uint32_t iterate(uint32_t value, uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; ++i) value = value * 1664525u + 1013904223u;
  return value;
}

void apply(DRYDOCK_WORKLOAD_CLIENT*, const DRYDOCK_WORK* work, uint8_t* to, const uint8_t* from) {
  if (work->kind == DRYDOCK_WORK_CHECKSUM) {
    uint32_t crc = crc32(from, work->bytes);
    memcpy(to, &crc, sizeof(crc));
    return;
  }
  for (uint64_t at = 0; at + 4 <= work->bytes; at += 4) {
    uint32_t word;
    memcpy(&word, to + at, sizeof(word));
    word = iterate(word, work->value);
    memcpy(to + at, &word, sizeof(word));
  }
}

constexpr DRYDOCK_WORKLOAD kWorkload = {sizeof(DRYDOCK_WORKLOAD),
                                        DRYDOCK_WORKLOAD_VERSION,
                                        "softgpu",
                                        sizeof(SOFTGPU_ADAPTER),
                                        1,
                                        SOFTGPU_CONTEXT_REGISTERS,
                                        0,
                                        open,
                                        close,
                                        knows,
                                        describe,
                                        build,
                                        apply,
                                        misbehave};

}  // namespace

extern "C" const DRYDOCK_WORKLOAD* DrydockWorkload(void) { return &kWorkload; }
