#include "user_memory.h"

#pragma code_seg("PAGE")

namespace softgpu {

bool copy_from_user(void* destination, const void* source, SIZE_T bytes) {
  __try {
    RtlCopyMemory(destination, source, bytes);
  } __except (EXCEPTION_EXECUTE_HANDLER) {
    return false;
  }
  return true;
}

}  // namespace softgpu
