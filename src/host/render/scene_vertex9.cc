#include "host/render/scene_vertex9.h"

#include <cstring>

namespace host {

VertexLayout9::VertexLayout9(const Mesh& mesh) {
  add(D3DDECLUSAGE_POSITION, D3DDECLTYPE_FLOAT3, sizeof(Vector3));
  const bool has[] = {!mesh.normals.empty(), !mesh.colors.empty(), !mesh.texcoords.empty()};
  if (has[0]) add(D3DDECLUSAGE_NORMAL, D3DDECLTYPE_FLOAT3, sizeof(Vector3));
  if (has[1]) add(D3DDECLUSAGE_COLOR, D3DDECLTYPE_D3DCOLOR, sizeof(uint32_t));
  if (has[2]) add(D3DDECLUSAGE_TEXCOORD, D3DDECLTYPE_FLOAT2, sizeof(Vector2));
  for (uint32_t i = 0; i < 3; ++i) kind_ |= uint32_t{has[i]} << i;
}

void VertexLayout9::add(D3DDECLUSAGE usage, D3DDECLTYPE type, uint32_t bytes) {
  D3DDDIVERTEXELEMENT element{};
  element.Offset = static_cast<USHORT>(stride_);
  element.Type = static_cast<UCHAR>(type);
  element.Method = D3DDECLMETHOD_DEFAULT;
  element.Usage = static_cast<UCHAR>(usage);
  elements_.push_back(element);
  stride_ += bytes;
}

std::vector<uint8_t> vertex_bytes(const Mesh& mesh) {
  std::vector<uint8_t> bytes(mesh.positions.size() * VertexLayout9(mesh).stride());
  uint8_t* to = bytes.data();
  auto put = [&to](const auto& value) {
    memcpy(to, &value, sizeof(value));
    to += sizeof(value);
  };
  for (size_t i = 0; i < mesh.positions.size(); ++i) {
    put(mesh.positions[i]);
    if (!mesh.normals.empty()) put(mesh.normals[i]);
    if (!mesh.colors.empty()) put(mesh.colors[i]);
    if (!mesh.texcoords.empty()) put(mesh.texcoords[i]);
  }
  return bytes;
}

}  // namespace host
