// Where vertices and indices come from, and what is in them.
#include "d3d9_entry.h"

namespace softgpu {
namespace {

constexpr USHORT kEndOfDeclaration = 0xFF;

// Each reads one element; false if softgpu cannot read that type.
bool read_position(const D3DDDIVERTEXELEMENT& element, Declaration& declaration) {
  declaration.position = element.Offset;
  if (element.Usage == D3DDECLUSAGE_POSITIONT) {
    declaration.position_kind = SOFTGPU_POSITION_SCREEN;
    return element.Type == D3DDECLTYPE_FLOAT4;
  }
  switch (element.Type) {
    case D3DDECLTYPE_FLOAT2:
      declaration.position_kind = SOFTGPU_POSITION_FLOAT2;
      return true;
    case D3DDECLTYPE_FLOAT3:
      declaration.position_kind = SOFTGPU_POSITION_FLOAT3;
      return true;
    case D3DDECLTYPE_FLOAT4:
      declaration.position_kind = SOFTGPU_POSITION_FLOAT4;
      return true;
    default:
      return false;
  }
}

bool read_color(const D3DDDIVERTEXELEMENT& element, Declaration& declaration) {
  if (element.UsageIndex != 0) return true;  // specular light is not computed
  declaration.diffuse = element.Offset;
  switch (element.Type) {
    case D3DDECLTYPE_D3DCOLOR:
      declaration.diffuse_kind = SOFTGPU_COLOR_ARGB;
      return true;
    case D3DDECLTYPE_UBYTE4N:
      declaration.diffuse_kind = SOFTGPU_COLOR_ABGR;
      return true;
    case D3DDECLTYPE_FLOAT4:
      declaration.diffuse_kind = SOFTGPU_COLOR_FLOAT4;
      return true;
    default:
      return false;
  }
}

bool read_coordinate(const D3DDDIVERTEXELEMENT& element, Declaration& declaration) {
  if (element.UsageIndex >= kTextureCoordinates) return true;
  if (element.Type < D3DDECLTYPE_FLOAT2 || element.Type > D3DDECLTYPE_FLOAT4) return element.UsageIndex != 0;
  declaration.coordinates[element.UsageIndex] = element.Offset;
  return true;
}

// Elements that nothing is drawn by are ignored.
bool read_element(const D3DDDIVERTEXELEMENT& element, Declaration& declaration) {
  if (element.Method != D3DDECLMETHOD_DEFAULT) return false;
  switch (element.Usage) {
    case D3DDECLUSAGE_POSITION:
    case D3DDECLUSAGE_POSITIONT:
      return element.UsageIndex != 0 || (element.Stream == 0 && read_position(element, declaration));
    case D3DDECLUSAGE_NORMAL:
      declaration.normal = element.Offset;
      return element.Stream == 0 && element.Type == D3DDECLTYPE_FLOAT3;
    case D3DDECLUSAGE_COLOR:
      return element.Stream == 0 && read_color(element, declaration);
    case D3DDECLUSAGE_TEXCOORD:
      return element.Stream == 0 && read_coordinate(element, declaration);
    default:
      return true;
  }
}

bool read_declaration(const D3DDDIVERTEXELEMENT* elements, UINT count, Declaration& declaration) {
  declaration.position = declaration.normal = declaration.diffuse = SOFTGPU_ABSENT;
  for (uint16_t& coordinate : declaration.coordinates) coordinate = SOFTGPU_ABSENT;
  for (UINT i = 0; i < count && elements[i].Stream != kEndOfDeclaration; ++i) {
    if (!read_element(elements[i], declaration)) return false;
  }
  return declaration.position != SOFTGPU_ABSENT;
}

bool is_buffer(const Resource* resource) { return resource->format.use == FormatUse::Buffer; }

}  // namespace

// --- Declarations ---

HRESULT APIENTRY create_vertex_decl(HANDLE hDevice, D3DDDIARG_CREATEVERTEXSHADERDECL* pData,
                                    const D3DDDIVERTEXELEMENT* pVertexElements) {
  Declaration read = {};
  if (!read_declaration(pVertexElements, pData->NumVertexElements, read)) return D3DERR_NOTAVAILABLE;
  Declaration* declaration = new Declaration{};
  if (!declaration) return E_OUTOFMEMORY;
  *declaration = read;
  State& state = device_of(hDevice).state;
  declaration->next = state.declarations;
  if (state.declarations) state.declarations->previous = declaration;
  state.declarations = declaration;
  pData->ShaderHandle = declaration;
  return S_OK;
}

HRESULT APIENTRY set_vertex_decl(HANDLE hDevice, HANDLE hShaderHandle) {
  device_of(hDevice).state.declaration = static_cast<Declaration*>(hShaderHandle);
  return S_OK;
}

HRESULT APIENTRY delete_vertex_decl(HANDLE hDevice, HANDLE hShaderHandle) {
  State& state = device_of(hDevice).state;
  auto* declaration = static_cast<Declaration*>(hShaderHandle);
  if (!declaration) return E_INVALIDARG;
  if (state.declaration == declaration) state.declaration = nullptr;
  (declaration->previous ? declaration->previous->next : state.declarations) = declaration->next;
  if (declaration->next) declaration->next->previous = declaration->previous;
  delete declaration;
  return S_OK;
}

void release_declarations(State& state) {
  while (state.declarations) {
    Declaration* declaration = state.declarations;
    state.declarations = declaration->next;
    delete declaration;
  }
  state.declaration = nullptr;
}

// --- Streams ---

HRESULT APIENTRY set_stream_source(HANDLE hDevice, const D3DDDIARG_SETSTREAMSOURCE* pData) {
  Resource* buffer = resource_of(pData->hVertexBuffer);
  if (pData->Stream != 0) return buffer ? E_INVALIDARG : S_OK;
  if (buffer && !is_buffer(buffer)) return E_INVALIDARG;
  device_of(hDevice).state.vertices = {buffer, nullptr, pData->Offset, pData->Stride};
  return S_OK;
}

HRESULT APIENTRY set_stream_source_um(HANDLE hDevice, const D3DDDIARG_SETSTREAMSOURCEUM* pData, const VOID* pUMBuffer) {
  if (pData->Stream != 0) return pUMBuffer ? E_INVALIDARG : S_OK;
  device_of(hDevice).state.vertices = {nullptr, static_cast<const uint8_t*>(pUMBuffer), 0, pData->Stride};
  return S_OK;
}

// Vertices come one after the other; there are no instances.
HRESULT APIENTRY set_stream_source_freq(HANDLE, const D3DDDIARG_SETSTREAMSOURCEFREQ* pData) {
  return pData->Divider <= 1 ? S_OK : D3DERR_NOTAVAILABLE;
}

HRESULT APIENTRY set_indices(HANDLE hDevice, const D3DDDIARG_SETINDICES* pData) {
  Resource* buffer = resource_of(pData->hIndexBuffer);
  if (buffer && (!is_buffer(buffer) || (pData->Stride != 2 && pData->Stride != 4))) return E_INVALIDARG;
  device_of(hDevice).state.indices = {buffer, nullptr, 0, pData->Stride};
  return S_OK;
}

HRESULT APIENTRY set_indices_um(HANDLE hDevice, UINT IndexSize, const VOID* pUMBuffer) {
  if (IndexSize != 2 && IndexSize != 4) return E_INVALIDARG;
  device_of(hDevice).state.indices = {nullptr, static_cast<const uint8_t*>(pUMBuffer), 0, IndexSize};
  return S_OK;
}

}  // namespace softgpu
