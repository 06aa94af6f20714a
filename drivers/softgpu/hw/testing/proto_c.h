#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SOFTGPU_C_SIZES 23

extern const size_t softgpu_c_sizes[SOFTGPU_C_SIZES]; /* of the packets' structures, in the order of proto_test.cc */
uint64_t softgpu_c_header(void);                      /* of a KERNEL with SOFTGPU_FLAG_REPEAT and argument 0x01020304 */
/* Builds one packet of each kind that softgpu_build.h knows; 0: they did not fit. */
uint32_t softgpu_c_build(void* memory, uint32_t bytes);

#ifdef __cplusplus
}
#endif
