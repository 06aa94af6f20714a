#include "host/scenarios/umd/umd_painter.h"

#include <cstddef>

namespace host {
namespace {

constexpr uint32_t kWhite = 0xFFFFFFFF;
constexpr UINT kTextureSize = 8;

struct RenderSetting {
  D3DDDIRENDERSTATETYPE state;
  UINT value;
};

// Nothing but the vertices' or the texture's colour.
constexpr RenderSetting kRenderStates[] = {
    {D3DDDIRS_ZENABLE, FALSE},           {D3DDDIRS_LIGHTING, FALSE},         {D3DDDIRS_CULLMODE, D3DCULL_NONE},
    {D3DDDIRS_SHADEMODE, D3DSHADE_FLAT}, {D3DDDIRS_ALPHABLENDENABLE, FALSE},
};

D3DMATRIX identity() {
  D3DMATRIX matrix{};
  for (int i = 0; i < 4; ++i) matrix.m[i][i] = 1;
  return matrix;
}

D3DDDI_LOCKFLAGS discard() {
  D3DDDI_LOCKFLAGS flags{};
  flags.Discard = 1;
  flags.WriteOnly = 1;
  return flags;
}

}  // namespace

// All of the viewport, as a strip.
UmdPainter::Quad UmdPainter::quad(uint32_t color) {
  return {
      {{-1, 1, 0.5f, color, 0, 0}, {1, 1, 0.5f, color, 1, 0}, {-1, -1, 0.5f, color, 0, 1}, {1, -1, 0.5f, color, 1, 1}}};
}

// --- What lasts ---

HRESULT UmdPainter::set_states() {
  for (const RenderSetting& setting : kRenderStates) {
    if (HRESULT result = device_.set_render_state(setting.state, setting.value); FAILED(result)) return result;
  }
  for (auto state : {D3DDDITSS_COLOROP, D3DDDITSS_ALPHAOP}) {
    if (HRESULT result = device_.set_texture_stage_state(0, state, D3DTOP_SELECTARG1); FAILED(result)) return result;
  }
  for (auto which : {D3DTS_VIEW, D3DTS_PROJECTION}) {
    if (HRESULT result = device_.set_transform(which, identity()); FAILED(result)) return result;
  }
  return device_.set_z_range(0, 1);
}

bool UmdPainter::begin() {
  const D3DDDIVERTEXELEMENT elements[] = {
      {0, offsetof(Vertex, x), D3DDECLTYPE_FLOAT3, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_POSITION, 0},
      {0, offsetof(Vertex, color), D3DDECLTYPE_D3DCOLOR, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_COLOR, 0},
      {0, offsetof(Vertex, u), D3DDECLTYPE_FLOAT2, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_TEXCOORD, 0},
  };
  if (!process_.succeeds(device_.create_vertex_declaration(elements, std::size(elements), &declaration_)) ||
      !process_.succeeds(device_.set_vertex_declaration(declaration_)) || !process_.succeeds(set_states())) {
    return false;
  }
  vertices_ = UmdResource::make(process_, device_, umd::ResourceDesc::vertex_buffer(sizeof(Quad)).dynamic());
  indices_ = UmdResource::make(process_, device_, umd::ResourceDesc::index_buffer(8));
  if (!vertices_ || !indices_) return false;
  const uint16_t order[] = {0, 1, 2, 3};
  return indices_->write(0, order, sizeof(order)) &&
         process_.succeeds(device_.set_indices(indices_->get(), sizeof(order[0])));
}

void UmdPainter::end() {
  if (vertices_) vertices_->destroy();
  if (indices_) indices_->destroy();
  vertices_.reset();
  indices_.reset();
  if (!declaration_) return;
  process_.succeeds(device_.set_vertex_declaration(nullptr));
  process_.succeeds(device_.delete_vertex_declaration(std::exchange(declaration_, nullptr)));
}

// --- One rectangle ---

HRESULT UmdPainter::set_target(UmdResource& target, UINT surface, const RECT& rect) {
  if (HRESULT result = device_.set_render_target(0, target.get(), surface); FAILED(result)) return result;
  return device_.set_viewport(static_cast<UINT>(rect.left), static_cast<UINT>(rect.top),
                              static_cast<UINT>(rect.right - rect.left), static_cast<UINT>(rect.bottom - rect.top));
}

HRESULT UmdPainter::color_comes_from(UINT argument) {
  for (auto state : {D3DDDITSS_COLORARG1, D3DDDITSS_ALPHAARG1}) {
    if (HRESULT result = device_.set_texture_stage_state(0, state, argument); FAILED(result)) return result;
  }
  return S_OK;
}

HRESULT UmdPainter::bind_vertices(uint32_t color, std::unique_ptr<UmdResource>& momentary) {
  Quad data = quad(color);
  UmdResource* buffer = vertices_.get();
  if (environment_.perhaps()) {
    momentary = UmdResource::make(process_, device_, umd::ResourceDesc::vertex_buffer(sizeof(data)));
    if (!momentary) return E_OUTOFMEMORY;
    buffer = momentary.get();
  }
  if (!buffer->write(0, &data, sizeof(data), momentary ? D3DDDI_LOCKFLAGS{} : discard())) return E_FAIL;
  return device_.set_stream_source(0, buffer->get(), 0, sizeof(Vertex));
}

std::unique_ptr<UmdResource> UmdPainter::make_texture(uint32_t color) {
  auto texture =
      UmdResource::make(process_, device_, umd::ResourceDesc::texture(kTextureSize, kTextureSize, D3DDDIFMT_A8R8G8B8));
  if (!texture) return nullptr;
  std::vector<uint32_t> texels(kTextureSize * kTextureSize, color);
  if (texture->write(0, texels.data(), texels.size() * sizeof(color))) return texture;
  texture->destroy();
  return nullptr;
}

HRESULT UmdPainter::bind_texture(uint32_t color, std::unique_ptr<UmdResource>& momentary) {
  momentary = make_texture(color);
  if (!momentary) return E_FAIL;
  if (HRESULT result = device_.set_texture(0, momentary->get()); FAILED(result)) return result;
  return color_comes_from(D3DTA_TEXTURE);
}

HRESULT UmdPainter::draw() {
  if (environment_.perhaps()) return device_.draw_primitive(D3DPT_TRIANGLESTRIP, 0, 2);
  return device_.draw_indexed_primitive(D3DPT_TRIANGLESTRIP, 0, 0, 4, 0, 2);
}

void UmdPainter::paint(UmdResource& target, UINT surface, const RECT& rect, uint32_t color,
                       std::vector<std::unique_ptr<UmdResource>>* kept) {
  std::unique_ptr<UmdResource> vertices, texture;
  bool textured = environment_.perhaps();
  HRESULT result = set_target(target, surface, rect);
  if (SUCCEEDED(result)) result = bind_vertices(textured ? kWhite : color, vertices);
  if (SUCCEEDED(result)) result = textured ? bind_texture(color, texture) : color_comes_from(D3DTA_DIFFUSE);
  if (SUCCEEDED(result)) result = draw();
  target.painted(surface, rect, color, result);
  for (auto* momentary : {&vertices, &texture}) {
    if (!*momentary) continue;
    if (kept) {
      kept->push_back(std::move(*momentary));
    } else {
      (*momentary)->destroy();
    }
  }
}

}  // namespace host
