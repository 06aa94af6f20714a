/* The proto headers as a C compiler sees them, for proto_test.cc. */
#include "softgpu/hw/testing/proto_c.h"

#include "softgpu/proto/softgpu_cmd.h"
#include "softgpu/proto/softgpu_regs.h"

const size_t softgpu_c_sizes[SOFTGPU_C_SIZES] = {
    sizeof(SOFTGPU_HEADER),   sizeof(SOFTGPU_INDIRECT),   sizeof(SOFTGPU_FENCE),      sizeof(SOFTGPU_SIGNAL),
    sizeof(SOFTGPU_WAIT),     sizeof(SOFTGPU_TIMESTAMP),  sizeof(SOFTGPU_FILL),       sizeof(SOFTGPU_COPY),
    sizeof(SOFTGPU_KERNEL),   sizeof(SOFTGPU_COPY_PAGES), sizeof(SOFTGPU_WRITE_PTES), sizeof(SOFTGPU_TLB_FLUSH),
    sizeof(SOFTGPU_SET_ROOT),
};

uint64_t softgpu_c_header(void) {
  union {
    SOFTGPU_HEADER header;
    uint64_t bits;
  } both;
  both.header = softgpu_header(SOFTGPU_CMD_KERNEL, SOFTGPU_FLAG_REPEAT, sizeof(SOFTGPU_KERNEL), 0x01020304);
  return both.bits;
}
