// What a user-mode driver's work costs on a live machine, with softgpu in both modes: short lives of resources, and
// what the Direct3D runtime adds to a batch of draws.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>

#include "host/embed/embedded.h"
#include "kmt/client/thunks.h"
#include "nt/mm/pool.h"
#include "umd/d3d9/adapter9.h"

namespace host {
namespace {

using umd::Device9;
using umd::Resource;
using umd::ResourceDesc;

constexpr UINT kDraws = 1000;
constexpr UINT kTargetSize = 16;

struct Vertex {
  float x, y, z;
  uint32_t color;
};

double resident_kib() {
  uint64_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return static_cast<double>(resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE))) / 1024;
}

// `body` on the machine's thread, with a device of the driver.
void with_device(benchmark::State& state, const std::function<void(Device9&)>& body) {
  EmbeddedOptions options;
  options.driver = DRYDOCK_SOFTGPU_DIR "/softgpu.so";
  options.umd = DRYDOCK_SOFTGPU_DIR "/softgpu_umd.so";
  options.pace = nt::Pace::Live;
  auto embedded = Embedded::start(options);
  std::string error = embedded->refusal();
  if (!error.empty()) return state.SkipWithError(error.c_str());
  embedded->run([&](Graphics& graphics) {
    EmbeddedClient client(graphics.kernel(), "bench");
    D3DKMT_OPENADAPTERFROMLUID opened{};
    opened.AdapterLuid = graphics.adapter().luid();
    CHECK(kmt::OpenAdapterFromLuid(client, &opened) >= 0);
    auto adapter = umd::Adapter9::open(umd::Runtime::current(), client, opened.hAdapter);
    CHECK_MSG(adapter.ok(), adapter.error().c_str());
    auto device = adapter.value()->create_device();
    CHECK_MSG(device.ok(), device.error().c_str());
    body(*device.value());
  });
  if (!error.empty()) return state.SkipWithError(error.c_str());
  if (!embedded->findings().empty()) state.SkipWithError("the driver is not quiet");
}

Resource* make(Device9& device, const ResourceDesc& desc) {
  Resource* resource = nullptr;
  CHECK(SUCCEEDED(device.create_resource(desc, &resource)));
  return resource;
}

// --- Short lives ---

// Budget: 4 µs.
void create_destroy_texture(benchmark::State& state) {
  with_device(state, [&](Device9& device) {
    const ResourceDesc desc = ResourceDesc::texture(8, 8, D3DDDIFMT_A8R8G8B8);
    for (auto _ : state) CHECK(SUCCEEDED(device.destroy_resource(make(device, desc))));
  });
}
BENCHMARK(create_destroy_texture)->UseRealTime();

// The same, so many times: neither the cost of one nor memory grows with the number of those that were before.
void many_textures(benchmark::State& state) {
  with_device(state, [&](Device9& device) {
    const ResourceDesc desc = ResourceDesc::texture(8, 8, D3DDDIFMT_A8R8G8B8);
    const double resident = resident_kib();
    const uint64_t pool = device.machine().pool().stats().live_bytes;
    for (auto _ : state) {
      for (int64_t i = 0; i < state.range(0); ++i) CHECK(SUCCEEDED(device.destroy_resource(make(device, desc))));
    }
    const uint64_t after = device.machine().pool().stats().live_bytes;
    state.SetItemsProcessed(state.range(0));
    state.counters["each"] = benchmark::Counter(static_cast<double>(state.range(0)),
                                                benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
    state.counters["resident_KiB"] = resident_kib() - resident;
    state.counters["pool_KiB"] = (static_cast<double>(after) - static_cast<double>(pool)) / 1024;
  });
}
BENCHMARK(many_textures)
    ->Arg(1000)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// --- A batch of draws ---

// One triangle in a target of a few pixels, whatever is drawn how often.
class Scene {
 public:
  explicit Scene(Device9& device) : device_(device) {
    target_ = make(device, ResourceDesc::render_target(kTargetSize, kTargetSize, D3DDDIFMT_A8R8G8B8));
    vertices_ = make(device, ResourceDesc::vertex_buffer(sizeof(kCorners)));
    umd::Mapped mapped;
    check(device.lock(vertices_, 0, {}, &mapped));
    std::memcpy(mapped.data, kCorners, sizeof(kCorners));
    check(device.unlock(vertices_, 0));
    set_state();
  }
  ~Scene() {
    check(device_.delete_vertex_declaration(declaration_));
    check(device_.destroy_resource(vertices_));
    check(device_.destroy_resource(target_));
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  void draw_through_runtime() {
    for (UINT i = 0; i < kDraws; ++i) check(device_.draw_primitive(D3DPT_TRIANGLELIST, 0, 1));
  }
  // The same calls of the driver, with the runtime around all of them instead of each.
  void draw_past_runtime() {
    umd::Frame frame{.name = "DrawPrimitive", .role = umd::Role::Draw};
    check(device_.call(frame, &draw_all, &device_));
    device_.use(frame, {target_, vertices_});
  }
  // The picture is there.
  void finish() {
    D3DDDI_LOCKFLAGS flags{};
    flags.ReadOnly = 1;
    umd::Mapped mapped;
    check(device_.lock(target_, 0, flags, &mapped));
    check(device_.unlock(target_, 0));
  }

 private:
  static constexpr Vertex kCorners[] = {
      {-1, 1, 0.5f, 0xFFFF0000}, {1, -1, 0.5f, 0xFF00FF00}, {-1, -1, 0.5f, 0xFF0000FF}};
  static constexpr D3DDDIVERTEXELEMENT kElements[] = {
      {0, offsetof(Vertex, x), D3DDECLTYPE_FLOAT3, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_POSITION, 0},
      {0, offsetof(Vertex, color), D3DDECLTYPE_D3DCOLOR, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_COLOR, 0},
  };

  static void check(HRESULT result) { CHECK(SUCCEEDED(result)); }
  static HRESULT draw_all(Device9* device) {
    HRESULT result = S_OK;
    for (UINT i = 0; SUCCEEDED(result) && i < kDraws; ++i) {
      D3DDDIARG_DRAWPRIMITIVE args{D3DPT_TRIANGLELIST, 0, 1};
      result = device->functions().pfnDrawPrimitive(device->driver_handle(), &args, nullptr);
    }
    return result;
  }

  void set_state() {
    D3DMATRIX identity{};
    for (int i = 0; i < 4; ++i) identity.m[i][i] = 1;
    for (auto which : {D3DTS_VIEW, D3DTS_PROJECTION}) check(device_.set_transform(which, identity));
    check(device_.set_render_state(D3DDDIRS_ZENABLE, FALSE));
    check(device_.set_render_state(D3DDDIRS_LIGHTING, FALSE));
    check(device_.set_render_state(D3DDDIRS_CULLMODE, D3DCULL_NONE));
    check(device_.set_render_target(0, target_));
    check(device_.set_viewport(0, 0, kTargetSize, kTargetSize));
    check(device_.set_z_range(0, 1));
    check(device_.create_vertex_declaration(kElements, std::size(kElements), &declaration_));
    check(device_.set_vertex_declaration(declaration_));
    check(device_.set_stream_source(0, vertices_, 0, sizeof(Vertex)));
  }

  Device9& device_;
  Resource* target_ = nullptr;
  Resource* vertices_ = nullptr;
  HANDLE declaration_ = nullptr;
};

// From the first of 1,000 draws until the CPU sees the picture. Budget: the runtime has less than 5 % of it, which is
// what the same batch without it is faster by; the two take turns, so that the machine's moods are shared.
void draw_batch(benchmark::State& state) {
  with_device(state, [&](Device9& device) {
    Scene scene(device);
    base::Executor& clock = device.machine().executor();
    base::TimeNs whole = 0, without = 0;
    for (auto _ : state) {
      base::TimeNs begin = clock.now();
      scene.draw_through_runtime();
      scene.finish();
      base::TimeNs middle = clock.now();
      scene.draw_past_runtime();
      scene.finish();
      without += clock.now() - middle;
      whole += middle - begin;
      state.SetIterationTime(static_cast<double>(middle - begin) * 1e-9);
    }
    state.SetItemsProcessed(state.iterations() * kDraws);
    state.counters["without_ns"] = static_cast<double>(without) / static_cast<double>(state.iterations());
    state.counters["runtime_percent"] =
        100 * (static_cast<double>(whole) - static_cast<double>(without)) / static_cast<double>(whole);
  });
}
BENCHMARK(draw_batch)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace host
