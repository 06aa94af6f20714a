// The classes of <drydock/direct3d.h>, which only hold a pointer to their implementation.
#include <utility>

#include "api/direct3d.h"
#include "api/direct3d_device.h"

namespace drydock {

// --- Resource9 ---

Resource9::Resource9(std::shared_ptr<internal::Direct3DDevice> device, ResourceOptions9 options)
    : device_(std::move(device)), options_(options) {}

HResult Resource9::write(const std::vector<std::uint8_t>& bytes, std::uint32_t surface) const {
  return device_ ? device_->write(id_, surface, bytes) : result_;
}

std::vector<std::uint8_t> Resource9::read(std::uint32_t surface) const {
  std::vector<std::uint8_t> bytes;
  if (device_) device_->read(id_, surface, &bytes);
  return bytes;
}

HResult Resource9::destroy() const { return device_ ? device_->destroy(id_) : result_; }

// --- Device9 ---

std::string Device9::why() const { return device_ ? device_->why() : why_; }

Resource9 Device9::settle(Resource9 made) const {
  if (made.result_ < 0) made.why_ = why();
  return made;
}

Resource9 Device9::create(const ResourceOptions9& options) const {
  Resource9 made(device_, options);
  made.result_ = device_ ? device_->create(options, &made.id_, &made.global_share_) : kInvalidCall;
  return settle(std::move(made));
}

Resource9 Device9::create_texture(std::uint32_t width, std::uint32_t height, Format9 format) const {
  ResourceOptions9 options;
  options.width = width;
  options.height = height;
  options.format = format;
  return create(options);
}

Resource9 Device9::create_render_target(std::uint32_t width, std::uint32_t height, Format9 format) const {
  ResourceOptions9 options;
  options.kind = Kind9::RenderTarget;
  options.width = width;
  options.height = height;
  options.format = format;
  return create(options);
}

Resource9 Device9::create_vertex_buffer(std::uint32_t bytes) const {
  ResourceOptions9 options;
  options.kind = Kind9::VertexBuffer;
  options.width = bytes;
  return create(options);
}

Resource9 Device9::open(const Resource9& shared) const { return open(shared.global_share(), shared.options()); }

Resource9 Device9::open(Handle global_share, const ResourceOptions9& created_as) const {
  Resource9 made(device_, created_as);
  made.global_share_ = global_share;
  made.result_ = device_ ? device_->open(global_share, created_as, &made.id_) : kInvalidCall;
  return settle(std::move(made));
}

bool Device9::has(const Resource9& resource) const {
  if (!device_) return false;
  if (resource.device_ == device_) return true;
  device_->refuse("the resource is another device's");
  return false;
}

HResult Device9::set_render_target(const Resource9& target, std::uint32_t surface) const {
  return has(target) ? device_->set_render_target(target.id_, surface) : kInvalidCall;
}

HResult Device9::clear(std::uint32_t color) const { return device_ ? device_->clear(color) : kInvalidCall; }

HResult Device9::draw_triangles(const Resource9& vertices, std::uint32_t count) const {
  return has(vertices) ? device_->draw_triangles(vertices.id_, count) : kInvalidCall;
}

HResult Device9::color_fill(const Resource9& target, std::uint32_t color) const {
  return has(target) ? device_->color_fill({target.id_}, color) : kInvalidCall;
}

HResult Device9::color_fill(const Resource9& target, std::uint32_t color, const Rect& rect) const {
  return has(target) ? device_->color_fill({target.id_, 0, &rect}, color) : kInvalidCall;
}

HResult Device9::blt(const Resource9& from, const Resource9& to) const {
  return has(from) && has(to) ? device_->blt({from.id_}, {to.id_}) : kInvalidCall;
}

HResult Device9::flush() const { return device_ ? device_->flush() : kInvalidCall; }

bool Device9::fail_callback(const std::string& name, std::uint32_t nth, HResult result) const {
  return device_ && device_->fail_callback(name, nth, result);
}

HResult Device9::destroy() const { return device_ ? device_->destroy() : kInvalidCall; }

// --- Direct3D9 ---

Direct3D9 Process::direct3d9() const {
  auto adapter = std::make_shared<internal::Direct3D>(client_);
  Direct3D9 out;
  if (adapter->open()) {
    out.version_ = adapter->version();
    out.adapter_ = std::move(adapter);
  } else {
    out.why_ = client_->why();
  }
  return out;
}

Device9 Direct3D9::create_device() const {
  Device9 out;
  if (adapter_) out.device_ = adapter_->create_device();
  if (!out.device_) out.why_ = adapter_ ? adapter_->client().why() : why_;
  return out;
}

void Direct3D9::close() const {
  if (adapter_) adapter_->close();
}

}  // namespace drydock
