#pragma once

#include <array>
#include <memory>
#include <string>

#include "umd/common/device.h"
#include "umd/common/handle_set.h"
#include "umd/d3d9/resource_desc.h"

namespace umd {

struct Mapped {
  void* data = nullptr;
  UINT pitch = 0;
  UINT slice_pitch = 0;
};

// A rectangle of one surface of a resource.
struct Place {
  Resource* resource = nullptr;
  UINT surface = 0;
  RECT rect{};
};

// A device of Direct3D 9 as a driver sees it: the runtime's half of D3DDDI_DEVICEFUNCS. One thread at a time; owned by
// the program. Results are the driver's own; what it may not do is a finding besides.
class Device9 final : public Device {
 public:
  // The error names the reason why the driver refused, or is refused.
  static base::Expected<std::unique_ptr<Device9>, std::string> create(Runtime& runtime, kmt::Client& client,
                                                                      D3DKMT_HANDLE adapter, HANDLE driver_adapter,
                                                                      PFND3DDDI_CREATEDEVICE entry, nt::Scope& scope,
                                                                      UINT version, Era era);
  // destroy(), if it has not been called.
  ~Device9() override;

  // DestroyDevice, after every resource that is left; and the judgement of what the driver owed.
  HRESULT destroy();

  // --- Resources ---
  HRESULT create_resource(const ResourceDesc& desc, Resource** created);
  // One that another device, or another process, shares by this handle.
  HRESULT open_resource(D3DKMT_HANDLE global_share, Resource** opened);
  // Whatever the driver answers, the resource is gone for the program.
  HRESULT destroy_resource(Resource* resource);
  HRESULT lock(Resource* resource, UINT surface, D3DDDI_LOCKFLAGS flags, Mapped* mapped);
  HRESULT unlock(Resource* resource, UINT surface);

  // --- What is bound ---
  HRESULT set_render_target(UINT index, Resource* resource, UINT surface = 0);
  HRESULT set_depth_stencil(Resource* resource);
  HRESULT set_texture(UINT stage, Resource* resource);
  HRESULT set_stream_source(UINT stream, Resource* resource, UINT offset, UINT stride);
  HRESULT set_indices(Resource* resource, UINT stride);
  // For DrawPrimitive2 and DrawIndexedPrimitive2: vertices and indices in the program's memory.
  HRESULT set_stream_source_um(const void* vertices, UINT stride);
  HRESULT set_indices_um(const void* indices, UINT stride);

  // --- State ---
  HRESULT set_render_state(D3DDDIRENDERSTATETYPE state, UINT value);
  HRESULT set_texture_stage_state(UINT stage, D3DDDITEXTURESTAGESTATETYPE state, UINT value);
  HRESULT set_transform(D3DTRANSFORMSTATETYPE which, const D3DMATRIX& matrix);
  HRESULT set_viewport(UINT x, UINT y, UINT width, UINT height);
  HRESULT set_z_range(float min_z, float max_z);
  HRESULT set_scissor(const RECT& rect);
  HRESULT set_material(const D3DDDIARG_SETMATERIAL& material);
  HRESULT create_light(UINT index);
  HRESULT set_light(UINT index, const D3DDDI_LIGHT& light);
  HRESULT destroy_light(UINT index);
  HRESULT create_vertex_declaration(const D3DDDIVERTEXELEMENT* elements, UINT count, HANDLE* declaration);
  HRESULT set_vertex_declaration(HANDLE declaration);
  HRESULT delete_vertex_declaration(HANDLE declaration);

  // --- Commands ---
  HRESULT clear(UINT flags, UINT color, float z, UINT stencil = 0);
  HRESULT draw_primitive(D3DPRIMITIVETYPE type, UINT first_vertex, UINT primitives);
  HRESULT draw_indexed_primitive(D3DPRIMITIVETYPE type, INT base_vertex, UINT min_index, UINT vertices,
                                 UINT first_index, UINT primitives);
  HRESULT color_fill(const Place& place, UINT color);
  HRESULT blt(const Place& source, const Place& destination);
  // All of the source, to the same place of the destination; without a destination nothing is shown.
  HRESULT present(Resource* source, Resource* destination = nullptr);
  HRESULT flush();

  // Any other function of the table, by its slot: nothing is known of what it uses.
  template <typename... Params, typename... Args>
  HRESULT raw(const char* name, HRESULT (*D3DDDI_DEVICEFUNCS::*slot)(HANDLE, Params...), Args&&... args) {
    Frame frame{.name = name};
    return finish(frame, call(frame, functions_.*slot, driver_handle_, std::forward<Args>(args)...));
  }
  const D3DDDI_DEVICEFUNCS& functions() const { return functions_; }
  HANDLE driver_handle() const { return driver_handle_; }

 private:
  static constexpr UINT kTargets = 4, kStages = 16, kStreams = 16;

  Device9(Runtime& runtime, kmt::Client& client, D3DKMT_HANDLE adapter, nt::Scope& scope, UINT version, Era era);
  std::string create_driver_device(HANDLE driver_adapter, PFND3DDDI_CREATEDEVICE entry);
  HRESULT finish(Frame& frame, HRESULT result);
  HRESULT call_create(Frame& frame, D3DDDIARG_CREATERESOURCE2& args);
  HRESULT create_again(Resource& resource, D3DDDIARG_CREATERESOURCE2& args, HRESULT first);
  HRESULT settle_creation(Resource& resource, HRESULT result, HANDLE driver_handle, nt::Violation same_handle);
  void unbind(const Resource* resource);
  void check_driver_handle(const Resource& resource, nt::Violation rule);
  void judge_lock(const Frame& frame, Resource& resource, UINT surface, HRESULT result);
  void use_bound(const Frame& frame);

  const UINT version_;
  HANDLE driver_handle_ = nullptr;
  bool created_ = false;
  D3DDDI_DEVICEFUNCS functions_{};
  HandleSet driver_handles_ GUARDED_BY(runtime.lock);  // of the resources that live
  std::array<Resource*, kTargets> targets_{};
  std::array<Resource*, kStages> textures_{};
  std::array<Resource*, kStreams> streams_{};
  Resource* depth_ = nullptr;
  Resource* indices_ = nullptr;
};

}  // namespace umd
