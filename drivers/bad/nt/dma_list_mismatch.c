// Puts a list back for the other direction.
// FIXED puts it back for its own.
#include "dma.h"

#ifdef FIXED
#define PUT_FOR FALSE
#else
#define PUT_FOR TRUE
#endif

static VOID Transfer(VOID) {
  if (GetList(FALSE)) PutList(PUT_FOR);
}
