#include "upload.h"

#include "device.h"

namespace softgpu {
namespace {

constexpr uint64_t kAlignment = 16;
constexpr uint64_t kSmallest = 256 * 1024;
constexpr uint64_t kLargest = 32 * 1024 * 1024;

}  // namespace

HRESULT Upload::take(Device& device, uint64_t bytes, Slice* slice) {
  HRESULT result = make_room(device, bytes);
  if (FAILED(result)) return result;
  slice->allocation = buffer_->surfaces[0].current;
  slice->offset = used_;
  slice->bytes = mapped_ + used_;
  used_ = (used_ + bytes + kAlignment - 1) & ~(kAlignment - 1);
  return S_OK;
}

HRESULT Upload::make_room(Device& device, uint64_t bytes) {
  if (bytes > kLargest) return E_OUTOFMEMORY;
  if (!buffer_ || bytes > buffer_->surfaces[0].bytes()) {
    HRESULT result = grow(device, bytes);
    if (FAILED(result)) return result;
  }
  bool full = used_ > buffer_->surfaces[0].bytes() || bytes > buffer_->surfaces[0].bytes() - used_;
  if (mapped_ && !full) return S_OK;
  HRESULT result = close(device);
  if (FAILED(result)) return result;
  Access access = full ? Access::Discard : Access::Append;
  result = device.map(*buffer_, buffer_->surfaces[0], access, Wait::Yes, &mapped_);
  if (SUCCEEDED(result) && full) used_ = 0;
  return result;
}

// The old buffer stays if there is no new one.
HRESULT Upload::grow(Device& device, uint64_t bytes) {
  uint64_t size = kSmallest;
  while (size < bytes) size *= 2;
  ResourceShape shape = {};
  shape.format = find_format(D3DDDIFMT_VERTEXDATA);
  shape.cached = true;
  shape.levels = 1;
  shape.surface_count = 1;
  HRESULT result = close(device);
  if (FAILED(result)) return result;
  Resource* larger = new_resource(shape);
  if (!larger) return E_OUTOFMEMORY;
  shape_surface(*larger, 0, {static_cast<uint32_t>(size), 1, 0, nullptr});
  result = device.create(larger);
  if (FAILED(result)) return result;
  Resource* smaller = buffer_;
  buffer_ = larger;
  used_ = 0;
  return smaller ? device.retire(smaller) : S_OK;
}

HRESULT Upload::close(Device& device) {
  if (!mapped_) return S_OK;
  HRESULT result = device.unmap(buffer_->surfaces[0]);
  if (SUCCEEDED(result)) mapped_ = nullptr;
  return result;
}

HRESULT Upload::destroy(Device& device) {
  HRESULT result = close(device);
  if (!buffer_) return result;
  Resource* buffer = buffer_;
  buffer_ = nullptr;
  mapped_ = nullptr;
  return first_failure(result, device.retire(buffer));
}

}  // namespace softgpu
