// Presents through the whole of the graphics kernel, the reference drivers and their hardware: the pixels arrive.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drivers/softgpu/proto/softgpu_user.h"
#include "host/workload/gpu_context.h"
#include "kmt/client/thunks.h"
#include "nt/testing/machine_fixture.h"
#include "softgpu/loaded_driver.h"

namespace softgpu {
namespace {

constexpr uint32_t kWidth = 24, kHeight = 16;
constexpr uint32_t kPitch = 128;  // wider than a row
constexpr uint32_t kUntouched = 0xEEEEEEEE;

// Four bytes for each place of a surface, what lies between the rows included.
using Pixels = std::vector<uint32_t>;
constexpr uint32_t kStride = kPitch / 4;

struct Surface {
  host::GpuBuffer buffer;
  uint32_t height;
};

class SoftgpuPresents : public nt::MachineTest, public ::testing::WithParamInterface<const char*> {
 protected:
  // `body` in a client of the driver, with a context; in several orders of what happens at once.
  void run_client(const std::function<void(host::GpuClient&, host::GpuContext&)>& body) {
    const host::DriverImage* image = loaded_driver(SOFTGPU_DRIVERS, GetParam());
    ASSERT_TRUE(image);
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      options.seed = seed;
      options.policy = nt::policy_for_seed(seed);
      image->restore();
      run([&] { play(*image, body); });
      EXPECT_TRUE(observer.violations.empty()) << observer.violations.front().sentence;
    }
  }
  void play(const host::DriverImage& image, const std::function<void(host::GpuClient&, host::GpuContext&)>& body) {
    host::Graphics graphics(machine(), image, {});
    ASSERT_TRUE(graphics.start().ok()) << graphics.refusal();
    {
      host::GpuClient client(graphics, "client");
      ASSERT_TRUE(client.open() && client.has_workload());
      auto context = host::GpuContext::create(client, 0);
      ASSERT_TRUE(context);
      body(client, *context);
    }
    graphics.stop();
  }

  static Surface make_surface(host::GpuClient& client, uint32_t segment, uint32_t height = kHeight) {
    uint32_t flags = SOFTGPU_ALLOCATION_CPU_VISIBLE;
    if (segment != SOFTGPU_SEGMENT_LOCAL) flags |= SOFTGPU_ALLOCATION_CACHED;
    SOFTGPU_ALLOCATION data = softgpu_buffer(uint64_t{kPitch} * height, flags, segment);
    data.width = kWidth;
    data.height = height;
    data.pitch = kPitch;
    data.format = D3DDDIFMT_A8R8G8B8;
    D3DDDI_ALLOCATIONINFO2 info{};
    info.pPrivateDriverData = &data;
    info.PrivateDriverDataSize = sizeof(data);
    D3DKMT_CREATEALLOCATION args{};
    args.hDevice = client.device();
    args.NumAllocations = 1;
    args.pAllocationInfo2 = &info;
    EXPECT_EQ(kmt::CreateAllocation2(client.client(), &args), STATUS_SUCCESS);
    return {{0, info.hAllocation, 0, data.bytes, 0}, height};
  }
  static Pixels blank(const Surface& surface) { return Pixels(size_t{kStride} * surface.height, kUntouched); }
  static Pixels pattern(const Surface& surface) {
    Pixels pixels = blank(surface);
    for (uint32_t i = 0; i < pixels.size(); ++i) pixels[i] = 0x10000 + i;
    return pixels;
  }
  static void write(host::GpuClient& client, const Surface& surface, const Pixels& pixels) {
    EXPECT_EQ(client.write(surface.buffer, {reinterpret_cast<const uint8_t*>(pixels.data()), pixels.size() * 4}),
              STATUS_SUCCESS);
  }
  static Pixels read(host::GpuClient& client, const Surface& surface) {
    std::vector<uint8_t> bytes = client.read(surface.buffer);
    Pixels pixels(bytes.size() / 4);
    if (!bytes.empty()) std::memcpy(pixels.data(), bytes.data(), bytes.size());
    return pixels;
  }

  static D3DKMT_PRESENT copy(host::GpuContext& context, const Surface& from, const Surface& to) {
    D3DKMT_PRESENT args{};
    args.hContext = context.handle();
    args.hSource = from.buffer.allocation;
    args.hDestination = to.buffer.allocation;
    args.Flags.Blt = args.Flags.SrcRectValid = 1;
    args.SrcRect = {0, 0, kWidth, static_cast<LONG>(from.height)};
    return args;
  }
  static NTSTATUS present(host::GpuClient& client, host::GpuContext& context, D3DKMT_PRESENT args,
                          const std::vector<RECT>& parts) {
    args.SubRectCnt = static_cast<UINT>(parts.size());
    args.pSrcSubRects = parts.data();
    NTSTATUS status = kmt::Present(client.client(), &args);
    finish(client, context);
    return status;
  }
  // Everything that the context has queued is done.
  static void finish(host::GpuClient& client, host::GpuContext& context) {
    auto fence = client.make_fence();
    ASSERT_TRUE(fence);
    EXPECT_EQ(context.signal(fence->object, 1), STATUS_SUCCESS);
    EXPECT_EQ(client.wait(fence->object, 1), STATUS_SUCCESS);
    EXPECT_FALSE(client.lost());
  }
};

INSTANTIATE_TEST_SUITE_P(Drivers, SoftgpuPresents, ::testing::Values("softgpu", "softgpu_physical"),
                         [](const auto& about) { return std::string(about.param); });

TEST_P(SoftgpuPresents, PartsOfASurface) {
  run_client([&](host::GpuClient& client, host::GpuContext& context) {
    Surface source = make_surface(client, SOFTGPU_SEGMENT_LOCAL);
    Surface destination = make_surface(client, SOFTGPU_SEGMENT_APERTURE);
    write(client, source, pattern(source));
    write(client, destination, blank(destination));
    D3DKMT_PRESENT args = copy(context, source, destination);
    args.SrcRect = {2, 1, 18, 11};
    args.Flags.DstRectValid = 1;
    args.DstRect = {4, 5, 20, 15};
    EXPECT_EQ(present(client, context, args, {{2, 1, 6, 3}, {10, 8, 40, 40}}), STATUS_SUCCESS);
    Pixels expected = blank(destination), from = pattern(source);
    auto move = [&](const RECT& part) {
      for (LONG y = part.top; y < part.bottom; ++y) {
        for (LONG x = part.left; x < part.right; ++x) {
          expected[static_cast<size_t>(y + 4) * kStride + static_cast<size_t>(x) + 2] =
              from[static_cast<size_t>(y) * kStride + static_cast<size_t>(x)];
        }
      }
    };
    move({2, 1, 6, 3});
    move({10, 8, 18, 11});  // clipped
    EXPECT_EQ(read(client, destination), expected);
    EXPECT_EQ(read(client, source), from);
  });
}

TEST_P(SoftgpuPresents, AColour) {
  run_client([&](host::GpuClient& client, host::GpuContext& context) {
    Surface surface = make_surface(client, SOFTGPU_SEGMENT_LOCAL);
    write(client, surface, blank(surface));
    D3DKMT_PRESENT args{};
    args.hContext = context.handle();
    args.hDestination = surface.buffer.allocation;
    args.Flags.ColorFill = 1;
    args.Color = 0xFF336699;
    EXPECT_EQ(present(client, context, args, {{3, 4, 9, 6}}), STATUS_SUCCESS);
    Pixels expected = blank(surface);
    for (size_t y = 4; y < 6; ++y) std::fill_n(expected.begin() + static_cast<long>(y * kStride) + 3, 6, 0xFF336699);
    EXPECT_EQ(read(client, surface), expected);
  });
}

// A row is a packet: these do not fit into one DMA buffer.
TEST_P(SoftgpuPresents, MoreThanOneDmaBufferHolds) {
  run_client([&](host::GpuClient& client, host::GpuContext& context) {
    constexpr LONG kTall = 5000;
    Surface source = make_surface(client, SOFTGPU_SEGMENT_LOCAL, kTall);
    Surface destination = make_surface(client, SOFTGPU_SEGMENT_LOCAL, kTall);
    write(client, source, pattern(source));
    write(client, destination, blank(destination));
    EXPECT_EQ(present(client, context, copy(context, source, destination), {{0, 0, kWidth, kTall}}), STATUS_SUCCESS);
    Pixels expected = pattern(source), before = blank(destination);
    for (size_t i = 0; i < expected.size(); ++i) {
      if (i % kStride >= kWidth) expected[i] = before[i];
    }
    EXPECT_EQ(read(client, destination), expected);
  });
}

// What the hardware cannot do, the driver refuses with a status of its own.
TEST_P(SoftgpuPresents, NothingIsStretched) {
  run_client([&](host::GpuClient& client, host::GpuContext& context) {
    Surface source = make_surface(client, SOFTGPU_SEGMENT_LOCAL);
    Surface destination = make_surface(client, SOFTGPU_SEGMENT_LOCAL);
    D3DKMT_PRESENT args = copy(context, source, destination);
    args.Flags.DstRectValid = 1;
    args.DstRect = {0, 0, kWidth / 2, kHeight / 2};
    EXPECT_EQ(present(client, context, args, {{0, 0, kWidth, kHeight}}), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
  });
}

TEST_P(SoftgpuPresents, WhatIsDestroyedAtOnceArrivesNevertheless) {
  run_client([&](host::GpuClient& client, host::GpuContext& context) {
    Surface source = make_surface(client, SOFTGPU_SEGMENT_LOCAL);
    Surface destination = make_surface(client, SOFTGPU_SEGMENT_APERTURE);
    write(client, source, pattern(source));
    write(client, destination, blank(destination));
    RECT part{0, 0, kWidth, 1};
    D3DKMT_PRESENT args = copy(context, source, destination);
    args.SubRectCnt = 1;
    args.pSrcSubRects = &part;
    EXPECT_EQ(kmt::Present(client.client(), &args), STATUS_SUCCESS);
    EXPECT_EQ(client.destroy_buffer(source.buffer), STATUS_SUCCESS);
    finish(client, context);
    Pixels expected = blank(destination), from = pattern(source);
    std::copy_n(from.begin(), kWidth, expected.begin());
    EXPECT_EQ(read(client, destination), expected);
  });
}

}  // namespace
}  // namespace softgpu
