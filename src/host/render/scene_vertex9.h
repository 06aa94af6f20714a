#pragma once

#include <cstdint>
#include <vector>

#include "abi/um/d3dumddi.h"
#include "host/render/scene.h"

namespace host {

// A mesh's vertices as Direct3D 9 has them: one after the other, each with its position and what else the mesh has, in
// the order of Mesh.
class VertexLayout9 {
 public:
  explicit VertexLayout9(const Mesh& mesh);

  // Which of the three other attributes there are, in three bits.
  uint32_t kind() const { return kind_; }
  uint32_t stride() const { return stride_; }
  const std::vector<D3DDDIVERTEXELEMENT>& elements() const { return elements_; }

 private:
  void add(D3DDECLUSAGE usage, D3DDECLTYPE type, uint32_t bytes);

  uint32_t kind_ = 0;
  uint32_t stride_ = 0;
  std::vector<D3DDDIVERTEXELEMENT> elements_;
};

std::vector<uint8_t> vertex_bytes(const Mesh& mesh);

}  // namespace host
