/* Puts buffers of commands together, for clients and tests; C11 and C++17.
 *
 *   SOFTGPU_BUILDER builder = softgpu_builder(memory, bytes);
 *   softgpu_add_fill(&builder, va, 4096, 0);
 *   softgpu_add_signal(&builder, fence_va, 1, SOFTGPU_FLAG_INTERRUPT);
 *   … builder.used bytes, unless builder.full
 *
 * Addresses are what softgpu_cmd.h says of the packet. Where they are patched they are 0, and builder.used before a
 * call is where the packet begins. */
#ifndef SOFTGPU_BUILD_H
#define SOFTGPU_BUILD_H

#include <string.h>

#include "softgpu_cmd.h"

typedef struct SOFTGPU_BUILDER {
  uint8_t* memory;
  uint32_t bytes;
  uint32_t used;
  uint32_t full; /* 1: a packet did not fit, and neither it nor any after it was added */
} SOFTGPU_BUILDER;

static inline SOFTGPU_BUILDER softgpu_builder(uint8_t* memory, uint32_t bytes) {
  SOFTGPU_BUILDER builder = {0, 0, 0, 0};
  builder.memory = memory;
  builder.bytes = bytes;
  return builder;
}

/* Any packet; its header says how long it is. */
static inline void softgpu_add(SOFTGPU_BUILDER* builder, const SOFTGPU_HEADER* packet) {
  uint32_t bytes = packet->qwords * 8u;
  if (builder->full || bytes > builder->bytes - builder->used) {
    builder->full = 1;
    return;
  }
  memcpy(builder->memory + builder->used, packet, bytes);
  builder->used += bytes;
}

static inline void softgpu_add_fill(SOFTGPU_BUILDER* builder, uint64_t destination, uint64_t bytes, uint32_t pattern) {
  SOFTGPU_FILL packet;
  packet.header = softgpu_header(SOFTGPU_CMD_FILL, 0, sizeof(packet), pattern);
  packet.destination = destination;
  packet.bytes = bytes;
  softgpu_add(builder, &packet.header);
}

static inline void softgpu_add_copy(SOFTGPU_BUILDER* builder, uint64_t source, uint64_t destination, uint64_t bytes) {
  SOFTGPU_COPY packet;
  packet.header = softgpu_header(SOFTGPU_CMD_COPY, 0, sizeof(packet), 0);
  packet.source = source;
  packet.destination = destination;
  packet.bytes = bytes;
  softgpu_add(builder, &packet.header);
}

/* `kernel` is SOFTGPU_KERNEL_…. */
static inline void softgpu_add_kernel(SOFTGPU_BUILDER* builder, uint32_t kernel, uint64_t a, uint64_t b,
                                      uint64_t destination, uint32_t count, uint32_t scalar) {
  SOFTGPU_KERNEL packet;
  packet.header = softgpu_header(SOFTGPU_CMD_KERNEL, 0, sizeof(packet), kernel);
  packet.a = a;
  packet.b = b;
  packet.destination = destination;
  packet.count = count;
  packet.scalar = scalar;
  softgpu_add(builder, &packet.header);
}

/* `flags`: SOFTGPU_FLAG_INTERRUPT for a monitored fence, SOFTGPU_FLAG_32BIT. */
static inline void softgpu_add_signal(SOFTGPU_BUILDER* builder, uint64_t address, uint64_t value, uint8_t flags) {
  SOFTGPU_SIGNAL packet;
  packet.header = softgpu_header(SOFTGPU_CMD_SIGNAL, flags, sizeof(packet), 0);
  packet.address = address;
  packet.value = value;
  softgpu_add(builder, &packet.header);
}

/* `flags`: SOFTGPU_FLAG_EQUAL, SOFTGPU_FLAG_32BIT. */
static inline void softgpu_add_wait(SOFTGPU_BUILDER* builder, uint64_t address, uint64_t value, uint8_t flags) {
  SOFTGPU_WAIT packet;
  packet.header = softgpu_header(SOFTGPU_CMD_WAIT, flags, sizeof(packet), 0);
  packet.address = address;
  packet.value = value;
  softgpu_add(builder, &packet.header);
}

static inline void softgpu_add_timestamp(SOFTGPU_BUILDER* builder, uint64_t address) {
  SOFTGPU_TIMESTAMP packet;
  packet.header = softgpu_header(SOFTGPU_CMD_TIMESTAMP, 0, sizeof(packet), 0);
  packet.address = address;
  softgpu_add(builder, &packet.header);
}

static inline void softgpu_add_set_state(SOFTGPU_BUILDER* builder, uint32_t index, uint64_t value) {
  SOFTGPU_SET_STATE packet;
  packet.header = softgpu_header(SOFTGPU_CMD_SET_STATE, 0, sizeof(packet), index);
  packet.value = value;
  softgpu_add(builder, &packet.header);
}

static inline void softgpu_add_add_state(SOFTGPU_BUILDER* builder, uint32_t index, uint64_t value) {
  SOFTGPU_ADD_STATE packet;
  packet.header = softgpu_header(SOFTGPU_CMD_ADD_STATE, 0, sizeof(packet), index);
  packet.value = value;
  softgpu_add(builder, &packet.header);
}

static inline void softgpu_add_store_state(SOFTGPU_BUILDER* builder, uint32_t index, uint64_t address) {
  SOFTGPU_STORE_STATE packet;
  packet.header = softgpu_header(SOFTGPU_CMD_STORE_STATE, 0, sizeof(packet), index);
  packet.address = address;
  softgpu_add(builder, &packet.header);
}

#endif
