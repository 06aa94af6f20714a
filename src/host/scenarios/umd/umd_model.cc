#include "host/scenarios/umd/umd_model.h"

#include <algorithm>
#include <cstring>

namespace host {
namespace {

// Of the formats that scenarios use.
UINT pixel_bytes(const umd::ResourceDesc& desc) {
  if (desc.flags.VertexBuffer || desc.flags.IndexBuffer) return 1;
  switch (desc.format) {
    case D3DDDIFMT_A8:
    case D3DDDIFMT_L8:
      return 1;
    case D3DDDIFMT_R5G6B5:
      return 2;
    default:
      return 4;
  }
}

uint8_t pattern_byte(uint32_t pattern, size_t i) {
  return static_cast<uint8_t>(pattern >> (8 * (i % 4))) ^ static_cast<uint8_t>(i / 61);
}

}  // namespace

// --- Life ---

UmdResource::UmdResource(UmdProcess& process, umd::Device9& device, umd::ResourceDesc desc)
    : process_(process), device_(device), desc_(std::move(desc)) {
  for (const D3DDDI_SURFACEINFO& info : desc_.surfaces) {
    UINT row_bytes = info.Width * pixel_bytes(desc_);
    contents_.push_back({info.Height, row_bytes, false, std::vector<uint8_t>(size_t{info.Height} * row_bytes)});
  }
}

std::unique_ptr<UmdResource> UmdResource::make(UmdProcess& process, umd::Device9& device, umd::ResourceDesc desc) {
  auto made = std::unique_ptr<UmdResource>(new UmdResource(process, device, std::move(desc)));
  if (made->desc_.pool == D3DDDIPOOL_SYSTEMMEM) {
    made->system_memory_.resize(made->contents_[0].bytes.size());
    made->desc_.surfaces[0].pSysMem = made->system_memory_.data();
    made->desc_.surfaces[0].SysMemPitch = made->contents_[0].row_bytes;
  }
  return process.succeeds(device.create_resource(made->desc_, &made->resource_)) ? std::move(made) : nullptr;
}

std::unique_ptr<UmdResource> UmdResource::open(UmdProcess& process, umd::Device9& device, const UmdResource& shared) {
  auto opened = std::unique_ptr<UmdResource>(new UmdResource(process, device, shared.desc_));
  opened->contents_ = shared.contents_;
  D3DKMT_HANDLE share = shared.resource_->global_share;
  return process.succeeds(device.open_resource(share, &opened->resource_)) ? std::move(opened) : nullptr;
}

HRESULT UmdResource::destroy() {
  HRESULT result = device_.destroy_resource(std::exchange(resource_, nullptr));
  process_.succeeds(result);
  return result;
}

// --- What it is ---

RECT UmdResource::whole(UINT surface) const {
  const D3DDDI_SURFACEINFO& info = desc_.surfaces[surface];
  return {0, 0, static_cast<LONG>(info.Width), static_cast<LONG>(info.Height)};
}

bool UmdResource::has_colors() const {
  return desc_.format == D3DDDIFMT_A8R8G8B8 || desc_.format == D3DDDIFMT_X8R8G8B8;
}

uint8_t* UmdResource::at(UINT surface, LONG x, LONG y) {
  Surface& rows = contents_[surface];
  return rows.bytes.data() + static_cast<size_t>(y) * rows.row_bytes + static_cast<size_t>(x) * pixel_bytes(desc_);
}

void UmdResource::forget_contents() {
  for (Surface& surface : contents_) surface.known = false;
}

// --- Writing ---

bool UmdResource::did(Surface& surface, HRESULT result, base::Here where) {
  if (process_.succeeds(result, where)) return true;
  surface.known = false;
  return false;
}

bool UmdResource::write(UINT surface, uint32_t pattern, D3DDDI_LOCKFLAGS flags) {
  std::vector<uint8_t> bytes(contents_[surface].bytes.size());
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = pattern_byte(pattern, i);
  return write(surface, bytes.data(), bytes.size(), flags);
}

bool UmdResource::write(UINT surface, const void* bytes, size_t count, D3DDDI_LOCKFLAGS flags) {
  Surface& to = contents_[surface];
  umd::Mapped mapped;
  HRESULT result = device_.lock(resource_, surface, flags, &mapped);
  if (flags.DoNotWait && result == D3DDDIERR_WASSTILLDRAWING) return false;
  if (!did(to, result)) return false;
  to.known = count == to.bytes.size() || (to.known && !flags.Discard);
  std::memcpy(to.bytes.data(), bytes, count);
  for (UINT row = 0; row < to.rows && row * size_t{to.row_bytes} < count; ++row) {
    size_t begin = row * size_t{to.row_bytes};
    std::memcpy(static_cast<uint8_t*>(mapped.data) + size_t{row} * mapped.pitch, to.bytes.data() + begin,
                std::min<size_t>(to.row_bytes, count - begin));
  }
  return did(to, device_.unlock(resource_, surface));
}

void UmdResource::painted(UINT surface, const RECT& rect, uint32_t color, HRESULT result) {
  Surface& to = contents_[surface];
  if (!did(to, result)) return;
  for (LONG y = rect.top; y < rect.bottom; ++y) {
    for (LONG x = rect.left; x < rect.right; ++x) std::memcpy(at(surface, x, y), &color, sizeof(color));
  }
  RECT all = whole(surface);
  to.known |= rect.left == 0 && rect.top == 0 && rect.right == all.right && rect.bottom == all.bottom;
}

bool UmdResource::fill(UINT surface, const RECT& rect, uint32_t color) {
  HRESULT result = device_.color_fill({resource_, surface, rect}, color);
  painted(surface, rect, color, result);
  return SUCCEEDED(result);
}

// All of it: what is cut off by a viewport would stay.
bool UmdResource::clear(UINT surface, uint32_t color) {
  RECT all = whole(surface);
  HRESULT result = device_.set_render_target(0, resource_, surface);
  if (SUCCEEDED(result)) {
    result = device_.set_viewport(0, 0, static_cast<UINT>(all.right), static_cast<UINT>(all.bottom));
  }
  if (SUCCEEDED(result)) result = device_.clear(D3DCLEAR_TARGET, color, 1);
  painted(surface, all, color, result);
  return SUCCEEDED(result);
}

bool UmdResource::copy(UINT surface, LONG left, LONG top, UmdResource& from, UINT from_surface, const RECT& rect) {
  LONG width = rect.right - rect.left, height = rect.bottom - rect.top;
  Surface& to = contents_[surface];
  HRESULT result =
      device_.blt({from.resource_, from_surface, rect}, {resource_, surface, {left, top, left + width, top + height}});
  if (!did(to, result)) return false;
  for (LONG y = 0; y < height; ++y) {
    std::memcpy(at(surface, left, top + y), from.at(from_surface, rect.left, rect.top + y),
                static_cast<size_t>(width) * pixel_bytes(desc_));
  }
  to.known &= from.contents_[from_surface].known;
  return true;
}

bool UmdResource::present(UmdResource& from) {
  if (!did(contents_[0], device_.present(from.resource_, resource_))) return false;
  contents_[0].bytes = from.contents_[0].bytes;
  contents_[0].known = from.contents_[0].known;
  return true;
}

// --- Comparing ---

void UmdResource::compare(const Surface& surface, const umd::Mapped& mapped) const {
  for (UINT row = 0; row < surface.rows; ++row) {
    bool same = std::memcmp(static_cast<const uint8_t*>(mapped.data) + size_t{row} * mapped.pitch,
                            surface.bytes.data() + size_t{row} * surface.row_bytes, surface.row_bytes) == 0;
    CHECK_MSG(same, "a surface does not hold what was written to it");
  }
}

bool UmdResource::check(UINT surface) {
  Surface& seen = contents_[surface];
  D3DDDI_LOCKFLAGS flags{};
  flags.ReadOnly = 1;
  umd::Mapped mapped;
  if (!process_.succeeds(device_.lock(resource_, surface, flags, &mapped))) return false;
  if (seen.known && process_.reliable()) compare(seen, mapped);
  return process_.succeeds(device_.unlock(resource_, surface));
}

void UmdResource::check_all() {
  for (UINT i = 0; i < surfaces() && can_be_locked(); ++i) check(i);
}

// --- By chance ---

umd::ResourceDesc any_resource(UmdEnvironment& environment) {
  UINT width = 1 + environment.choose(64), height = 1 + environment.choose(64);
  auto listed = [&](D3DDDIFORMAT format) { return environment.has_format(format) ? format : D3DDDIFMT_A8R8G8B8; };
  D3DDDIFORMAT color = listed(environment.perhaps() ? D3DDDIFMT_A8R8G8B8 : D3DDDIFMT_X8R8G8B8);
  switch (environment.choose(9)) {
    case 0:
      return umd::ResourceDesc::texture(width, height, color);
    case 1:
      return umd::ResourceDesc::texture(64, 64, listed(D3DDDIFMT_R5G6B5), 1 + environment.choose(7));
    case 2:
      return umd::ResourceDesc::texture(width, height, listed(environment.perhaps() ? D3DDDIFMT_A8 : D3DDDIFMT_L8))
          .dynamic();
    case 3:
      return umd::ResourceDesc::render_target(width, height, color);
    case 4:
      if (!environment.has_format(D3DDDIFMT_D24X8)) return umd::ResourceDesc::render_target(width, height, color);
      return umd::ResourceDesc::depth_stencil(width, height, D3DDDIFMT_D24X8);
    case 5:
      return umd::ResourceDesc::vertex_buffer(1 + environment.choose(5000)).dynamic();
    case 6:
      return umd::ResourceDesc::index_buffer(2 * (1 + environment.choose(2000)));
    case 7:
      return umd::ResourceDesc::group(2 + environment.choose(4), width, height, color);
    default:
      return umd::ResourceDesc::system_surface(width, height, color, nullptr, 0);
  }
}

RECT any_part(ScenarioEnvironment& environment, const RECT& whole) {
  auto below = [&](LONG count) { return static_cast<LONG>(environment.choose(static_cast<uint32_t>(count))); };
  LONG left = whole.left + below(whole.right - whole.left), top = whole.top + below(whole.bottom - whole.top);
  return {left, top, left + 1 + below(whole.right - left), top + 1 + below(whole.bottom - top)};
}

}  // namespace host
