#pragma once

#include <array>
#include <cstdint>

#include "softgpu/hw/fault.h"
#include "softgpu/hw/memory.h"
#include "softgpu/proto/softgpu_draw.h"

namespace softgpu {

// A vertex after transform and lighting. Its position is homogeneous on the target: x / w and y / w count pixels, whose
// centres are at halves; z / w is 0 to 1.
struct Vertex {
  bool drawable = false;  // it exists, and its position is made of numbers
  double x = 0;
  double y = 0;
  double z = 0;
  double w = 1;
  float color[4] = {};  // red, green, blue, alpha; 0 to 1
  float texcoord[2] = {};
};

// Reads, transforms and lights the vertices of one draw, each once as long as it is used again soon. Owned by the
// renderer.
class VertexFetcher {
 public:
  explicit VertexFetcher(Memory& memory) : memory_(memory) {}

  // The draw stays where it is until the next one is begun.
  void begin(const SOFTGPU_DRAW& draw, const View& view);

  // The nth of the draw, in its order, which is also that of the calls.
  [[nodiscard]] Outcome fetch(uint32_t nth, Vertex* vertex);

 private:
  static constexpr uint32_t kIndices = 512;
  static constexpr uint32_t kCached = 64;
  static constexpr int64_t kNone = -1;

  [[nodiscard]] Outcome number_of(uint32_t nth, int64_t* number);
  [[nodiscard]] Outcome read(int64_t number, Vertex* vertex);
  void transform(const float (&position)[4], Vertex* vertex) const;
  void place_on_target(const float (&position)[4], Vertex* vertex) const;
  void light(const float (&normal)[3], const float (&diffuse)[4], Vertex* vertex) const;
  void read_position(Vertex* vertex) const;
  void read_colors(Vertex* vertex) const;
  void read_diffuse(float (&color)[4]) const;
  template <typename T>
  void take(uint32_t offset, T* value) const;

  Memory& memory_;
  const SOFTGPU_DRAW* draw_ = nullptr;
  View view_;
  uint32_t used_bytes_ = 0;   // of each vertex
  double center_ = 0;         // to be added to positions
  uint32_t first_index_ = 0;  // of those in indices_
  uint32_t index_count_ = 0;
  std::array<uint8_t, kIndices * 4> indices_{};
  std::array<uint8_t, SOFTGPU_STRIDE_MAX> bytes_{};  // of one vertex
  std::array<int64_t, kCached> numbers_{};
  std::array<Vertex, kCached> cached_{};
};

}  // namespace softgpu
