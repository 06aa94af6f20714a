// The model as the host sees it: a description, and an instance around a Grabber.
#include <new>
#include <optional>

#include "abi/device/drydock_device.h"
#include "kssg/hw/grabber.h"
#include "kssg/proto/kssg_regs.h"

struct DRYDOCK_DEVICE {
  const DRYDOCK_DEVICE_HOST& services;
  std::optional<kssg::Grabber> hardware;
};

namespace {

DRYDOCK_DEVICE* create(const DRYDOCK_DEVICE_HOST* services) {
  auto* device = new (std::nothrow) DRYDOCK_DEVICE{*services, std::nullopt};
  if (device) device->hardware.emplace(*services);
  return device;
}

void destroy(DRYDOCK_DEVICE* device) { delete device; }

void reset(DRYDOCK_DEVICE* device) {
  const DRYDOCK_DEVICE_HOST& services = device->services;
  services.lower_interrupt(services.host, 0);
  services.wake_at(services.host, DRYDOCK_DEVICE_NEVER);
  device->hardware.emplace(services);
}

uint64_t mmio_read(DRYDOCK_DEVICE* device, uint32_t, uint64_t offset, uint32_t width) {
  return device->hardware->read(offset, width);
}

void mmio_write(DRYDOCK_DEVICE* device, uint32_t, uint64_t offset, uint32_t width, uint64_t value) {
  device->hardware->write(offset, width, value);
}

void step(DRYDOCK_DEVICE* device, uint64_t now_ns) { device->hardware->step(now_ns); }

constexpr uint8_t kMultimedia = 0x04;
constexpr uint8_t kVideo = 0x00;

const DRYDOCK_DEVICE_MODEL kModel = {
    sizeof(DRYDOCK_DEVICE_MODEL),
    DRYDOCK_DEVICE_VERSION,
    "kssg",
    {KSSG_PCI_VENDOR, KSSG_PCI_DEVICE, KSSG_PCI_VENDOR, KSSG_PCI_DEVICE, KSSG_VERSION >> 16, kMultimedia, kVideo, 0},
    {{KSSG_REGISTER_BAR_BYTES, DRYDOCK_DEVICE_BAR_MEMORY32, 0}},
    1,
    0,
    create,
    destroy,
    reset,
    mmio_read,
    mmio_write,
    nullptr,
    nullptr,
    step,
    nullptr,
};

}  // namespace

extern "C" const DRYDOCK_DEVICE_MODEL* DrydockDeviceModel(void);

const DRYDOCK_DEVICE_MODEL* DrydockDeviceModel(void) { return &kModel; }
