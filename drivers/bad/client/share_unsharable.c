/* Shares a resource by NT handle that was created to be shared by global handle.
 * FIXED creates it for NT handles. */
#include "client.h"

#ifdef FIXED
#define RESOURCE SHARED_NT
#else
#define RESOURCE SHARED_GLOBAL
#endif

static void play(D3DKMT_HANDLE device) {
  GROUP group = create(device, RESOURCE, 1);
  share(&group.resource, 1, STANDARD_RIGHTS_READ);
  destroy_resource(device, group.resource);
}
