/* A device without registers that counts in static memory how often it was made, and says so in the trace. */
#include <stdio.h>

#include "abi/device/drydock_device.h"

struct DRYDOCK_DEVICE {
  int unused;
};

static int times_made;
static DRYDOCK_DEVICE the_device;

static DRYDOCK_DEVICE* create(const DRYDOCK_DEVICE_HOST* host) {
  char text[64];
  snprintf(text, sizeof(text), "made %d times", ++times_made);
  host->log(host->host, text);
  return &the_device;
}
static void destroy(DRYDOCK_DEVICE* device) { (void)device; }
static void reset(DRYDOCK_DEVICE* device) { (void)device; }

static const DRYDOCK_DEVICE_MODEL model = {
    .size = sizeof(DRYDOCK_DEVICE_MODEL),
    .version = DRYDOCK_DEVICE_VERSION,
    .name = "remembering",
    .identity = {.vendor = 0x1234, .device = 1, .base_class = 3},
    .create = &create,
    .destroy = &destroy,
    .reset = &reset,
};

const DRYDOCK_DEVICE_MODEL* DrydockDeviceModel(void) { return &model; }
