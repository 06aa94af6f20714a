// The commands that a Direct3D 9 device has its driver put into batches. Each command stores its number in what it
// uses.
#include "umd/common/presenting.h"
#include "umd/d3d9/device9.h"

namespace umd {

// Everything that is bound: more than a draw may touch; but a driver has to keep all of it for the draw.
void Device9::use_bound(const Frame& frame) {
  constexpr size_t kMost = kTargets + kStages + kStreams + 2;
  std::array<Resource*, kMost> bound;
  size_t count = 0;
  auto add = [&](Resource* resource) {
    if (resource) bound[count++] = resource;
  };
  for (Resource* each : targets_) add(each);
  for (Resource* each : textures_) add(each);
  for (Resource* each : streams_) add(each);
  add(depth_);
  add(indices_);
  use(frame, std::span(bound.data(), count), Work::Draw);
}

HRESULT Device9::clear(UINT flags, UINT color, float z, UINT stencil) {
  D3DDDIARG_CLEAR args{flags, color, z, stencil};
  Frame frame{.name = "Clear", .role = Role::Draw};
  HRESULT result = finish(frame, call(frame, functions_.pfnClear, driver_handle_, &args, 0u, nullptr));
  if (SUCCEEDED(result))
    use(frame, {flags & D3DCLEAR_TARGET ? targets_[0] : nullptr, flags & D3DCLEAR_ZBUFFER ? depth_ : nullptr});
  return result;
}

HRESULT Device9::draw_primitive(D3DPRIMITIVETYPE type, UINT first_vertex, UINT primitives) {
  D3DDDIARG_DRAWPRIMITIVE args{type, first_vertex, primitives};
  Frame frame{.name = "DrawPrimitive", .role = Role::Draw};
  HRESULT result = finish(frame, call(frame, functions_.pfnDrawPrimitive, driver_handle_, &args, nullptr));
  if (SUCCEEDED(result)) use_bound(frame);
  return result;
}

HRESULT Device9::draw_indexed_primitive(D3DPRIMITIVETYPE type, INT base_vertex, UINT min_index, UINT vertices,
                                        UINT first_index, UINT primitives) {
  D3DDDIARG_DRAWINDEXEDPRIMITIVE args{type, base_vertex, min_index, vertices, first_index, primitives};
  Frame frame{.name = "DrawIndexedPrimitive", .role = Role::Draw};
  HRESULT result = finish(frame, call(frame, functions_.pfnDrawIndexedPrimitive, driver_handle_, &args));
  if (SUCCEEDED(result)) use_bound(frame);
  return result;
}

HRESULT Device9::color_fill(const Place& place, UINT color) {
  D3DDDIARG_COLORFILL args{};
  args.hResource = place.resource->driver_handle;
  args.SubResourceIndex = place.surface;
  args.DstRect = place.rect;
  args.Color = color;
  Frame frame{.name = "ColorFill", .role = Role::Draw};
  HRESULT result = finish(frame, call(frame, functions_.pfnColorFill, driver_handle_, &args));
  if (SUCCEEDED(result)) use(frame, {place.resource});
  return result;
}

HRESULT Device9::blt(const Place& source, const Place& destination) {
  D3DDDIARG_BLT args{};
  args.hSrcResource = source.resource->driver_handle;
  args.SrcSubResourceIndex = source.surface;
  args.SrcRect = source.rect;
  args.hDstResource = destination.resource->driver_handle;
  args.DstSubResourceIndex = destination.surface;
  args.DstRect = destination.rect;
  args.Flags.Point = 1;
  Frame frame{.name = "Blt", .role = Role::Draw};
  HRESULT result = finish(frame, call(frame, functions_.pfnBlt, driver_handle_, &args));
  if (SUCCEEDED(result)) use(frame, {source.resource, destination.resource});
  return result;
}

HRESULT Device9::present(Resource* source, Resource* destination) {
  D3DDDIARG_PRESENT args{};
  args.hSrcResource = source->driver_handle;
  args.hDstResource = destination ? destination->driver_handle : nullptr;
  args.Flags.Blt = 1;
  RECT all{0, 0, static_cast<LONG>(source->width), static_cast<LONG>(source->height)};
  Presenting presenting(*this, all, all);
  Frame frame{.name = "Present", .role = Role::Present};
  HRESULT result = finish(frame, call(frame, functions_.pfnPresent, driver_handle_, &args));
  batch_ended();
  return result;
}

HRESULT Device9::flush() {
  Frame frame{.name = "Flush", .role = Role::Flush};
  HRESULT result = finish(frame, call(frame, functions_.pfnFlush, driver_handle_));
  batch_ended();
  return result;
}

}  // namespace umd
