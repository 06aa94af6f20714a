/* Shares two resources by one NT handle.
 * FIXED shares each by its own. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  D3DKMT_HANDLE resources[2];
  for (int i = 0; i < 2; ++i) resources[i] = create(device, SHARED_NT, 1).resource;
#ifdef FIXED
  share(&resources[0], 1, STANDARD_RIGHTS_READ);
  share(&resources[1], 1, STANDARD_RIGHTS_READ);
#else
  share(resources, 2, STANDARD_RIGHTS_READ);
#endif
  for (int i = 0; i < 2; ++i) destroy_resource(device, resources[i]);
}
