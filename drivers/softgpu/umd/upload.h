#pragma once

#include "resource.h"

namespace softgpu {

class Device;

// Memory for what the CPU gives to one command: written once, then read by the GPU.
struct Slice {
  Allocation* allocation;
  uint64_t offset;
  uint8_t* bytes;  // until the next slice, or the next batch
};

// A buffer that slices are cut from, one behind the other; when it is full it is renamed. Part of its device.
class Upload {
 public:
  HRESULT take(Device& device, uint64_t bytes, Slice* slice);
  // Before a batch is submitted: the GPU should not find the buffer locked.
  HRESULT close(Device& device);
  HRESULT destroy(Device& device);

 private:
  HRESULT make_room(Device& device, uint64_t bytes);
  HRESULT grow(Device& device, uint64_t bytes);

  Resource* buffer_ = nullptr;
  uint64_t used_ = 0;
  uint8_t* mapped_ = nullptr;
};

}  // namespace softgpu
