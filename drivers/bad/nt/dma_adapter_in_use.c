// Puts its adapter back and not the list that it got from it.
// FIXED puts the list back first.
#include "dma.h"

static VOID Transfer(VOID) {
  if (!GetList(FALSE)) return;
#ifdef FIXED
  PutList(FALSE);
#endif
  PutAdapter();
}
