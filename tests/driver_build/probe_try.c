// The word alone decides: a file with __try is not optimised.
#include "probe.h"

#define __try if (1)

int probe_try_optimised(void) {
  __try {
#ifdef __OPTIMIZE__
    return 1;
#endif
  }
  return 0;
}
