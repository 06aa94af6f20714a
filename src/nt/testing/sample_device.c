/* A device for the tests: a clock that ticks, counts and interrupts, and a little memory. */
#include <stdlib.h>
#include <string.h>

#include "abi/device/drydock_device.h"

enum {
  kId = 0x00,     /* reads 0xB11A */
  kPeriod = 0x04, /* nanoseconds; 0 stops it */
  kStatus = 0x08, /* bit 0: ticked; writing it clears it and lowers the line */
  kTicks = 0x0C,
  kDma = 0x10,  /* 1 reads kDmaBytes into the memory, 2 writes them; reads what came of it, as a positive number */
  kTime = 0x18, /* 64 bits */
  kDmaAddress = 0x20, /* 64 bits */
  kDmaBytes = 0x28,
};

struct DRYDOCK_DEVICE {
  const DRYDOCK_DEVICE_HOST* host;
  uint32_t period, status, ticks, scratch;
  uint64_t dma_address;
  uint32_t dma_bytes, dma_result;
  uint8_t memory[8192];
};

static void power_on(DRYDOCK_DEVICE* device) {
  const DRYDOCK_DEVICE_HOST* host = device->host;
  memset(device, 0, sizeof(*device));
  device->host = host;
}

static DRYDOCK_DEVICE* create(const DRYDOCK_DEVICE_HOST* host) {
  DRYDOCK_DEVICE* device = malloc(sizeof(*device));
  if (!device) return NULL;
  device->host = host;
  power_on(device);
  host->log(host->host, "powered on");
  return device;
}

static void destroy(DRYDOCK_DEVICE* device) { free(device); }

static uint64_t mmio_read(DRYDOCK_DEVICE* device, uint32_t bar, uint64_t offset, uint32_t width) {
  const DRYDOCK_DEVICE_HOST* host = device->host;
  uint64_t value = 0;
  if (bar == 2) {
    memcpy(&value, device->memory + offset, width);
    return value;
  }
  switch (offset) {
    case kId:
      return 0xB11A;
    case kPeriod:
      return device->period;
    case kStatus:
      return device->status;
    case kTicks:
      return device->ticks;
    case kDma:
      return device->dma_result;
    case kTime:
      return host->now(host->host);
    default:
      return 0;
  }
}

static void transfer(DRYDOCK_DEVICE* device, uint64_t command) {
  const DRYDOCK_DEVICE_HOST* host = device->host;
  int32_t result = command == 1 ? host->dma_read(host->host, device->dma_address, device->memory, device->dma_bytes)
                                : host->dma_write(host->host, device->dma_address, device->memory, device->dma_bytes);
  device->dma_result = (uint32_t)-result;
}

static void mmio_write(DRYDOCK_DEVICE* device, uint32_t bar, uint64_t offset, uint32_t width, uint64_t value) {
  const DRYDOCK_DEVICE_HOST* host = device->host;
  if (bar == 2) {
    memcpy(device->memory + offset, &value, width);
  } else if (offset == kPeriod) {
    device->period = (uint32_t)value;
    host->wake_at(host->host, value ? host->now(host->host) + value : DRYDOCK_DEVICE_NEVER);
  } else if (offset == kStatus && value & 1) {
    device->status = 0;
    host->lower_interrupt(host->host, 0);
  } else if (offset == kDmaAddress) {
    device->dma_address = value;
  } else if (offset == kDmaBytes && value <= sizeof(device->memory)) {
    device->dma_bytes = (uint32_t)value;
  } else if (offset == kDma) {
    transfer(device, value);
  }
}

static uint32_t config_read(DRYDOCK_DEVICE* device, uint32_t offset, uint32_t width) {
  (void)width;
  return offset == 0x40 ? device->scratch : 0;
}

static void config_write(DRYDOCK_DEVICE* device, uint32_t offset, uint32_t width, uint32_t value) {
  (void)width;
  if (offset == 0x40) device->scratch = value;
}

static void step(DRYDOCK_DEVICE* device, uint64_t now_ns) {
  const DRYDOCK_DEVICE_HOST* host = device->host;
  ++device->ticks;
  device->status = 1;
  host->raise_interrupt(host->host, 0);
  host->wake_at(host->host, now_ns + device->period);
}

const DRYDOCK_DEVICE_MODEL* DrydockDeviceModel(void);

const DRYDOCK_DEVICE_MODEL* DrydockDeviceModel(void) {
  static const DRYDOCK_DEVICE_MODEL model = {
      .size = sizeof(DRYDOCK_DEVICE_MODEL),
      .version = DRYDOCK_DEVICE_VERSION,
      .name = "sample",
      .identity = {.vendor = 0x1234,
                   .device = 0x5678,
                   .subsystem_vendor = 0x9ABC,
                   .subsystem = 0xDEF0,
                   .revision = 7,
                   .base_class = 3,
                   .sub_class = 0x80,
                   .programming_interface = 1},
      .bars = {{.size = 4096, .kind = DRYDOCK_DEVICE_BAR_MEMORY32},
               {.kind = DRYDOCK_DEVICE_BAR_NONE},
               {.size = 8192, .kind = DRYDOCK_DEVICE_BAR_MEMORY64}},
      .interrupt_lines = 1,
      .create = create,
      .destroy = destroy,
      .reset = power_on,
      .mmio_read = mmio_read,
      .mmio_write = mmio_write,
      .config_read = config_read,
      .config_write = config_write,
      .step = step,
  };
  return &model;
}
