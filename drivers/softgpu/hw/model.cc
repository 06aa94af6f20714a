// The model as the host sees it: a description, and an instance around a Device.
#include <new>
#include <optional>

#include "abi/device/drydock_device.h"
#include "softgpu/hw/device.h"
#include "softgpu/proto/softgpu_regs.h"

struct DRYDOCK_DEVICE {
  explicit DRYDOCK_DEVICE(const DRYDOCK_DEVICE_HOST& host) : services(host) { hardware.emplace(services, local); }

  const DRYDOCK_DEVICE_HOST& services;
  softgpu::LocalMemory local;
  std::optional<softgpu::Device> hardware;
};

namespace {

DRYDOCK_DEVICE* create(const DRYDOCK_DEVICE_HOST* services) { return new (std::nothrow) DRYDOCK_DEVICE(*services); }

void destroy(DRYDOCK_DEVICE* device) { delete device; }

void reset(DRYDOCK_DEVICE* device) {
  const softgpu::Host host(device->services);
  host.lower_interrupt();
  host.wake_at(softgpu::kNever);
  device->hardware.emplace(device->services, device->local);
  device->local.poison();
}

uint64_t mmio_read(DRYDOCK_DEVICE* device, uint32_t bar, uint64_t offset, uint32_t width) {
  return device->hardware->read(bar, offset, width);
}

void mmio_write(DRYDOCK_DEVICE* device, uint32_t bar, uint64_t offset, uint32_t width, uint64_t value) {
  device->hardware->write(bar, offset, width, value);
}

void step(DRYDOCK_DEVICE* device, uint64_t now_ns) { device->hardware->step(now_ns); }

int32_t bar_memory(DRYDOCK_DEVICE* device, uint32_t bar, uint64_t offset, uint64_t bytes,
                   DRYDOCK_DEVICE_MEMORY* memory) {
  if (bar != SOFTGPU_LOCAL_BAR || !softgpu::LocalMemory::contains(offset, bytes)) return DRYDOCK_DEVICE_UNAVAILABLE;
  if (!memory) return DRYDOCK_DEVICE_OK;
  memory->file = device->local.lend(offset, bytes);
  memory->offset = offset;
  return memory->file < 0 ? DRYDOCK_DEVICE_UNAVAILABLE : DRYDOCK_DEVICE_OK;
}

constexpr uint8_t kDisplayController = 0x03;
constexpr uint8_t kOtherDisplayController = 0x80;

const DRYDOCK_DEVICE_MODEL kModel = {
    sizeof(DRYDOCK_DEVICE_MODEL),
    DRYDOCK_DEVICE_VERSION,
    "softgpu",
    {SOFTGPU_PCI_VENDOR, SOFTGPU_PCI_DEVICE, SOFTGPU_PCI_VENDOR, SOFTGPU_PCI_DEVICE, SOFTGPU_VERSION >> 16,
     kDisplayController, kOtherDisplayController, 0},
    {{SOFTGPU_REGISTER_BAR_BYTES, DRYDOCK_DEVICE_BAR_MEMORY32, 0},
     {0, DRYDOCK_DEVICE_BAR_NONE, 0},
     {SOFTGPU_LOCAL_BYTES, DRYDOCK_DEVICE_BAR_MEMORY64, 0}},
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
    bar_memory,
};

}  // namespace

extern "C" const DRYDOCK_DEVICE_MODEL* DrydockDeviceModel(void);

const DRYDOCK_DEVICE_MODEL* DrydockDeviceModel(void) { return &kModel; }
