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

HResult Direct3DDevice::call(const char* function, const std::function<Answer()>& what) {
  Answer answer = std::string("the device was destroyed");
  Status reached = client_->run([&](host::Graphics&, kmt::Client&) {
    if (device_) answer = what();
  });
  if (reached < 0) return kDeviceRemoved;
  if (!answer.ok()) return client_->refuse(kInvalidCall, fmt::format("{}: {}", function, answer.error()));
  HRESULT result = answer.value();
  if (result >= 0) return result;
  return client_->refuse(
      result, fmt::format("{}: {} (0x{:08X})", function, umd::name_of(result), static_cast<uint32_t>(result)));
}

base::Expected<const Direct3DDevice::Made*, std::string> Direct3DDevice::find(Id id) const {
  auto found = resources_.find(id);
  if (found != resources_.end()) return &found->second;
  return std::string(id ? "the resource was destroyed" : "the resource was never made");
}

base::Expected<const Direct3DDevice::Made*, std::string> Direct3DDevice::find(Id id, uint32_t surface) const {
  auto made = find(id);
  if (!made.ok() || surface < made.value()->options.surfaces) return made;
  return fmt::format("there is no surface {}: the resource has {}", surface, made.value()->options.surfaces);
}

Direct3DDevice::Shape Direct3DDevice::shape_of(const ResourceOptions9& options, uint32_t surface) {
  if (options.kind == Kind9::VertexBuffer) return {options.width, 1};
  uint32_t level = options.kind == Kind9::Texture ? surface : 0;
  return {std::max(options.width >> level, 1u) * pixel_bytes(options.format), std::max(options.height >> level, 1u)};
}

base::Expected<umd::Place, std::string> Direct3DDevice::place(const Part& part) const {
  auto found = find(part.resource, part.surface);
  if (!found.ok()) return found.error();
  const Made* made = found.value();
  if (made->options.kind == Kind9::VertexBuffer) return std::string("a vertex buffer has no pixels");
  Shape shape = shape_of(made->options, part.surface);
  auto width = static_cast<LONG>(shape.row_bytes / pixel_bytes(made->options.format));
  auto height = static_cast<LONG>(shape.rows);
  Rect rect = part.rect ? *part.rect : Rect{0, 0, width, height};
  if (rect.left < 0 || rect.top < 0 || rect.left >= rect.right || rect.top >= rect.bottom || rect.right > width ||
      rect.bottom > height) {
    return fmt::format("the rectangle is empty, or not within the surface's {} x {} pixels", width, height);
  }
  return umd::Place{made->resource, part.surface, {rect.left, rect.top, rect.right, rect.bottom}};
}

// --- Resources ---

HResult Direct3DDevice::create(const ResourceOptions9& options, Id* id, Handle* global_share) {
  return call("CreateResource", [&]() -> Answer {
    if (const char* wrong = impossible(options)) return std::string(wrong);
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
  return call("OpenResource", [&]() -> Answer {
    if (const char* wrong = impossible(options)) return std::string(wrong);
    umd::Resource* resource = nullptr;
    HRESULT result = device_->open_resource(global_share, &resource);
    if (FAILED(result)) return result;
    *id = ++last_id_;
    resources_[*id] = {resource, options};
    return result;
  });
}

HResult Direct3DDevice::destroy(Id resource) {
  return call("DestroyResource", [&]() -> Answer {
    auto made = find(resource);
    if (!made.ok()) return made.error();
    umd::Resource* gone = made.value()->resource;
    resources_.erase(resource);
    return device_->destroy_resource(gone);
  });
}

HResult Direct3DDevice::write(Id resource, uint32_t surface, const std::vector<uint8_t>& bytes) {
  return call("Lock", [&]() -> Answer {
    auto found = find(resource, surface);
    if (!found.ok()) return found.error();
    const Made* made = found.value();
    Shape shape = shape_of(made->options, surface);
    if (bytes.size() != size_t{shape.row_bytes} * shape.rows) {
      return fmt::format("the surface has {} rows of {} bytes, and {} bytes were given", shape.rows, shape.row_bytes,
                         bytes.size());
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
  return call("Lock", [&]() -> Answer {
    auto found = find(resource, surface);
    if (!found.ok()) return found.error();
    const Made* made = found.value();
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
  return call("SetRenderTarget", [&]() -> Answer {
    auto found = find(resource, surface);
    if (!found.ok()) return found.error();
    const Made* made = found.value();
    if (made->options.kind != Kind9::RenderTarget) return std::string("the resource is no render target");
    HRESULT result = device_->set_render_target(0, made->resource, surface);
    if (FAILED(result)) return result;
    target_ = resource;
    target_surface_ = surface;
    return device_->set_viewport(0, 0, made->options.width, made->options.height);
  });
}

HResult Direct3DDevice::clear(uint32_t color) {
  return call("Clear", [&]() -> Answer {
    if (!find(target_, target_surface_).ok()) return std::string("there is no render target");
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
  return call("DrawPrimitive", [&]() -> Answer {
    auto found = find(vertices);
    if (!found.ok()) return found.error();
    const Made* made = found.value();
    if (!find(target_, target_surface_).ok()) return std::string("there is no render target");
    if (count == 0 || made->options.kind != Kind9::VertexBuffer ||
        uint64_t{count} * 3 * sizeof(Vertex9) > made->options.width) {
      return fmt::format("the vertices of {} triangles are {} bytes of a vertex buffer", count,
                         uint64_t{count} * 3 * sizeof(Vertex9));
    }
    if (HRESULT result = prepare_to_draw(); FAILED(result)) return result;
    if (HRESULT result = device_->set_stream_source(0, made->resource, 0, sizeof(Vertex9)); FAILED(result)) {
      return result;
    }
    return device_->draw_primitive(D3DPT_TRIANGLELIST, 0, count);
  });
}

HResult Direct3DDevice::color_fill(const Part& part, uint32_t color) {
  return call("ColorFill", [&]() -> Answer {
    auto where = place(part);
    if (!where.ok()) return where.error();
    return device_->color_fill(where.value(), color);
  });
}

HResult Direct3DDevice::blt(const Part& from, const Part& to) {
  return call("Blt", [&]() -> Answer {
    auto source = place(from), destination = place(to);
    if (!source.ok()) return source.error();
    if (!destination.ok()) return destination.error();
    return device_->blt(source.value(), destination.value());
  });
}

HResult Direct3DDevice::flush() {
  return call("Flush", [&] { return device_->flush(); });
}

bool Direct3DDevice::fail_callback(const std::string& name, uint32_t nth, HResult result) {
  for (int i = 0; i < static_cast<int>(umd::Callback::None); ++i) {
    auto callback = static_cast<umd::Callback>(i);
    if (name != umd::name_of(callback)) continue;
    call("fail_callback", [&]() -> Answer {
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
  return call("DestroyDevice", [&] { return destroy_here(); });
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
