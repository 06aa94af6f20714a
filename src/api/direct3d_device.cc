#include "api/direct3d_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <utility>

#include "umd/common/hresult.h"

namespace drydock::internal {
namespace {

struct RenderState {
  D3DDDIRENDERSTATETYPE state;
  UINT value;
};

// Triangles in the colours of their vertices, and nothing else.
constexpr RenderState kPlainDrawing[] = {
    {D3DDDIRS_ZENABLE, FALSE},
    {D3DDDIRS_LIGHTING, FALSE},
    {D3DDDIRS_CULLMODE, D3DCULL_NONE},
    {D3DDDIRS_ALPHABLENDENABLE, FALSE},
};

constexpr D3DDDIVERTEXELEMENT kElements[] = {
    {0, offsetof(Vertex9, x), D3DDECLTYPE_FLOAT3, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_POSITION, 0},
    {0, offsetof(Vertex9, color), D3DDECLTYPE_D3DCOLOR, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_COLOR, 0},
};

D3DMATRIX identity() {
  D3DMATRIX matrix{};
  for (int i = 0; i < 4; ++i) matrix.m[i][i] = 1;
  return matrix;
}

uint32_t pixel_bytes(Format9 format) {
  switch (format) {
    case Format9::A8R8G8B8:
    case Format9::X8R8G8B8:
      return 4;
    case Format9::R5G6B5:
    case Format9::A1R5G5B5:
    case Format9::A4R4G4B4:
      return 2;
    case Format9::A8:
      return 1;
  }
  return 0;
}

umd::ResourceDesc description(const ResourceOptions9& options) {
  auto format = static_cast<D3DDDIFORMAT>(options.format);
  umd::ResourceDesc desc;
  switch (options.kind) {
    case Kind9::Texture:
      desc = umd::ResourceDesc::texture(options.width, options.height, format, options.surfaces);
      break;
    case Kind9::RenderTarget:
      desc = umd::ResourceDesc::group(options.surfaces, options.width, options.height, format);
      break;
    case Kind9::VertexBuffer:
      desc = umd::ResourceDesc::vertex_buffer(options.width);
      break;
  }
  if (options.shared) desc.shared();
  if (options.dynamic) desc.dynamic();
  return desc;
}

// What the runtime itself would not pass on to a driver.
const char* impossible(const ResourceOptions9& options) {
  if (options.width == 0 || options.height == 0) return "a resource of no size";
  if (options.surfaces == 0) return "a resource of no surfaces";
  if (options.kind == Kind9::VertexBuffer) {
    return options.surfaces > 1 || options.height > 1 ? "a vertex buffer has bytes, and one surface of them" : nullptr;
  }
  if (pixel_bytes(options.format) == 0) return "a format that is none of Format9";
  return nullptr;
}

}  // namespace

Direct3DDevice::Direct3DDevice(std::shared_ptr<Client> client, std::unique_ptr<umd::Device9> device)
    : client_(std::move(client)), device_(std::move(device)) {}

// --- Calls ---

HResult Direct3DDevice::call(const char* function, const std::function<HRESULT(std::string* why)>& what) {
  HRESULT result = kInvalidCall;
  std::string why;
  Status reached = client_->run([&](host::Graphics&, kmt::Client&) {
    if (device_) {
      result = what(&why);
    } else {
      why = "the device was destroyed";
    }
  });
  if (reached < 0) return kDeviceRemoved;
  if (result >= 0) return result;
  if (why.empty()) why = fmt::format("{} (0x{:08X})", umd::name_of(result), static_cast<uint32_t>(result));
  return client_->refuse(result, fmt::format("{}: {}", function, why));
}

const Direct3DDevice::Made* Direct3DDevice::find(Id id, std::string* why) const {
  auto found = resources_.find(id);
  if (found != resources_.end()) return &found->second;
  *why = id ? "the resource was destroyed" : "the resource was never made";
  return nullptr;
}

const Direct3DDevice::Made* Direct3DDevice::find(Id id, uint32_t surface, std::string* why) const {
  const Made* made = find(id, why);
  if (!made || surface < made->options.surfaces) return made;
  *why = fmt::format("there is no surface {}: the resource has {}", surface, made->options.surfaces);
  return nullptr;
}

Direct3DDevice::Shape Direct3DDevice::shape_of(const ResourceOptions9& options, uint32_t surface) {
  if (options.kind == Kind9::VertexBuffer) return {options.width, 1};
  uint32_t level = options.kind == Kind9::Texture ? surface : 0;
  return {std::max(options.width >> level, 1u) * pixel_bytes(options.format), std::max(options.height >> level, 1u)};
}

bool Direct3DDevice::place(const Part& part, umd::Place* place, std::string* why) const {
  const Made* made = find(part.resource, part.surface, why);
  if (!made) return false;
  if (made->options.kind == Kind9::VertexBuffer) {
    *why = "a vertex buffer has no pixels";
    return false;
  }
  Shape shape = shape_of(made->options, part.surface);
  auto width = static_cast<LONG>(shape.row_bytes / pixel_bytes(made->options.format));
  auto height = static_cast<LONG>(shape.rows);
  Rect rect = part.rect ? *part.rect : Rect{0, 0, width, height};
  if (rect.left < 0 || rect.top < 0 || rect.left >= rect.right || rect.top >= rect.bottom || rect.right > width ||
      rect.bottom > height) {
    *why = fmt::format("the rectangle is empty, or not within the surface's {} x {} pixels", width, height);
    return false;
  }
  *place = {made->resource, part.surface, {rect.left, rect.top, rect.right, rect.bottom}};
  return true;
}

// --- Resources ---

HResult Direct3DDevice::create(const ResourceOptions9& options, Id* id, Handle* global_share) {
  return call("CreateResource", [&](std::string* why) -> HRESULT {
    if (const char* wrong = impossible(options)) {
      *why = wrong;
      return kInvalidCall;
    }
    umd::Resource* resource = nullptr;
    HRESULT result = device_->create_resource(description(options), &resource);
    if (FAILED(result)) return result;
    *id = ++last_id_;
    *global_share = resource->global_share;
    resources_[*id] = {resource, options};
    return result;
  });
}

HResult Direct3DDevice::open(Handle global_share, const ResourceOptions9& options, Id* id) {
  return call("OpenResource", [&](std::string* why) -> HRESULT {
    if (const char* wrong = impossible(options)) {
      *why = wrong;
      return kInvalidCall;
    }
    umd::Resource* resource = nullptr;
    HRESULT result = device_->open_resource(global_share, &resource);
    if (FAILED(result)) return result;
    *id = ++last_id_;
    resources_[*id] = {resource, options};
    return result;
  });
}

HResult Direct3DDevice::destroy(Id resource) {
  return call("DestroyResource", [&](std::string* why) -> HRESULT {
    const Made* made = find(resource, why);
    if (!made) return kInvalidCall;
    umd::Resource* gone = made->resource;
    resources_.erase(resource);
    return device_->destroy_resource(gone);
  });
}

HResult Direct3DDevice::write(Id resource, uint32_t surface, const std::vector<uint8_t>& bytes) {
  return call("Lock", [&](std::string* why) -> HRESULT {
    const Made* made = find(resource, surface, why);
    if (!made) return kInvalidCall;
    Shape shape = shape_of(made->options, surface);
    if (bytes.size() != size_t{shape.row_bytes} * shape.rows) {
      *why = fmt::format("the surface has {} rows of {} bytes, and {} bytes were given", shape.rows, shape.row_bytes,
                         bytes.size());
      return kInvalidCall;
    }
    umd::Mapped mapped;
    if (HRESULT result = device_->lock(made->resource, surface, {}, &mapped); FAILED(result)) return result;
    for (uint32_t row = 0; row < shape.rows; ++row) {
      std::memcpy(static_cast<uint8_t*>(mapped.data) + size_t{row} * mapped.pitch,
                  bytes.data() + size_t{row} * shape.row_bytes, shape.row_bytes);
    }
    return device_->unlock(made->resource, surface);
  });
}

HResult Direct3DDevice::read(Id resource, uint32_t surface, std::vector<uint8_t>* bytes) {
  return call("Lock", [&](std::string* why) -> HRESULT {
    const Made* made = find(resource, surface, why);
    if (!made) return kInvalidCall;
    D3DDDI_LOCKFLAGS flags{};
    flags.ReadOnly = 1;
    umd::Mapped mapped;
    if (HRESULT result = device_->lock(made->resource, surface, flags, &mapped); FAILED(result)) return result;
    Shape shape = shape_of(made->options, surface);
    bytes->resize(size_t{shape.row_bytes} * shape.rows);
    for (uint32_t row = 0; row < shape.rows; ++row) {
      std::memcpy(bytes->data() + size_t{row} * shape.row_bytes,
                  static_cast<const uint8_t*>(mapped.data) + size_t{row} * mapped.pitch, shape.row_bytes);
    }
    return device_->unlock(made->resource, surface);
  });
}

// --- Commands ---

HResult Direct3DDevice::set_render_target(Id resource, uint32_t surface) {
  return call("SetRenderTarget", [&](std::string* why) -> HRESULT {
    const Made* made = find(resource, surface, why);
    if (!made) return kInvalidCall;
    if (made->options.kind != Kind9::RenderTarget) {
      *why = "the resource is no render target";
      return kInvalidCall;
    }
    HRESULT result = device_->set_render_target(0, made->resource, surface);
    if (FAILED(result)) return result;
    target_ = resource;
    target_surface_ = surface;
    return device_->set_viewport(0, 0, made->options.width, made->options.height);
  });
}

HResult Direct3DDevice::clear(uint32_t color) {
  return call("Clear", [&](std::string* why) -> HRESULT {
    if (!find(target_, target_surface_, why)) {
      *why = "there is no render target";
      return kInvalidCall;
    }
    return device_->clear(D3DCLEAR_TARGET, color, 1);
  });
}

// States that stay the same from the first draw on.
HRESULT Direct3DDevice::prepare_to_draw() {
  if (ready_to_draw_) return S_OK;
  for (const RenderState& each : kPlainDrawing) {
    if (HRESULT result = device_->set_render_state(each.state, each.value); FAILED(result)) return result;
  }
  for (D3DTRANSFORMSTATETYPE which : {D3DTS_VIEW, D3DTS_PROJECTION}) {
    if (HRESULT result = device_->set_transform(which, identity()); FAILED(result)) return result;
  }
  if (HRESULT result = device_->set_z_range(0, 1); FAILED(result)) return result;
  if (!vertex_declaration_) {
    HRESULT result = device_->create_vertex_declaration(kElements, std::size(kElements), &vertex_declaration_);
    if (FAILED(result)) return result;
  }
  HRESULT result = device_->set_vertex_declaration(vertex_declaration_);
  ready_to_draw_ = SUCCEEDED(result);
  return result;
}

HResult Direct3DDevice::draw_triangles(Id vertices, uint32_t count) {
  return call("DrawPrimitive", [&](std::string* why) -> HRESULT {
    const Made* made = find(vertices, why);
    if (!made) return kInvalidCall;
    if (!find(target_, target_surface_, why)) {
      *why = "there is no render target";
      return kInvalidCall;
    }
    if (count == 0 || made->options.kind != Kind9::VertexBuffer ||
        uint64_t{count} * 3 * sizeof(Vertex9) > made->options.width) {
      *why = fmt::format("the vertices of {} triangles are {} bytes of a vertex buffer", count,
                         uint64_t{count} * 3 * sizeof(Vertex9));
      return kInvalidCall;
    }
    if (HRESULT result = prepare_to_draw(); FAILED(result)) return result;
    if (HRESULT result = device_->set_stream_source(0, made->resource, 0, sizeof(Vertex9)); FAILED(result)) {
      return result;
    }
    return device_->draw_primitive(D3DPT_TRIANGLELIST, 0, count);
  });
}

HResult Direct3DDevice::color_fill(const Part& part, uint32_t color) {
  return call("ColorFill", [&](std::string* why) -> HRESULT {
    umd::Place where;
    return place(part, &where, why) ? device_->color_fill(where, color) : kInvalidCall;
  });
}

HResult Direct3DDevice::blt(const Part& from, const Part& to) {
  return call("Blt", [&](std::string* why) -> HRESULT {
    umd::Place source, destination;
    bool possible = place(from, &source, why) && place(to, &destination, why);
    return possible ? device_->blt(source, destination) : kInvalidCall;
  });
}

HResult Direct3DDevice::flush() {
  return call("Flush", [&](std::string*) { return device_->flush(); });
}

bool Direct3DDevice::fail_callback(const std::string& name, uint32_t nth, HResult result) {
  for (int i = 0; i < static_cast<int>(umd::Callback::None); ++i) {
    auto callback = static_cast<umd::Callback>(i);
    if (name != umd::name_of(callback)) continue;
    call("fail_callback", [&](std::string*) -> HRESULT {
      device_->fail_callback({callback, nth, result});
      return S_OK;
    });
    return true;
  }
  refuse(fmt::format("there is no callback {}", name));
  return false;
}

// --- The end ---

HResult Direct3DDevice::destroy() {
  return call("DestroyDevice", [&](std::string*) { return destroy_here(); });
}

HResult Direct3DDevice::destroy_here() {
  if (!device_) return kOk;
  resources_.clear();
  if (vertex_declaration_) device_->delete_vertex_declaration(std::exchange(vertex_declaration_, nullptr));
  HRESULT result = device_->destroy();
  device_.reset();
  return result;
}

void Direct3DDevice::abandon() { static_cast<void>(device_.release()); }

}  // namespace drydock::internal
