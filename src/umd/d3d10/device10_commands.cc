// The commands that a Direct3D 10 or 11 device has its driver put into batches, and the CPU's access to the contents of
// resources. Each command stores its number in what it uses.
#include <utility>

#include "umd/d3d10/device10.h"

namespace umd {
namespace {

constexpr UINT kBoundAsInput = D3D10_DDI_BIND_VERTEX_BUFFER | D3D10_DDI_BIND_INDEX_BUFFER;

// Which pair of functions maps a resource is documented on the page of ResourceMap.
enum class MapPair : uint8_t { None, InputBuffer, ConstantBuffer, Dynamic, Staging };

MapPair pair_of(const ResourceDesc10& desc) {
  if (desc.usage == D3D10_DDI_USAGE_STAGING) return MapPair::Staging;
  if (desc.usage != D3D10_DDI_USAGE_DYNAMIC) return MapPair::None;
  if (desc.dimension != D3D10DDIRESOURCE_BUFFER) return MapPair::Dynamic;
  if (desc.bind && (desc.bind & ~kBoundAsInput) == 0) return MapPair::InputBuffer;
  return desc.bind == D3D10_DDI_BIND_CONSTANT_BUFFER ? MapPair::ConstantBuffer : MapPair::Dynamic;
}

// Null: the resource cannot be mapped like that.
PFND3D10DDI_RESOURCEMAP map_function(const D3D11DDI_DEVICEFUNCS& table, MapPair pair, D3D10_DDI_MAP how) {
  bool discard = how == D3D10_DDI_MAP_WRITE_DISCARD;
  switch (pair) {
    case MapPair::InputBuffer:
      return discard                                  ? table.pfnDynamicIABufferMapDiscard
             : how == D3D10_DDI_MAP_WRITE_NOOVERWRITE ? table.pfnDynamicIABufferMapNoOverwrite
                                                      : nullptr;
    case MapPair::ConstantBuffer:
      return discard ? table.pfnDynamicConstantBufferMapDiscard : nullptr;
    case MapPair::Dynamic:
      return discard ? table.pfnDynamicResourceMapDiscard : nullptr;
    case MapPair::Staging:
      return how <= D3D10_DDI_MAP_READWRITE ? table.pfnStagingResourceMap : nullptr;
    case MapPair::None:
      break;
  }
  return nullptr;
}

PFND3D10DDI_RESOURCEUNMAP unmap_function(const D3D11DDI_DEVICEFUNCS& table, MapPair pair) {
  switch (pair) {
    case MapPair::InputBuffer:
      return table.pfnDynamicIABufferUnmap;
    case MapPair::ConstantBuffer:
      return table.pfnDynamicConstantBufferUnmap;
    case MapPair::Dynamic:
      return table.pfnDynamicResourceUnmap;
    case MapPair::Staging:
      return table.pfnStagingResourceUnmap;
    case MapPair::None:
      break;
  }
  return nullptr;
}

}  // namespace

void Device10::use_and_write(const Frame10& frame, Resource* written, Resource* read) {
  use(frame, {written, read});
  write(frame, written);
}

// --- Contents of resources ---

HRESULT Device10::map(Resource* resource, UINT subresource, D3D10_DDI_MAP how, UINT flags,
                      D3D10DDI_MAPPED_SUBRESOURCE* mapped) {
  *mapped = {};
  auto function = map_function(functions_.v11, pair_of(more(resource)->desc), how);
  if (!function) return E_INVALIDARG;
  Frame10 frame("ResourceMap", Role::Other, flags & D3D10_DDI_MAP_FLAG_DONOTWAIT ? Errors::Map : Errors::Removed);
  frame.may_wait = !(flags & D3D10_DDI_MAP_FLAG_DONOTWAIT);
  HRESULT result = command(frame, function, driver_handle(resource), subresource, how, flags, mapped);
  judge_wait(frame);
  judge_discard(frame, result);
  if (SUCCEEDED(result) && !mapped->pData) {
    report_violation(nt::Violation::UmdIllegalResult, "ResourceMap reported no error and gave no memory",
                     stacks_of(*resource));
    return E_FAIL;
  }
  if (SUCCEEDED(result) && how == D3D10_DDI_MAP_WRITE_DISCARD) memory_exchanged(*resource);
  return result;
}

HRESULT Device10::unmap(Resource* resource, UINT subresource) {
  auto function = unmap_function(functions_.v11, pair_of(more(resource)->desc));
  if (!function) return E_INVALIDARG;
  Frame10 frame("ResourceUnmap", Role::Other, Errors::Removed);
  return command(frame, function, driver_handle(resource), subresource);
}

HRESULT Device10::update_subresource(Resource* resource, UINT subresource, const D3D10_DDI_BOX* box, const void* data,
                                     UINT row_pitch, UINT depth_pitch) {
  const ResourceDesc10& desc = more(resource)->desc;
  bool constants = desc.usage == D3D10_DDI_USAGE_DEFAULT && desc.bind == D3D10_DDI_BIND_CONSTANT_BUFFER;
  auto function = constants ? functions_.v11.pfnDefaultConstantBufferUpdateSubresourceUP
                            : functions_.v11.pfnResourceUpdateSubresourceUP;
  Frame10 frame("ResourceUpdateSubresourceUP", Role::Draw, Errors::Removed);
  HRESULT result = command(frame, function, driver_handle(resource), subresource, box, data, row_pitch, depth_pitch);
  if (FAILED(result)) return result;
  memory_exchanged(*resource);  // all of it may be written, and then other memory will do
  use_and_write(frame, resource);
  return result;
}

HRESULT Device10::copy_resource(Resource* destination, Resource* source) {
  Frame10 frame("ResourceCopy", Role::Draw, Errors::Removed);
  HRESULT result = command(frame, functions_.v11.pfnResourceCopy, driver_handle(destination), driver_handle(source));
  if (SUCCEEDED(result)) use_and_write(frame, destination, source);
  return result;
}

HRESULT Device10::copy_subresource_region(Resource* destination, UINT destination_subresource, UINT x, UINT y, UINT z,
                                          Resource* source, UINT source_subresource, const D3D10_DDI_BOX* box) {
  Frame10 frame("ResourceCopyRegion", Role::Draw, Errors::Removed);
  HRESULT result = command(frame, functions_.v11.pfnResourceCopyRegion, driver_handle(destination),
                           destination_subresource, x, y, z, driver_handle(source), source_subresource, box);
  if (SUCCEEDED(result)) use_and_write(frame, destination, source);
  return result;
}

// --- Drawing ---

HRESULT Device10::clear_render_target(RenderTargetView* view, const FLOAT (&color)[4]) {
  FLOAT copy[4] = {color[0], color[1], color[2], color[3]};
  Frame10 frame("ClearRenderTargetView", Role::Draw, Errors::Removed);
  HRESULT result = command(frame, functions_.v11.pfnClearRenderTargetView,
                           D3D10DDI_HRENDERTARGETVIEW{view->driver_handle}, &copy[0]);
  if (SUCCEEDED(result)) use_and_write(frame, view->resource);
  return result;
}

HRESULT Device10::clear_depth_stencil(DepthStencilView* view, UINT flags, FLOAT depth, UINT8 stencil) {
  Frame10 frame("ClearDepthStencilView", Role::Draw, Errors::Removed);
  HRESULT result = command(frame, functions_.v11.pfnClearDepthStencilView,
                           D3D10DDI_HDEPTHSTENCILVIEW{view->driver_handle}, flags, depth, stencil);
  if (SUCCEEDED(result)) use(frame, {view->resource});
  return result;
}

HRESULT Device10::draw(UINT vertices, UINT first_vertex) {
  Frame10 frame("Draw", Role::Draw, Errors::Removed);
  HRESULT result = command(frame, functions_.v11.pfnDraw, vertices, first_vertex);
  if (SUCCEEDED(result)) use_bound(frame);
  return result;
}

HRESULT Device10::draw_indexed(UINT indices, UINT first_index, INT base_vertex) {
  Frame10 frame("DrawIndexed", Role::Draw, Errors::Removed);
  HRESULT result = command(frame, functions_.v11.pfnDrawIndexed, indices, first_index, base_vertex);
  if (SUCCEEDED(result)) use_bound(frame);
  return result;
}

HRESULT Device10::draw_instanced(UINT vertices, UINT instances, UINT first_vertex, UINT first_instance) {
  Frame10 frame("DrawInstanced", Role::Draw, Errors::Removed);
  HRESULT result = command(frame, functions_.v11.pfnDrawInstanced, vertices, instances, first_vertex, first_instance);
  if (SUCCEEDED(result)) use_bound(frame);
  return result;
}

// --- Flush ---

HRESULT Device10::flush() {
  if (HRESULT lost = prepare(); FAILED(lost)) return lost;
  judge_batch_end();
  std::vector<HANDLE> zombies = shared_zombies();
  Frame10 frame("Flush", Role::Flush, Errors::Removed);
  HRESULT result = told(frame, functions_.v11.pfnFlush);
  if (is_d3d11()) judge_flush(frame, zombies);
  after_batch_end();
  return result;
}

// By their handles: the driver is about to get rid of them.
std::vector<HANDLE> Device10::shared_zombies() {
  std::vector<HANDLE> zombies;
  RuntimeGuard guard(runtime.lock);
  if (!std::exchange(shared_destroyed_, false)) return zombies;
  for (Resource* each = first_resource(); each; each = each->next) {
    if (each->state == ResourceState::Zombie && each->shared) zombies.push_back(each->handle);
  }
  return zombies;
}

// "Deferred Destruction and Flush(D3D10)": what was shared and is destroyed goes with the next Flush; of the rest, what
// does not make the pipeline stall.
void Device10::judge_flush(const Frame10& frame, const std::vector<HANDLE>& zombies) {
  if (frame.released) {
    report_violation(nt::Violation::UmdFlushWaits,
                     "Flush waited for the GPU, and then released what was destroyed before it");
  }
  if (!frame.failed.empty()) return;  // it failed before it could release them
  for (HANDLE handle : zombies) {
    Handles::Found found;
    {
      RuntimeGuard guard(runtime.lock);
      found = runtime.handles.find(handle);
    }
    if (!found.live) continue;
    report_violation(nt::Violation::UmdZombieAfterFlush,
                     "Flush returned, and a shared resource that was destroyed before it is still allocated",
                     stacks_of(*static_cast<Resource*>(found.object)));
  }
}

UINT Device10::check_format_support(DXGI_FORMAT format) {
  UINT caps = 0;
  ask("CheckFormatSupport", functions_.v11.pfnCheckFormatSupport, format, &caps);
  return caps;
}

}  // namespace umd
