// How fast the rasteriser is, in pixels and in triangles.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "softgpu/hw/aperture.h"
#include "softgpu/hw/renderer.h"
#include "softgpu/hw/testing/fake_host.h"
#include "softgpu/hw/testing/packets.h"
#include "softgpu/proto/softgpu_build.h"

namespace softgpu {
namespace {

struct ScreenVertex {
  float x, y, z, inverse_w;
  uint32_t color;
  float u, v;
};

// A renderer with its memory, and a draw over the whole of a target.
class Bench {
 public:
  static constexpr uint32_t kSize = 512;
  static constexpr uint64_t kTarget = 0, kDepth = 0x20'0000, kTexture = 0x40'0000, kVertices = 0x60'0000;

  SOFTGPU_DRAW draw = softgpu_draw({kSize, kSize, kSize * 4, SOFTGPU_FORMAT_A8R8G8B8});
  uint32_t flags = SOFTGPU_DRAW_TARGET;

  Bench() {
    draw.target = local(kTarget);
    draw.vertices = local(kVertices);
    draw.position_kind = SOFTGPU_POSITION_SCREEN;
    draw.stride = sizeof(ScreenVertex);
    draw.diffuse_offset = 16;
    draw.texcoord_offset = 20;
  }
  void use_depth() {
    std::vector<float> far(kSize * kSize, 1.0f);
    local_.write(kDepth, far.data(), far.size() * 4);
    draw.depth = local(kDepth);
    draw.depth_pitch = kSize * 4;
    flags |= SOFTGPU_DRAW_DEPTH | SOFTGPU_DRAW_DEPTH_WRITE;
  }
  void use_texture(uint32_t filter) {
    std::vector<uint32_t> texels(256 * 256, 0xFF808080);
    local_.write(kTexture, texels.data(), texels.size() * 4);
    draw.texture = local(kTexture);
    draw.texture_surface = {256, 256, 1024, SOFTGPU_FORMAT_A8R8G8B8};
    flags |= SOFTGPU_DRAW_TEXTURE | filter;
  }
  void use_blend() {
    draw.blend_source = draw.blend_source_alpha = SOFTGPU_BLEND_SRC_ALPHA;
    draw.blend_destination = draw.blend_destination_alpha = SOFTGPU_BLEND_INV_SRC_ALPHA;
    flags |= SOFTGPU_DRAW_BLEND;
  }
  void put(const std::vector<ScreenVertex>& vertices) {
    local_.write(kVertices, vertices.data(), vertices.size() * sizeof(ScreenVertex));
    draw.count = draw.vertex_count = static_cast<uint32_t>(vertices.size());
  }
  // Of squares with a side of `size`, two triangles each.
  void put_squares(float size, uint32_t other_color, float other_w) {
    std::vector<ScreenVertex> vertices;
    for (float y = 0; y < kSize; y += size) {
      for (float x = 0; x < kSize; x += size) {
        ScreenVertex a{x, y, 0.5f, 1, 0xFF204060, 0, 0}, b{x + size, y, 0.5f, other_w, other_color, 1, 0},
            c{x, y + size, 0.5f, 1, 0xFF204060, 0, 1}, d{x + size, y + size, 0.5f, other_w, other_color, 1, 1};
        for (const ScreenVertex& vertex : {a, b, c, c, b, d}) vertices.push_back(vertex);
      }
    }
    put(vertices);
  }
  void run(benchmark::State& state) {
    draw.header = softgpu_header(SOFTGPU_CMD_DRAW, 0, sizeof(draw), flags);
    for (auto _ : state) {
      if (renderer_.run(draw, View{})) state.SkipWithError("fault");
    }
    auto times = static_cast<double>(state.iterations());
    state.counters["pixels"] = benchmark::Counter(times * kSize * kSize, benchmark::Counter::kIsRate);
    state.counters["triangles"] = benchmark::Counter(times * draw.count / 3, benchmark::Counter::kIsRate);
  }

 private:
  FakeHost fake_;
  Host host_{fake_.services()};
  Features features_;
  LocalMemory local_;
  PhysicalMemory physical_{local_, host_};
  Aperture aperture_{physical_, features_};
  Mmu mmu_{physical_, features_};
  Memory memory_{physical_, aperture_, mmu_};
  Renderer renderer_{memory_};
};

constexpr uint32_t kSame = 0xFF204060, kOther = 0x80FFAA00;

// The floor of a picture in one colour: its pixels written.
void BM_FillPixels(benchmark::State& state) {
  std::vector<uint32_t> pixels(Bench::kSize * Bench::kSize);
  for (auto _ : state) {
    std::fill(pixels.begin(), pixels.end(), kSame);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_FillPixels);

void BM_DrawSolid(benchmark::State& state) {
  Bench bench;
  bench.put_squares(static_cast<float>(state.range(0)), kSame, 1);
  bench.run(state);
}
BENCHMARK(BM_DrawSolid)->Arg(512)->Arg(64)->Arg(8)->Arg(2);

void BM_DrawGouraud(benchmark::State& state) {
  Bench bench;
  bench.put_squares(static_cast<float>(state.range(0)), kOther, 1);
  bench.run(state);
}
BENCHMARK(BM_DrawGouraud)->Arg(512)->Arg(8);

void BM_DrawGouraudWithDepth(benchmark::State& state) {
  Bench bench;
  bench.use_depth();
  bench.put_squares(512, kOther, 1);
  bench.run(state);
}
BENCHMARK(BM_DrawGouraudWithDepth);

void BM_DrawBlended(benchmark::State& state) {
  Bench bench;
  bench.use_blend();
  bench.put_squares(512, kOther, 1);
  bench.run(state);
}
BENCHMARK(BM_DrawBlended);

void BM_DrawTexturedNearest(benchmark::State& state) {
  Bench bench;
  bench.use_texture(0);
  bench.put_squares(512, kSame, 1);
  bench.run(state);
}
BENCHMARK(BM_DrawTexturedNearest);

// Everything a scene usually asks for.
void BM_DrawTexturedBilinearInPerspectiveWithDepth(benchmark::State& state) {
  Bench bench;
  bench.use_texture(SOFTGPU_DRAW_BILINEAR);
  bench.use_depth();
  bench.put_squares(512, kOther, 0.25f);
  bench.run(state);
}
BENCHMARK(BM_DrawTexturedBilinearInPerspectiveWithDepth);

}  // namespace
}  // namespace softgpu
