#include "host/render/scene_vertex9.h"

#include <gtest/gtest.h>

#include <cstring>

namespace host {
namespace {

template <typename T>
T at(const std::vector<uint8_t>& bytes, size_t offset) {
  T value;
  memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

Mesh two_vertices() {
  Mesh mesh;
  mesh.positions = {{1, 2, 3}, {4, 5, 6}};
  return mesh;
}

TEST(VertexLayout9, PositionsAlone) {
  VertexLayout9 layout(two_vertices());
  EXPECT_EQ(layout.kind(), 0u);
  EXPECT_EQ(layout.stride(), 12u);
  ASSERT_EQ(layout.elements().size(), 1u);
  EXPECT_EQ(layout.elements()[0].Usage, D3DDECLUSAGE_POSITION);
  EXPECT_EQ(at<float>(vertex_bytes(two_vertices()), 12 + 4), 5);
}

TEST(VertexLayout9, EverythingInTheOrderOfItsElements) {
  Mesh mesh = two_vertices();
  mesh.normals = {{0, 0, 1}, {0, 1, 0}};
  mesh.colors = {0x11223344, 0x55667788};
  mesh.texcoords = {{0.25f, 0.5f}, {0.75f, 1}};
  VertexLayout9 layout(mesh);
  EXPECT_EQ(layout.kind(), 7u);
  EXPECT_EQ(layout.stride(), 36u);
  std::vector<uint8_t> bytes = vertex_bytes(mesh);
  ASSERT_EQ(bytes.size(), 72u);
  for (const D3DDDIVERTEXELEMENT& element : layout.elements()) {
    size_t second = 36 + element.Offset;
    switch (element.Usage) {
      case D3DDECLUSAGE_POSITION:
        EXPECT_EQ(at<Vector3>(bytes, second).x, 4);
        break;
      case D3DDECLUSAGE_NORMAL:
        EXPECT_EQ(at<Vector3>(bytes, second).y, 1);
        break;
      case D3DDECLUSAGE_COLOR:
        EXPECT_EQ(element.Type, D3DDECLTYPE_D3DCOLOR);
        EXPECT_EQ(at<uint32_t>(bytes, second), 0x55667788u);
        break;
      case D3DDECLUSAGE_TEXCOORD:
        EXPECT_EQ(element.Type, D3DDECLTYPE_FLOAT2);
        EXPECT_EQ(at<Vector2>(bytes, second).x, 0.75f);
        break;
      default:
        FAIL() << int{element.Usage};
    }
  }
}

TEST(VertexLayout9, KindsDifferWhereElementsDo) {
  Mesh colored = two_vertices(), textured = two_vertices();
  colored.colors = {1, 2};
  textured.texcoords = {{0, 0}, {1, 1}};
  EXPECT_NE(VertexLayout9(colored).kind(), VertexLayout9(textured).kind());
}

}  // namespace
}  // namespace host
