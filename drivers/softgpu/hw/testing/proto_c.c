/* The proto headers as a C compiler sees them, for proto_test.cc. */
#include "softgpu/hw/testing/proto_c.h"

#include "softgpu/proto/softgpu_build.h"
#include "softgpu/proto/softgpu_cmd.h"
#include "softgpu/proto/softgpu_draw_check.h"
#include "softgpu/proto/softgpu_regs.h"
#include "softgpu/proto/softgpu_user.h"

const size_t softgpu_c_sizes[SOFTGPU_C_SIZES] = {
    sizeof(SOFTGPU_HEADER),        sizeof(SOFTGPU_INDIRECT),     sizeof(SOFTGPU_FENCE),
    sizeof(SOFTGPU_SIGNAL),        sizeof(SOFTGPU_WAIT),         sizeof(SOFTGPU_TIMESTAMP),
    sizeof(SOFTGPU_FILL),          sizeof(SOFTGPU_COPY),         sizeof(SOFTGPU_KERNEL),
    sizeof(SOFTGPU_COPY_PAGES),    sizeof(SOFTGPU_WRITE_PTES),   sizeof(SOFTGPU_TLB_FLUSH),
    sizeof(SOFTGPU_SET_ROOT),      sizeof(SOFTGPU_SET_STATE),    sizeof(SOFTGPU_ADD_STATE),
    sizeof(SOFTGPU_STORE_STATE),   sizeof(SOFTGPU_SAVE_STATE),   sizeof(SOFTGPU_RESTORE_STATE),
    sizeof(SOFTGPU_CONTEXT_IMAGE), sizeof(SOFTGPU_DRAW),         sizeof(SOFTGPU_CLEAR_RECT),
    sizeof(SOFTGPU_COPY_RECT),     sizeof(SOFTGPU_STRETCH_RECT),
};

uint64_t softgpu_c_header(void) {
  union {
    SOFTGPU_HEADER header;
    uint64_t bits;
  } both;
  both.header = softgpu_header(SOFTGPU_CMD_KERNEL, SOFTGPU_FLAG_REPEAT, sizeof(SOFTGPU_KERNEL), 0x01020304);
  return both.bits;
}

uint32_t softgpu_c_build(void* memory, uint32_t bytes) {
  const SOFTGPU_RECT rect = {1, 2, 9, 6};
  const SOFTGPU_SURFACE surface = {64, 32, 256, SOFTGPU_FORMAT_A8R8G8B8};
  const SOFTGPU_DRAW draw = softgpu_draw(surface);
  SOFTGPU_BUILDER builder = softgpu_builder(memory, bytes);
  softgpu_add_fill(&builder, 0x1000, 2, 3);
  softgpu_add_copy(&builder, 0x1000, 0x2000, 4);
  softgpu_add_kernel(&builder, SOFTGPU_KERNEL_MAD, 0x1000, 0x2000, 0x3000, 5, 6);
  softgpu_add_signal(&builder, 0x1000, 7, SOFTGPU_FLAG_INTERRUPT);
  softgpu_add_wait(&builder, 0x1000, 7, SOFTGPU_FLAG_EQUAL);
  softgpu_add_timestamp(&builder, 0x1000);
  softgpu_add_set_state(&builder, 1, 8);
  softgpu_add_add_state(&builder, 2, 9);
  softgpu_add_store_state(&builder, 3, 0x1000);
  softgpu_add_clear_rect(&builder, 0x1000, 64, 4, rect, 10);
  softgpu_add_copy_rect(&builder, 0x1000, 64, rect, 0x2000, 128, 3, 4, 2);
  softgpu_add_stretch_rect(&builder, 0x1000, 64, SOFTGPU_FORMAT_A8R8G8B8, rect, 0x2000, 128, SOFTGPU_FORMAT_X8R8G8B8,
                           rect);
  softgpu_add_draw(&builder, &draw, SOFTGPU_DRAW_TARGET | SOFTGPU_DRAW_FLAT);
  return builder.full ? 0 : builder.used;
}
