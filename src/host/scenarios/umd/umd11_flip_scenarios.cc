#include "host/scenarios/umd/umd11_flip_scenarios.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "host/scenarios/umd/umd11_program.h"

namespace host {
namespace {

using umd::ResourceDesc10;

constexpr UINT kBuffers = 3, kSize = 16;
constexpr DXGI_FORMAT kFormat = DXGI_FORMAT_B8G8R8A8_UNORM;

// A swap chain that flips: frames are drawn to the first buffer, and then the buffers' identities are rotated. Every
// frame has a colour of its own, so that the pixels of any buffer say which frame it holds. Owned by the scenario.
class FlippedBuffers {
 public:
  explicit FlippedBuffers(Umd11Program& program) : program_(program), device_(program.device()) {}

  // False when the driver refused.
  bool begin();
  // False when a function of the driver failed, or a frame is not where it belongs.
  bool draw_frame();

 private:
  static uint32_t color_of(uint32_t frame) { return 0xFF000000 | frame * 0x000F1525; }
  bool make(ResourceDesc10 desc, umd::Resource** made) {
    return program_.succeeds(device_.create_resource(desc, made));
  }
  bool clear();
  bool rotate();
  bool check(UINT buffer);
  void found(UINT buffer, uint32_t pixel);

  Umd11Program& program_;
  umd::Device10& device_;
  std::array<umd::Resource*, kBuffers> buffers_{};
  std::array<umd::RenderTargetView*, kBuffers> views_{};
  std::array<uint32_t, kBuffers> frames_{};  // that each holds; 0: none
  umd::Resource* staging_ = nullptr;
  uint32_t frame_ = 0;
};

bool FlippedBuffers::begin() {
  ResourceDesc10 desc = ResourceDesc10::render_target(kSize, kSize, kFormat);
  desc.bind |= D3D10_DDI_BIND_PRESENT;
  for (UINT i = 0; i < kBuffers; ++i) {
    if (!make(desc, &buffers_[i])) return false;
    if (!program_.succeeds(device_.create_render_target_view(buffers_[i], &views_[i]))) return false;
  }
  return make(ResourceDesc10::staging(kSize, kSize, kFormat), &staging_);
}

bool FlippedBuffers::clear() {
  uint32_t color = color_of(++frame_);
  auto channel = [color](int shift) { return static_cast<float>((color >> shift) & 0xFF) / 255.0f; };
  const FLOAT channels[4] = {channel(16), channel(8), channel(0), channel(24)};
  frames_[0] = frame_;
  return program_.succeeds(device_.clear_render_target(views_[0], channels)) && program_.succeeds(device_.flush());
}

// Each takes what its successor had, the last what the first had.
bool FlippedBuffers::rotate() {
  if (!program_.succeeds(device_.dxgi().rotate_resource_identities(buffers_))) return false;
  std::rotate(frames_.begin(), frames_.begin() + 1, frames_.end());
  return true;
}

void FlippedBuffers::found(UINT buffer, uint32_t pixel) {
  uint32_t held = 0;
  for (uint32_t frame = 1; frame <= frame_; ++frame) held = color_of(frame) == pixel ? frame : held;
  std::string shown = held ? fmt::format("frame {}", held) : fmt::format("a pixel of 0x{:08X}", pixel);
  program_.environment().machine().report_violation(
      nt::Violation::UmdWrongPicture,
      fmt::format("after RotateResourceIdentitiesDXGI buffer {} of {} shows {} instead of frame {}", buffer, kBuffers,
                  shown, frames_[buffer]));
}

bool FlippedBuffers::check(UINT buffer) {
  D3D10DDI_MAPPED_SUBRESOURCE mapped{};
  if (!program_.succeeds(device_.copy_resource(staging_, buffers_[buffer]))) return false;
  if (!program_.succeeds(device_.map(staging_, 0, D3D10_DDI_MAP_READ, 0, &mapped))) return false;
  uint32_t pixel;
  std::memcpy(&pixel, mapped.pData, sizeof(pixel));
  if (!program_.succeeds(device_.unmap(staging_, 0))) return false;
  if (pixel == color_of(frames_[buffer])) return true;
  if (program_.environment().undisturbed()) found(buffer, pixel);
  return false;
}

bool FlippedBuffers::draw_frame() {
  if (!clear() || !rotate()) return false;
  for (UINT i = 0; i < kBuffers; ++i) {
    if (frames_[i] && !check(i)) return false;
  }
  return true;
}

void flip(ScenarioContext& context) {
  UmdEnvironment environment(context, UmdEnvironment::Ddi::D3d10);
  if (!environment.ready()) return;
  Umd11Program program(environment, "program");
  if (!program.open()) return;
  FlippedBuffers buffers(program);
  if (!buffers.begin()) return;
  for (uint32_t frames = kBuffers + 1 + environment.choose(6); frames > 0 && buffers.draw_frame(); --frames) {
  }
}

}  // namespace

std::vector<Scenario> umd11_flip_scenarios() {
  return {{"umd11/flip", "frames that go round through three buffers", &flip, Scenario::Needs::Umd}};
}

}  // namespace host
