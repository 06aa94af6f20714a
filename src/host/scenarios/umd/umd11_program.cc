#include "host/scenarios/umd/umd11_program.h"

#include <cstring>

namespace host {
namespace {

constexpr DXGI_FORMAT kFormat = DXGI_FORMAT_B8G8R8A8_UNORM;

uint32_t pattern_pixel(uint32_t pattern, size_t i) { return pattern ^ static_cast<uint32_t>(i * 0x01010101u); }

float channel(uint32_t color, int shift) { return static_cast<float>((color >> shift) & 0xFF) / 255.0f; }

D3D10_DDI_BOX box(const RECT& rect) { return {rect.left, rect.top, 0, rect.right, rect.bottom, 1}; }

}  // namespace

// --- The program ---

Umd11Program::~Umd11Program() { end(); }

bool Umd11Program::open() {
  if (!expect(open_kernel_adapter())) return false;
  auto opened = umd::Adapter10::open(environment().runtime(), client(), kernel_adapter());
  if (!opened.ok()) {
    refused(opened.error());
    return false;
  }
  driver_ = opened.take();
  return open_device();
}

bool Umd11Program::open_device() {
  auto device = driver_->create_device();
  if (!device.ok()) {
    refused(device.error());
    return false;
  }
  device_ = device.take();
  return true;
}

void Umd11Program::close_device() {
  if (device_) succeeds(device_->destroy());
  device_.reset();
}

void Umd11Program::end() {
  close_device();
  driver_.reset();
  end_process();
}

// --- A texture's life ---

Umd11Texture::Umd11Texture(Umd11Program& program, Kind kind, UINT width, UINT height)
    : program_(program), kind_(kind), width_(width), height_(height), pixels_(size_t{width} * height) {}

umd::ResourceDesc10 Umd11Texture::desc() const {
  using Desc = umd::ResourceDesc10;
  switch (kind_) {
    case Kind::Target:
      return Desc::render_target(width_, height_, kFormat);
    case Kind::SharedTarget:
      return Desc::render_target(width_, height_, kFormat).shared();
    case Kind::Sampled:
      return Desc::texture(width_, height_, kFormat);
    case Kind::Dynamic:
      return Desc::texture(width_, height_, kFormat).dynamic();
    case Kind::Staging:
      return Desc::staging(width_, height_, kFormat);
  }
  CHECK(false);
}

bool Umd11Texture::make_view() {
  if (kind_ != Kind::Target && kind_ != Kind::SharedTarget) return true;
  if (program_.succeeds(program_.device().create_render_target_view(resource_, &view_))) return true;
  destroy();
  return false;
}

std::unique_ptr<Umd11Texture> Umd11Texture::make(Umd11Program& program, Kind kind, UINT width, UINT height) {
  auto made = std::unique_ptr<Umd11Texture>(new Umd11Texture(program, kind, width, height));
  if (!program.succeeds(program.device().create_resource(made->desc(), &made->resource_))) return nullptr;
  return made->make_view() ? std::move(made) : nullptr;
}

std::unique_ptr<Umd11Texture> Umd11Texture::make_filled(Umd11Program& program, Kind kind, UINT width, UINT height,
                                                        uint32_t pattern) {
  auto made = std::unique_ptr<Umd11Texture>(new Umd11Texture(program, kind, width, height));
  for (size_t i = 0; i < made->pixels_.size(); ++i) made->pixels_[i] = pattern_pixel(pattern, i);
  auto desc = made->desc().with(made->pixels_.data(), width * 4, width * height * 4);
  if (!program.succeeds(program.device().create_resource(desc, &made->resource_))) return nullptr;
  made->known_ = true;
  return made->make_view() ? std::move(made) : nullptr;
}

std::unique_ptr<Umd11Texture> Umd11Texture::open(Umd11Program& program, const Umd11Texture& shared) {
  auto opened = std::unique_ptr<Umd11Texture>(new Umd11Texture(program, shared.kind_, shared.width_, shared.height_));
  opened->take_over(shared);
  D3DKMT_HANDLE share = shared.resource_->global_share;
  if (!program.succeeds(program.device().open_resource(share, &opened->resource_, shared.desc()))) return nullptr;
  return opened->make_view() ? std::move(opened) : nullptr;
}

HRESULT Umd11Texture::destroy() {
  view_ = nullptr;
  HRESULT result = program_.device().destroy_resource(std::exchange(resource_, nullptr));
  program_.succeeds(result);
  return result;
}

void Umd11Texture::take_over(const Umd11Texture& other) {
  pixels_ = other.pixels_;
  known_ = other.known_;
}

// --- Writing ---

bool Umd11Texture::did(HRESULT result, base::Here where) {
  if (program_.succeeds(result, where)) return true;
  known_ = false;
  return false;
}

bool Umd11Texture::clear(uint32_t color) {
  const FLOAT channels[4] = {channel(color, 16), channel(color, 8), channel(color, 0), channel(color, 24)};
  if (!did(program_.device().clear_render_target(view_, channels))) return false;
  pixels_.assign(pixels_.size(), color);
  known_ = true;
  return true;
}

bool Umd11Texture::update(const RECT& rect, uint32_t pattern) {
  LONG width = rect.right - rect.left, height = rect.bottom - rect.top;
  std::vector<uint32_t> data(static_cast<size_t>(width) * static_cast<size_t>(height));
  for (size_t i = 0; i < data.size(); ++i) data[i] = pattern_pixel(pattern, i);
  UINT pitch = static_cast<UINT>(width) * 4;
  D3D10_DDI_BOX where = box(rect);
  HRESULT result =
      program_.device().update_subresource(resource_, 0, &where, data.data(), pitch, pitch * static_cast<UINT>(height));
  if (!did(result)) return false;
  for (LONG y = 0; y < height; ++y)
    std::memcpy(at(rect.left, rect.top + y), &data[static_cast<size_t>(y * width)], pitch);
  return true;
}

bool Umd11Texture::copy(Umd11Texture& from) {
  if (!did(program_.device().copy_resource(resource_, from.resource_))) return false;
  take_over(from);
  return true;
}

bool Umd11Texture::copy(LONG left, LONG top, Umd11Texture& from, const RECT& rect) {
  D3D10_DDI_BOX where = box(rect);
  HRESULT result = program_.device().copy_subresource_region(resource_, 0, static_cast<UINT>(left),
                                                             static_cast<UINT>(top), 0, from.resource_, 0, &where);
  if (!did(result)) return false;
  for (LONG y = rect.top; y < rect.bottom; ++y) {
    std::memcpy(at(left, top + y - rect.top), from.at(rect.left, y), static_cast<size_t>(rect.right - rect.left) * 4);
  }
  known_ &= from.known_;
  return true;
}

bool Umd11Texture::present(Umd11Texture& from) {
  umd::DxgiPresent what{.source = from.resource_, .destination = resource_};
  what.flags.Blt = 1;
  if (!did(program_.device().dxgi().present(what))) return false;
  take_over(from);
  return true;
}

bool Umd11Texture::write(uint32_t pattern) {
  umd::Device10& device = program_.device();
  D3D10DDI_MAPPED_SUBRESOURCE mapped{};
  D3D10_DDI_MAP how = kind_ == Kind::Dynamic ? D3D10_DDI_MAP_WRITE_DISCARD : D3D10_DDI_MAP_WRITE;
  if (!did(device.map(resource_, 0, how, 0, &mapped))) return false;
  for (size_t i = 0; i < pixels_.size(); ++i) pixels_[i] = pattern_pixel(pattern, i);
  for (UINT y = 0; y < height_; ++y) {
    std::memcpy(static_cast<uint8_t*>(mapped.pData) + size_t{y} * mapped.RowPitch, at(0, static_cast<LONG>(y)),
                size_t{width_} * 4);
  }
  known_ = true;
  return did(device.unmap(resource_, 0));
}

// --- Comparing ---

bool Umd11Texture::check(Umd11Texture& staging) {
  if (kind_ != Kind::Staging) return staging.copy(*this) && staging.check(staging);
  umd::Device10& device = program_.device();
  D3D10DDI_MAPPED_SUBRESOURCE mapped{};
  if (!program_.succeeds(device.map(resource_, 0, D3D10_DDI_MAP_READ, 0, &mapped))) return false;
  for (UINT y = 0; y < height_ && known_ && program_.reliable(); ++y) {
    bool same = std::memcmp(static_cast<const uint8_t*>(mapped.pData) + size_t{y} * mapped.RowPitch,
                            at(0, static_cast<LONG>(y)), size_t{width_} * 4) == 0;
    CHECK_MSG(same, "a texture does not hold what was written to it");
  }
  return program_.succeeds(device.unmap(resource_, 0));
}

}  // namespace host
