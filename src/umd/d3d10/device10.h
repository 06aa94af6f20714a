#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "umd/d3d10/bindings10.h"
#include "umd/d3d10/dxgi.h"
#include "umd/d3d10/frame10.h"
#include "umd/d3d10/functions10.h"

namespace umd {

struct VertexBuffer {
  Resource* resource = nullptr;
  UINT stride = 0;
  UINT offset = 0;
};

// What a device is made with; the adapter knows all of it.
struct Device10Setup {
  D3D10DDI_HADAPTER driver_adapter{};
  PFND3D10DDI_CALCPRIVATEDEVICESIZE calc_size = nullptr;
  PFND3D10DDI_CREATEDEVICE create = nullptr;
  Interface10 interface {};
  Caps10 caps;
  Era era = Era::Win7;
  UINT flags = 0;  // D3D10DDI_CREATEDEVICE_FLAG_*, D3D11DDI_CREATEDEVICE_FLAG_*
};

// A device of Direct3D 10, 10.1 or 11 as a driver sees it: the runtime's half of D3D11DDI_DEVICEFUNCS and older tables.
// Results are what the driver reported; what it may not report or do is a finding besides. Owned by the program.
//
// Threads: with a driver that is free-threaded, resources, views and states may be created and destroyed on any thread
// of the program at any time; everything else, and primaries, belong to the immediate context, which one thread uses at
// a time. With another driver one thread at a time uses the device.
//
// What is bound is not destroyed. When a program releases a bound object, the object is unbound first: at once, or,
// when the driver is free-threaded, by the thread that uses the immediate context next.
class Device10 final : public Device {
 public:
  // The error names the reason why the driver refused, or is refused.
  static base::Expected<std::unique_ptr<Device10>, std::string> create(Runtime& runtime, kmt::Client& client,
                                                                       D3DKMT_HANDLE adapter, nt::Scope& scope,
                                                                       const Device10Setup& setup);
  // destroy(), if it has not been called.
  ~Device10() override;

  // DestroyDevice, after everything that is left; and the judgement of what the driver owed.
  HRESULT destroy();

  bool free_threaded() const override;
  bool is_direct3d9() const override { return false; }
  bool is_d3d11() const { return setup_.interface.ddi == Ddi10::D3D11_0; }
  // The driver said so, or reported what it may not: from then on it is only told to unbind and to destroy.
  bool removed();
  Dxgi& dxgi() { return dxgi_; }

  // --- Resources ---
  HRESULT create_resource(const ResourceDesc10& desc, Resource** created);
  // One that another device, or another process, shares by this handle.
  // `known`: what the program was told about it, for views.
  HRESULT open_resource(D3DKMT_HANDLE global_share, Resource** opened, const ResourceDesc10& known = {});
  // With every view of it. Whatever the driver reports, the resource is gone for the program.
  HRESULT destroy_resource(Resource* resource);
  // DXGI_DDI_ERR_WASSTILLDRAWING: only with D3D10_DDI_MAP_FLAG_DONOTWAIT.
  HRESULT map(Resource* resource, UINT subresource, D3D10_DDI_MAP how, UINT flags, D3D10DDI_MAPPED_SUBRESOURCE* mapped);
  HRESULT unmap(Resource* resource, UINT subresource);
  HRESULT update_subresource(Resource* resource, UINT subresource, const D3D10_DDI_BOX* box, const void* data,
                             UINT row_pitch, UINT depth_pitch);
  HRESULT copy_resource(Resource* destination, Resource* source);
  HRESULT copy_subresource_region(Resource* destination, UINT destination_subresource, UINT x, UINT y, UINT z,
                                  Resource* source, UINT source_subresource, const D3D10_DDI_BOX* box);
  const ResourceDesc10& desc_of(const Resource* resource) const { return more(resource)->desc; }

  // --- Views: the whole most detailed level, in the resource's own format, unless the program says more ---
  HRESULT create_render_target_view(Resource* resource, RenderTargetView** created);
  HRESULT create_render_target_view(Resource* resource, D3D10DDIARG_CREATERENDERTARGETVIEW desc,
                                    RenderTargetView** created);
  HRESULT create_depth_stencil_view(Resource* resource, DepthStencilView** created);
  HRESULT create_depth_stencil_view(Resource* resource, D3D11DDIARG_CREATEDEPTHSTENCILVIEW desc,
                                    DepthStencilView** created);
  HRESULT create_shader_resource_view(Resource* resource, ShaderResourceView** created);
  HRESULT create_shader_resource_view(Resource* resource, D3D11DDIARG_CREATESHADERRESOURCEVIEW desc,
                                      ShaderResourceView** created);

  // --- State objects and shaders ---
  HRESULT create_element_layout(std::span<const D3D10DDIARG_INPUT_ELEMENT_DESC> elements, ElementLayout** created);
  HRESULT create_blend_state(const D3D10_1_DDI_BLEND_DESC& desc, BlendState** created);
  HRESULT create_depth_stencil_state(const D3D10_DDI_DEPTH_STENCIL_DESC& desc, DepthStencilState** created);
  HRESULT create_rasterizer_state(const D3D10_DDI_RASTERIZER_DESC& desc, RasterizerState** created);
  HRESULT create_sampler(const D3D10_DDI_SAMPLER_DESC& desc, Sampler** created);
  // The token stream is the driver's to understand.
  HRESULT create_shader(ShaderStage stage, const UINT* code, const D3D10DDIARG_STAGE_IO_SIGNATURES& signatures,
                        Shader** created);
  // A view, a state object or a shader.
  HRESULT destroy_child(Device10Object* child);

  // --- What is bound: NULL unbinds ---
  HRESULT set_render_targets(std::span<RenderTargetView* const> targets, DepthStencilView* depth);
  HRESULT set_shader(ShaderStage stage, Shader* shader);
  HRESULT set_shader_resources(ShaderStage stage, UINT first, std::span<ShaderResourceView* const> views);
  HRESULT set_samplers(ShaderStage stage, UINT first, std::span<Sampler* const> samplers);
  HRESULT set_constant_buffers(ShaderStage stage, UINT first, std::span<Resource* const> buffers);
  HRESULT set_input_layout(ElementLayout* layout);
  HRESULT set_vertex_buffers(UINT first, std::span<const VertexBuffer> buffers);
  HRESULT set_index_buffer(Resource* buffer, DXGI_FORMAT format, UINT offset);
  HRESULT set_topology(D3D10_DDI_PRIMITIVE_TOPOLOGY topology);
  HRESULT set_viewports(std::span<const D3D10_DDI_VIEWPORT> viewports);
  HRESULT set_scissors(std::span<const D3D10_DDI_RECT> rects);
  HRESULT set_rasterizer_state(RasterizerState* state);
  HRESULT set_blend_state(BlendState* state, const FLOAT (&factor)[4], UINT sample_mask = 0xFFFFFFFF);
  HRESULT set_depth_stencil_state(DepthStencilState* state, UINT stencil_reference);
  // Unbinds everything.
  void clear_state();

  // --- Commands ---
  HRESULT clear_render_target(RenderTargetView* view, const FLOAT (&color)[4]);
  HRESULT clear_depth_stencil(DepthStencilView* view, UINT flags, FLOAT depth, UINT8 stencil);
  HRESULT draw(UINT vertices, UINT first_vertex);
  HRESULT draw_indexed(UINT indices, UINT first_index, INT base_vertex);
  HRESULT draw_instanced(UINT vertices, UINT instances, UINT first_vertex, UINT first_instance);
  HRESULT flush();

  // --- Asking ---
  UINT check_format_support(DXGI_FORMAT format);

  // Any other function of the table, by its slot: nothing is known of what it uses.
  template <typename... Params, typename... Args>
  HRESULT raw(const char* name, void (*D3D11DDI_DEVICEFUNCS::*slot)(D3D10DDI_HDEVICE, Params...), Args&&... args) {
    Frame10 frame(name, Role::Draw, Errors::Removed);
    return command(frame, functions_.v11.*slot, std::forward<Args>(args)...);
  }
  const Functions10& functions() const { return functions_; }
  D3D10DDI_HDEVICE driver_handle() const { return {memory_.data()}; }
  static D3D10DDI_HRESOURCE driver_handle(const Resource* resource) {
    return {resource ? resource->driver_handle : nullptr};
  }

  // --- From the driver's callbacks ---
  void report_error(HRESULT error);
  void amortized_processing_done();
  void disable_deferred_staging_destruction();
  void refresh(State10 what, ShaderStage stage, UINT first, UINT count);

  // --- For Dxgi, whose functions belong to the immediate context and return results ---
  template <typename Args>
  HRESULT dxgi_call(Frame10& frame, HRESULT (*function)(Args*), Args& args) {
    if (HRESULT lost = prepare(); FAILED(lost)) return lost;
    HRESULT result = call(frame, function, &args);
    judge_errors(frame, result);
    if (result == D3DDDIERR_DEVICEREMOVED) lose();
    return result;
  }
  void judge_batch_end();
  void after_batch_end();

 private:
  Device10(Runtime& its_runtime, kmt::Client& client, D3DKMT_HANDLE adapter, nt::Scope& scope,
           const Device10Setup& setup);
  std::string create_driver_device();
  D3D10DDIARG_CREATEDEVICE creation_arguments();
  std::string find_holes();
  void destroy_everything();
  void lose();
  static HRESULT outcome(const Frame10& frame);

  // The first call in every function of the immediate context: destroys what was released on other threads.
  HRESULT prepare();
  template <typename... Params, typename... Args>
  HRESULT command(Frame10& frame, void (*function)(D3D10DDI_HDEVICE, Params...), Args&&... args) {
    if (HRESULT lost = prepare(); FAILED(lost)) return lost;
    return told(frame, function, std::forward<Args>(args)...);
  }
  template <typename... Params, typename... Args>
  HRESULT told(Frame10& frame, void (*function)(D3D10DDI_HDEVICE, Params...), Args&&... args) {
    call(frame, function, driver_handle(), std::forward<Args>(args)...);
    return outcome(frame);
  }
  template <typename R, typename... Params, typename... Args>
  R ask(const char* name, R (*function)(D3D10DDI_HDEVICE, Params...), Args&&... args) {
    Frame10 frame(name, Role::Other, Errors::None);
    return call(frame, function, driver_handle(), std::forward<Args>(args)...);
  }

  // --- Resources ---
  size_t private_bytes(const D3D11DDIARG_CREATERESOURCE& args);
  Resource& begin_resource(const ResourceDesc10& desc, size_t bytes);
  void call_create(Frame10& frame, const D3D11DDIARG_CREATERESOURCE& args, const Resource& resource);
  HRESULT resource_made(const Frame10& frame, Resource& resource, Resource** made);
  void drop_failed(const Frame10& frame, Resource& resource);
  void quarantine_memory(Resource& resource);
  bool is_bound(const Resource& resource) REQUIRES(runtime.lock);
  HRESULT destroy_unbound(Resource& resource);
  HRESULT call_destroy(Resource& resource);
  bool is_staging_busy(Resource& resource);
  void destroy_released();
  void destroy_idle_staging();

  // --- Views, state objects, shaders ---
  template <typename T, typename Tell>
  HRESULT make_child(const char* name, Resource* resource, size_t bytes, T** made, Tell&& tell);
  Device10Objects& list_of(const Device10Object& child) REQUIRES(runtime.lock);
  HRESULT destroy_unbound(Device10Object& child);
  HRESULT call_destroy(Device10Object& child);

  // --- What is bound ---
  void unbind_everywhere(Device10Object& child);
  void unbind_everywhere(Resource& resource);
  HRESULT apply(State10 what, ShaderStage stage = ShaderStage::Vertex, UINT first = 0, UINT count = ~0u);
  HRESULT apply_of_stage(State10 what, ShaderStage stage, UINT first, UINT count);
  HRESULT apply_vertex_buffers(UINT first, UINT count);
  HRESULT apply_targets();
  void use_bound(const Frame10& frame);
  void use_and_write(const Frame10& frame, Resource* written, Resource* read = nullptr);

  // --- Judgement ---
  void judge_private_memory(const std::vector<Trespass>& found);
  void judge_freed_memory();
  void judge_table();
  void judge_flush(const Frame10& frame, const std::vector<HANDLE>& zombies);
  std::vector<HANDLE> shared_zombies();

  const Device10Setup setup_;
  PrivateBlock memory_;
  bool created_ = false;
  Functions10 functions_{};
  std::optional<FixedSlots> fixed_slots_;
  Dxgi dxgi_;
  Bindings10 bindings_;
  UINT told_viewports_ = 0;
  UINT told_scissors_ = 0;
  UINT told_targets_ = 0;
  bool removed_ GUARDED_BY(runtime.lock) = false;
  bool staging_waits_ GUARDED_BY(runtime.lock) = true;
  bool shared_destroyed_ GUARDED_BY(runtime.lock) = false;  // since the last Flush
  Device10Objects children_ GUARDED_BY(runtime.lock);
  uint64_t children_made_ GUARDED_BY(runtime.lock) = 0;
  FreedBlockQuarantine quarantine_ GUARDED_BY(runtime.lock);
  std::vector<Resource*> released_resources_ GUARDED_BY(runtime.lock);
  std::vector<Device10Object*> released_children_ GUARDED_BY(runtime.lock);
  std::vector<Resource*> busy_staging_ GUARDED_BY(runtime.lock);
};

}  // namespace umd
