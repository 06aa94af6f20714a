// The part of the public API that drives user-mode drivers, on softgpu's and on the one of examples/.
#include <map>
#include <string>
#include <vector>

#include "drydock/drydock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace {

using drydock::Device9;
using drydock::Direct3D9;
using drydock::Host;
using drydock::HostOptions;
using drydock::kDeviceRemoved;
using drydock::Kind9;
using drydock::kInvalidCall;
using drydock::kOk;
using drydock::kOutOfMemory;
using drydock::Process;
using drydock::Resource9;
using drydock::ResourceOptions9;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Bytes = std::vector<std::uint8_t>;

HostOptions softgpu(const std::string& kmd = "softgpu") {
  HostOptions options(std::string(DRYDOCK_SOFTGPU_DIR) + "/" + kmd + ".so");
  options.umd = std::string(DRYDOCK_SOFTGPU_DIR) + "/softgpu_umd.so";
  return options;
}

HostOptions example(const std::string& umd) {
  HostOptions options = softgpu("softgpu_physical");
  options.umd = std::string(DRYDOCK_API_DRIVERS) + "/" + umd + ".so";
  return options;
}

std::vector<std::uint32_t> pixels(const Resource9& resource, std::uint32_t surface = 0) {
  Bytes bytes = resource.read(surface);
  std::vector<std::uint32_t> out(bytes.size() / 4);
  for (size_t i = 0; i < bytes.size(); ++i) out[i / 4] |= std::uint32_t{bytes[i]} << i % 4 * 8;
  return out;
}

Bytes counted(size_t count) {
  Bytes bytes(count);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7);
  return bytes;
}

// A host with a user-mode driver, and a program on it.
class Program {
 protected:
  explicit Program(const HostOptions& options) : host(options) {}
  void expect_clean() {
    host.stop();
    EXPECT_THAT(host.findings(), IsEmpty()) << host.report();
  }

  Host host;
  Process process = host.process("program");
  Direct3D9 direct3d = process.direct3d9();
  Device9 device = direct3d.create_device();
};

class ApiUmd : public Program, public ::testing::TestWithParam<const char*> {
 protected:
  ApiUmd() : Program(softgpu(GetParam())) {}
  void SetUp() override {
    ASSERT_TRUE(host.started()) << host.refusal();
    ASSERT_TRUE(direct3d) << direct3d.why();
    ASSERT_TRUE(device) << device.why();
  }
};

INSTANTIATE_TEST_SUITE_P(OnSoftgpu, ApiUmd, ::testing::Values("softgpu", "softgpu_physical"),
                         [](const auto& chosen) { return std::string(chosen.param); });

// --- Resources ---

TEST_P(ApiUmd, CreatesAndDestroysEveryKind) {
  ResourceOptions9 group;
  group.kind = Kind9::RenderTarget;
  group.width = group.height = 16;
  group.surfaces = 3;
  std::vector<Resource9> resources = {device.create_texture(16, 16), device.create_render_target(16, 8),
                                      device.create_vertex_buffer(256), device.create(group)};
  for (const Resource9& resource : resources) EXPECT_TRUE(resource) << resource.why();
  EXPECT_EQ(process.ledger().of("resource").created, 4u);
  for (const Resource9& resource : resources) EXPECT_EQ(resource.destroy(), kOk) << device.why();
  EXPECT_EQ(device.flush(), kOk);
  EXPECT_EQ(process.ledger().of("resource").live, 0u);
  EXPECT_EQ(device.destroy(), kOk);
  EXPECT_EQ(process.ledger().of("device").live, 0u);
  direct3d.close();
  expect_clean();
}

TEST_P(ApiUmd, KeepsWhatIsWritten) {
  ResourceOptions9 options;
  options.width = options.height = 8;
  options.format = drydock::Format9::R5G6B5;
  options.surfaces = 3;
  Resource9 texture = device.create(options);
  ASSERT_TRUE(texture) << texture.why();
  for (std::uint32_t level = 0; level < 3; ++level) {
    Bytes bytes = counted((8u >> level) * (8u >> level) * 2);
    EXPECT_EQ(texture.write(bytes, level), kOk) << device.why();
    EXPECT_EQ(texture.read(level), bytes);
  }
  Resource9 buffer = device.create_vertex_buffer(100);
  EXPECT_EQ(buffer.write(counted(100)), kOk) << device.why();
  EXPECT_EQ(buffer.read(), counted(100));
  expect_clean();
}

TEST_P(ApiUmd, FillsAndCopies) {
  Resource9 first = device.create_render_target(8, 8), second = device.create_render_target(8, 8);
  EXPECT_EQ(device.color_fill(first, 0xFF112233), kOk) << device.why();
  EXPECT_EQ(device.color_fill(first, 0xFF445566, {2, 1, 4, 3}), kOk) << device.why();
  EXPECT_EQ(device.blt(first, second), kOk) << device.why();
  EXPECT_EQ(first.destroy(), kOk);
  std::vector<std::uint32_t> seen = pixels(second);
  ASSERT_EQ(seen.size(), 64u) << device.why();
  for (int i = 0; i < 64; ++i) {
    bool inside = i % 8 >= 2 && i % 8 < 4 && i / 8 >= 1 && i / 8 < 3;
    EXPECT_EQ(seen[i], inside ? 0xFF445566 : 0xFF112233) << i;
  }
  expect_clean();
}

TEST_P(ApiUmd, ClearsAndDraws) {
  constexpr std::uint32_t kBlue = 0xFF0000FF, kRed = 0xFFFF0000;
  Resource9 target = device.create_render_target(16, 16);
  // The lower left half.
  const drydock::Vertex9 corners[] = {{-1, 1, 0.5f, kRed}, {1, -1, 0.5f, kRed}, {-1, -1, 0.5f, kRed}};
  const auto* data = reinterpret_cast<const std::uint8_t*>(corners);
  Resource9 vertices = device.create_vertex_buffer(sizeof(corners));
  EXPECT_EQ(vertices.write({data, data + sizeof(corners)}), kOk) << device.why();
  EXPECT_EQ(device.set_render_target(target), kOk) << device.why();
  EXPECT_EQ(device.clear(kBlue), kOk) << device.why();
  EXPECT_THAT(pixels(target), Each(kBlue));
  EXPECT_EQ(device.draw_triangles(vertices, 1), kOk) << device.why();
  EXPECT_EQ(vertices.destroy(), kOk) << device.why();
  std::vector<std::uint32_t> seen = pixels(target);
  ASSERT_EQ(seen.size(), 256u) << device.why();
  EXPECT_EQ(seen[15], kBlue);        // the upper right
  EXPECT_EQ(seen[15 * 16], kRed);    // the lower left
  EXPECT_EQ(target.destroy(), kOk);  // while it is bound
  EXPECT_EQ(device.clear(kRed), kInvalidCall);
  expect_clean();
}

TEST_P(ApiUmd, SharesBetweenProcesses) {
  ResourceOptions9 options;
  options.kind = Kind9::RenderTarget;
  options.width = options.height = 4;
  options.shared = true;
  Resource9 shared = device.create(options);
  ASSERT_TRUE(shared) << shared.why();
  EXPECT_NE(shared.global_share(), 0u);
  EXPECT_EQ(device.color_fill(shared, 0xFFABCDEF), kOk) << device.why();
  EXPECT_EQ(device.flush(), kOk);
  Device9 other = host.process("other").direct3d9().create_device();
  Resource9 opened = other.open(shared);
  ASSERT_TRUE(opened) << opened.why();
  EXPECT_THAT(pixels(opened), Each(0xFFABCDEF));
  EXPECT_EQ(shared.destroy(), kOk);
  EXPECT_THAT(pixels(opened), Each(0xFFABCDEF));
  EXPECT_EQ(opened.destroy(), kOk);
  expect_clean();
}

TEST_P(ApiUmd, OpensNothingByAnUnknownHandle) {
  Resource9 nothing = device.open(0x1234, ResourceOptions9());
  EXPECT_LT(nothing.result(), 0);
  EXPECT_THAT(nothing.why(), HasSubstr("OpenResource"));
  EXPECT_EQ(nothing.destroy(), kInvalidCall);
  host.stop();
  ASSERT_EQ(host.findings().size(), 1u) << host.report();
  EXPECT_EQ(host.findings()[0].rule, "SH-01");
}

TEST_P(ApiUmd, TwoDevicesWorkTogether) {
  Device9 second = direct3d.create_device();
  ASSERT_TRUE(second) << second.why();
  std::map<const Device9*, int> right;
  auto work = [&right](const Device9& on) {
    for (std::uint32_t i = 0; i < 5; ++i) {
      Resource9 target = on.create_render_target(8, 8);
      std::uint32_t color = 0xFF000000 | i;
      on.color_fill(target, color);
      right[&on] += pixels(target) == std::vector<std::uint32_t>(64, color);
      target.destroy();
    }
  };
  right[&device] = right[&second] = 0;
  EXPECT_TRUE(host.together({[&] { work(device); }, [&] { work(second); }}));
  EXPECT_EQ(right[&device], 5) << process.why();
  EXPECT_EQ(right[&second], 5) << process.why();
  expect_clean();
}

// --- Refusals ---

TEST_P(ApiUmd, RefusesInSentences) {
  Resource9 texture = device.create_texture(8, 8), target = device.create_render_target(8, 8);
  Resource9 stranger = direct3d.create_device().create_texture(8, 8);
  auto expect_refusal = [&](drydock::HResult result, const char* sentence) {
    EXPECT_EQ(result, kInvalidCall) << sentence;
    EXPECT_THAT(device.why(), HasSubstr(sentence));
  };
  expect_refusal(device.clear(0), "no render target");
  expect_refusal(device.set_render_target(texture), "no render target");
  expect_refusal(device.color_fill(stranger, 0), "another device's");
  expect_refusal(device.color_fill(target, 0, {4, 4, 9, 8}), "8 x 8");
  expect_refusal(device.color_fill(target, 0, {4, 4, 4, 8}), "empty");
  expect_refusal(device.set_render_target(target, 1), "no surface 1");
  expect_refusal(texture.write(Bytes(10)), "8 rows of 32 bytes, and 10");
  expect_refusal(device.create_texture(0, 8).result(), "no size");
  EXPECT_EQ(device.set_render_target(target), kOk);
  expect_refusal(device.draw_triangles(device.create_vertex_buffer(32), 1), "48 bytes");
  EXPECT_EQ(texture.destroy(), kOk);
  expect_refusal(texture.destroy(), "was destroyed");
  EXPECT_THAT(texture.read(), IsEmpty());
  EXPECT_FALSE(device.fail_callback("pfnNoSuchCb"));
  EXPECT_THAT(device.why(), HasSubstr("pfnNoSuchCb"));
  EXPECT_EQ(device.destroy(), kOk);
  expect_refusal(device.flush(), "the device was destroyed");
  expect_refusal(target.destroy(), "the device was destroyed");
  direct3d.close();
  EXPECT_FALSE(direct3d.create_device());
  EXPECT_THAT(direct3d.create_device().why(), HasSubstr("closed"));
  expect_clean();
}

TEST_P(ApiUmd, FailsACallbackOnPurpose) {
  EXPECT_TRUE(device.fail_callback("pfnAllocateCb", 2));
  Resource9 first = device.create_texture(8, 8), second = device.create_texture(8, 8);
  EXPECT_TRUE(first) << first.why();
  EXPECT_EQ(second.result(), kOutOfMemory);
  EXPECT_THAT(second.why(), HasSubstr("CreateResource: E_OUTOFMEMORY"));
  EXPECT_TRUE(device.create_texture(8, 8)) << device.why();  // once
  expect_clean();
}

TEST_P(ApiUmd, AProcessEndsInOrder) {
  Resource9 target = device.create_render_target(8, 8);
  EXPECT_EQ(device.color_fill(target, 1), kOk);
  process.end();
  EXPECT_EQ(process.ledger().of("resource").live, 0u);
  EXPECT_EQ(device.flush(), kDeviceRemoved);
  EXPECT_THAT(device.why(), HasSubstr("program has ended"));
  EXPECT_EQ(target.destroy(), kDeviceRemoved);
  EXPECT_FALSE(process.direct3d9());
  expect_clean();
  EXPECT_EQ(device.flush(), kDeviceRemoved);
  EXPECT_THAT(device.why(), HasSubstr("stopped"));
}

TEST(ApiUmdHost, SaysWhatIsMissing) {
  HostOptions options = softgpu();
  options.umd.clear();
  Host host(options);
  ASSERT_TRUE(host.started()) << host.refusal();
  Direct3D9 nothing = host.process().direct3d9();
  EXPECT_FALSE(nothing);
  EXPECT_THAT(nothing.why(), HasSubstr("HostOptions::umd"));
  Device9 device = nothing.create_device();
  EXPECT_FALSE(device);
  EXPECT_THAT(device.why(), HasSubstr("HostOptions::umd"));
  EXPECT_EQ(device.create_texture(1, 1).result(), kInvalidCall);
  EXPECT_EQ(device.create_texture(1, 1).destroy(), kInvalidCall);
}

TEST(ApiUmdHost, RefusesAFileThatIsNoUserModeDriver) {
  HostOptions options = softgpu();
  options.umd = options.driver;
  EXPECT_THAT(Host(options).refusal(), HasSubstr("no user-mode display driver"));
  options.umd = "/no/such/umd.so";
  EXPECT_THAT(Host(options).refusal(), HasSubstr("/no/such/umd.so"));
}

TEST(ApiUmdHost, ALiveMachineDoesTheSame) {
  HostOptions options = softgpu();
  options.live = true;
  Host host(options);
  ASSERT_TRUE(host.started()) << host.refusal();
  Device9 device = host.process().direct3d9().create_device();
  Resource9 target = device.create_render_target(8, 8);
  EXPECT_EQ(device.color_fill(target, 0xFF123456), kOk) << device.why();
  EXPECT_THAT(pixels(target), Each(0xFF123456));
  EXPECT_EQ(target.destroy(), kOk);
  host.stop();
  EXPECT_THAT(host.findings(), IsEmpty()) << host.report();
}

// --- The driver of examples/ ---

struct ApiUmdExample : Program, ::testing::Test {
  ApiUmdExample() : Program(example("skeleton_umd")) {}
};

TEST_F(ApiUmdExample, IsQuiet) {
  ASSERT_TRUE(device) << host.refusal() << direct3d.why() << device.why();
  Resource9 texture = device.create_texture(8, 8), target = device.create_render_target(8, 8);
  Resource9 vertices = device.create_vertex_buffer(48);
  EXPECT_EQ(texture.write(counted(256)), kOk) << device.why();
  EXPECT_EQ(device.set_render_target(target), kOk) << device.why();
  EXPECT_EQ(device.clear(0), kOk) << device.why();
  EXPECT_EQ(device.draw_triangles(vertices, 1), kOk) << device.why();
  EXPECT_EQ(device.blt(texture, target), kOk) << device.why();
  EXPECT_EQ(texture.read(), counted(256));
  EXPECT_EQ(target.destroy(), kOk) << device.why();
  EXPECT_GT(host.calls("DxgkDdiRender"), 0u);
  expect_clean();  // the rest goes with the process
}

TEST(ApiUmdForgetful, IsFoundWithItsStack) {
  Host host(example("forgetful_umd"));
  ASSERT_TRUE(host.started()) << host.refusal();
  Device9 device = host.process().direct3d9().create_device();
  EXPECT_EQ(device.create_texture(8, 8).destroy(), kOk) << device.why();
  EXPECT_THAT(host.findings(), IsEmpty()) << host.report();
  EXPECT_EQ(device.destroy(), kOk);
  ASSERT_EQ(host.findings().size(), 1u) << host.report();
  EXPECT_EQ(host.findings()[0].rule, "UR-28");
  EXPECT_THAT(host.findings()[0].sentence, HasSubstr("forgetful_umd: DestroyDevice returned, and 1 allocations"));
  EXPECT_THAT(host.report(), HasSubstr("forgetful_umd.so: errors: 1"));
}

}  // namespace
