// Packets that draw, where addresses are patched: what the driver lets pass is what the hardware can be given.
#include <cstddef>
#include <cstring>

#include "drivers/softgpu/proto/softgpu_draw_check.h"
#include "softgpu/driver_fixture.h"

namespace softgpu {
namespace {

using ::testing::ElementsAre;

class DrawingTest : public DriverTest {
 protected:
  static constexpr uint32_t kSize = 32;  // a page of pixels, and of depths
  static constexpr uint64_t kPage = SOFTGPU_PAGE_BYTES;
  enum Buffer : uint32_t { kTarget, kDepth, kTexture, kVertices, kIndices, kBuffers };

  static uint64_t offset_of(uint32_t buffer) { return kFree + buffer * kPage; }

  // A client's command buffer with one packet, its lists, and what the driver made of them. Every buffer has a page.
  struct Job {
    TestKernel& kernel;
    std::vector<uint8_t> commands;
    std::vector<D3DDDI_PATCHLOCATIONLIST> locations;
    std::vector<DXGK_ALLOCATIONLIST> allocations;
    std::vector<uint8_t> dma;
    std::vector<D3DDDI_PATCHLOCATIONLIST> locations_out;

    explicit Job(TestKernel& on) : kernel(on), allocations(kBuffers) {
      for (uint32_t i = 0; i < kBuffers; ++i) {
        allocations[i].hDeviceSpecificAllocation = kernel.open_buffer(kPage);
        allocations[i].WriteOperation = i <= kDepth;
        allocations[i].PhysicalAddress.QuadPart = static_cast<LONGLONG>(kernel.physical(offset_of(i)));
      }
    }
    template <typename Packet>
    void set(const Packet& packet) {
      commands.resize(sizeof(packet));
      std::memcpy(commands.data(), &packet, sizeof(packet));
      locations.clear();
    }
    void refer(size_t field, uint32_t buffer, uint32_t offset = 0) {
      D3DDDI_PATCHLOCATIONLIST location = {};
      location.AllocationIndex = buffer;
      location.AllocationOffset = offset;
      location.PatchOffset = static_cast<UINT>(field);
      locations.push_back(location);
    }
    NTSTATUS render() {
      dma.assign(commands.size(), 0);
      locations_out.assign(locations.size(), {});
      DXGKARG_RENDER args = {};
      args.pCommand = commands.data();
      args.CommandLength = static_cast<UINT>(commands.size());
      args.pDmaBuffer = dma.data();
      args.DmaSize = static_cast<UINT>(dma.size());
      args.pAllocationList = allocations.data();
      args.AllocationListSize = static_cast<UINT>(allocations.size());
      args.pPatchLocationListIn = locations.data();
      args.PatchLocationListInSize = static_cast<UINT>(locations.size());
      args.pPatchLocationListOut = locations_out.data();
      args.PatchLocationListOutSize = static_cast<UINT>(locations_out.size());
      return kernel.call(kernel.table().DxgkDdiRender, HANDLE{}, &args);
    }
    void patch_and_run(HANDLE context) {
      DXGKARG_PATCH args = {};
      args.hContext = context;
      args.pDmaBuffer = dma.data();
      args.DmaBufferSize = static_cast<UINT>(dma.size());
      args.DmaBufferSubmissionEndOffset = static_cast<UINT>(dma.size());
      args.pAllocationList = allocations.data();
      args.AllocationListSize = static_cast<UINT>(allocations.size());
      args.pPatchLocationList = locations_out.data();
      args.PatchLocationListSize = args.PatchLocationListSubmissionLength = static_cast<UINT>(locations_out.size());
      EXPECT_EQ(kernel.call(kernel.table().DxgkDdiPatch, kernel.adapter(), &args), STATUS_SUCCESS);
      kernel.submit(context, 1,
                    [&](SOFTGPU_BUILDER& b) { softgpu_add(&b, reinterpret_cast<const SOFTGPU_HEADER*>(dma.data())); });
      kernel.wait();
    }
  };

  // Everything is used; vertices and indices fill their pages.
  static SOFTGPU_DRAW full_draw() {
    const SOFTGPU_SURFACE surface = {kSize, kSize, kSize * 4, SOFTGPU_FORMAT_A8R8G8B8};
    SOFTGPU_DRAW draw = softgpu_draw(surface);
    draw.header = softgpu_header(SOFTGPU_CMD_DRAW, 0, sizeof(draw),
                                 SOFTGPU_DRAW_TARGET | SOFTGPU_DRAW_DEPTH | SOFTGPU_DRAW_DEPTH_WRITE |
                                     SOFTGPU_DRAW_TEXTURE | SOFTGPU_DRAW_INDEXED);
    draw.texture_surface = surface;
    draw.depth_pitch = kSize * 4;
    draw.depth_function = SOFTGPU_COMPARE_ALWAYS;
    draw.position_kind = SOFTGPU_POSITION_SCREEN;
    draw.stride = 16;
    draw.vertex_count = kPage / 16;
    draw.first = kPage / 2 - 3;
    draw.count = 3;
    return draw;
  }
  static void set_draw(Job& job, const SOFTGPU_DRAW& draw) {
    job.set(draw);
    if (softgpu_draw_uses(&draw, SOFTGPU_DRAW_TARGET)) job.refer(offsetof(SOFTGPU_DRAW, target), kTarget);
    if (softgpu_draw_uses(&draw, SOFTGPU_DRAW_DEPTH)) job.refer(offsetof(SOFTGPU_DRAW, depth), kDepth);
    if (softgpu_draw_uses(&draw, SOFTGPU_DRAW_TEXTURE)) job.refer(offsetof(SOFTGPU_DRAW, texture), kTexture);
    job.refer(offsetof(SOFTGPU_DRAW, vertices), kVertices);
    if (softgpu_draw_uses(&draw, SOFTGPU_DRAW_INDEXED)) job.refer(offsetof(SOFTGPU_DRAW, indices), kIndices);
  }
  template <typename Change>
  static NTSTATUS render_changed(Job& job, Change change) {
    SOFTGPU_DRAW draw = full_draw();
    change(draw);
    set_draw(job, draw);
    return job.render();
  }
};

TEST_F(DrawingTest, ADrawIsPatchedAndRun) {
  on_physical([](TestKernel& kernel) {
    HANDLE context = kernel.create_context(kRender);
    Job job(kernel);
    // A triangle over all of the target, its first three vertices from the last three indices.
    const float vertices[] = {0, 0, 0.25f, 1, 64, 0, 0.25f, 1, 0, 64, 0.25f, 1};
    std::memcpy(&kernel.at(offset_of(kVertices)), vertices, sizeof(vertices));
    const uint16_t indices[] = {0, 1, 2};
    std::memcpy(reinterpret_cast<uint8_t*>(&kernel.at(offset_of(kIndices))) + kPage - 6, indices, 6);
    kernel.at(offset_of(kTexture)) = 0xFF123456;
    set_draw(job, full_draw());
    ASSERT_EQ(job.render(), STATUS_SUCCESS);
    job.patch_and_run(context);
    EXPECT_THAT(kernel.take_log(), ElementsAre("completed 0:1"));
    EXPECT_EQ(kernel.at(offset_of(kTarget)), 0xFF123456'FF123456u);
    EXPECT_EQ(kernel.at(offset_of(kTarget) + kPage - 8), 0xFF123456'FF123456u);
    EXPECT_EQ(kernel.at(offset_of(kDepth)), 0x3E800000'3E800000u);  // 0.25 twice
    kernel.destroy_context(context);
  });
}

TEST_F(DrawingTest, AddressesHaveEntriesInTheirOrder) {
  on_physical([](TestKernel& kernel) {
    Job job(kernel);
    set_draw(job, full_draw());
    for (size_t i = 0; i < job.locations.size(); ++i) {
      auto without = job.locations;
      without.erase(without.begin() + static_cast<ptrdiff_t>(i));
      std::swap(without, job.locations);
      EXPECT_EQ(job.render(), STATUS_INVALID_PARAMETER) << i;
      std::swap(without, job.locations);
    }
    std::swap(job.locations[0], job.locations[1]);
    EXPECT_EQ(job.render(), STATUS_INVALID_PARAMETER);
    std::swap(job.locations[0], job.locations[1]);
    job.refer(offsetof(SOFTGPU_DRAW, transform), kTarget);
    EXPECT_EQ(job.render(), STATUS_INVALID_PARAMETER);
    job.locations.pop_back();
    EXPECT_EQ(job.render(), STATUS_SUCCESS);
  });
}

TEST_F(DrawingTest, WhatIsNotUsedHasNoEntry) {
  on_physical([](TestKernel& kernel) {
    Job job(kernel);
    auto only_target = [](SOFTGPU_DRAW& draw) {
      draw.header.argument = SOFTGPU_DRAW_TARGET;
      draw.first = 0;
    };
    EXPECT_EQ(render_changed(job, only_target), STATUS_SUCCESS);
    EXPECT_EQ(job.locations.size(), 2u);
    job.refer(offsetof(SOFTGPU_DRAW, indices), kIndices);
    EXPECT_EQ(job.render(), STATUS_INVALID_PARAMETER);
    // An address that the driver does not patch would be a client's own.
    EXPECT_EQ(render_changed(job,
                             [&](SOFTGPU_DRAW& draw) {
                               only_target(draw);
                               draw.depth = 0x1000000000000000;
                             }),
              STATUS_ILLEGAL_INSTRUCTION);
  });
}

TEST_F(DrawingTest, AllocationsHoldWhatADrawTouches) {
  on_physical([](TestKernel& kernel) {
    Job job(kernel);
    EXPECT_EQ(render_changed(job, [](SOFTGPU_DRAW&) {}), STATUS_SUCCESS);
    auto refuses = [&](auto change) { EXPECT_EQ(render_changed(job, change), STATUS_INVALID_PARAMETER); };
    refuses([](SOFTGPU_DRAW& draw) { draw.target_surface.height = kSize + 1; });
    refuses([](SOFTGPU_DRAW& draw) { draw.target_surface.pitch = kSize * 4 + 4; });
    refuses([](SOFTGPU_DRAW& draw) { draw.depth_pitch = kSize * 4 + 4; });
    refuses([](SOFTGPU_DRAW& draw) { draw.texture_surface.height = kSize + 1; });
    refuses([](SOFTGPU_DRAW& draw) { draw.vertex_count = kPage / 16 + 1; });
    refuses([](SOFTGPU_DRAW& draw) { draw.vertex_count = 0xFFFFFFFF; });
    refuses([](SOFTGPU_DRAW& draw) { draw.first = kPage / 2 - 2; });
    refuses([](SOFTGPU_DRAW& draw) { draw.first = 0xFFFFFFFF; });
    refuses([](SOFTGPU_DRAW& draw) { draw.index_bytes = 4; });
    for (size_t i = 0; i < kBuffers; ++i) {  // and from where it begins
      set_draw(job, full_draw());
      job.locations[i].AllocationOffset = 4;
      EXPECT_EQ(job.render(), STATUS_INVALID_PARAMETER) << i;
    }
  });
}

TEST_F(DrawingTest, WhatIsWrittenIsListedAsWritten) {
  on_physical([](TestKernel& kernel) {
    Job job(kernel);
    for (uint32_t written : {kTarget, kDepth}) {
      job.allocations[written].WriteOperation = 0;
      EXPECT_EQ(render_changed(job, [](SOFTGPU_DRAW&) {}), STATUS_INVALID_PARAMETER);
      if (written == kDepth) {
        EXPECT_EQ(render_changed(job, [](SOFTGPU_DRAW& draw) { draw.header.argument &= ~SOFTGPU_DRAW_DEPTH_WRITE; }),
                  STATUS_SUCCESS);
      }
      job.allocations[written].WriteOperation = 1;
    }
    job.allocations[kTarget].hDeviceSpecificAllocation = kernel.open_buffer(kPage, TestKernel::Open::ReadOnly);
    EXPECT_EQ(render_changed(job, [](SOFTGPU_DRAW&) {}), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(DrawingTest, WhatTheHardwareWouldRefuseIsIllegal) {
  on_physical([](TestKernel& kernel) {
    Job job(kernel);
    auto refuses = [&](auto change) { EXPECT_EQ(render_changed(job, change), STATUS_ILLEGAL_INSTRUCTION); };
    refuses([](SOFTGPU_DRAW& draw) { draw.header.argument |= 0x80000000; });
    refuses([](SOFTGPU_DRAW& draw) { draw.header.flags = SOFTGPU_FLAG_INTERRUPT; });
    refuses([](SOFTGPU_DRAW& draw) { draw.target_surface.width = 0; });
    refuses([](SOFTGPU_DRAW& draw) { draw.target_surface.pitch = 4; });
    refuses([](SOFTGPU_DRAW& draw) { draw.target_surface.format = SOFTGPU_FORMAT_A8; });
    refuses([](SOFTGPU_DRAW& draw) { draw.texture_surface.width = SOFTGPU_SURFACE_MAX + 1; });
    refuses([](SOFTGPU_DRAW& draw) { draw.stride = 12; });
    refuses([](SOFTGPU_DRAW& draw) { draw.index_bytes = 8; });
    refuses([](SOFTGPU_DRAW& draw) { draw.topology = 9; });
    set_draw(job, full_draw());
    job.commands.resize(sizeof(SOFTGPU_DRAW) - 8);
    EXPECT_EQ(job.render(), STATUS_ILLEGAL_INSTRUCTION);
  });
}

// --- Rectangles ---

TEST_F(DrawingTest, RectanglesStayInsideOfTheirAllocations) {
  on_physical([](TestKernel& kernel) {
    Job job(kernel);
    auto render_clear = [&](SOFTGPU_CLEAR_RECT clear) {
      clear.header = softgpu_header(SOFTGPU_CMD_CLEAR_RECT, 0, sizeof(clear), 7);
      job.set(clear);
      job.refer(offsetof(SOFTGPU_CLEAR_RECT, destination), kTarget);
      return job.render();
    };
    EXPECT_EQ(render_clear({{}, 0, 0, 0, kSize, kSize, kSize * 4, 4}), STATUS_SUCCESS);
    EXPECT_EQ(render_clear({{}, 0, 31, 31, 1, 1, kSize * 4, 4}), STATUS_SUCCESS);
    EXPECT_EQ(render_clear({{}, 0, 0, 1, kSize, kSize, kSize * 4, 4}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(render_clear({{}, 0, 0xFFFFFFFF, 1, 1, 1, kSize * 4, 4}), STATUS_ILLEGAL_INSTRUCTION);
    EXPECT_EQ(render_clear({{}, 0, 0, 0, kSize, 1, kSize, 4}), STATUS_ILLEGAL_INSTRUCTION);

    auto render_copy = [&](SOFTGPU_COPY_RECT copy) {
      copy.header = softgpu_header(SOFTGPU_CMD_COPY_RECT, 0, sizeof(copy), 0);
      job.set(copy);
      job.refer(offsetof(SOFTGPU_COPY_RECT, source), kTexture);
      job.refer(offsetof(SOFTGPU_COPY_RECT, destination), kTarget);
      return job.render();
    };
    EXPECT_EQ(render_copy({{}, 0, 0, 0, 16, 128, 16, 0, 128, 16, 16, 4, 0}), STATUS_SUCCESS);
    EXPECT_EQ(render_copy({{}, 0, 0, 0, 17, 128, 16, 0, 128, 16, 16, 4, 0}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(render_copy({{}, 0, 0, 0, 16, 128, 16, 17, 128, 16, 16, 4, 0}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(render_copy({{}, 0, 0, 0, 16, 128, 17, 0, 128, 16, 16, 4, 0}), STATUS_ILLEGAL_INSTRUCTION);

    auto render_stretch = [&](SOFTGPU_STRETCH_RECT stretch) {
      stretch.header = softgpu_header(SOFTGPU_CMD_STRETCH_RECT, 0, sizeof(stretch), 0);
      job.set(stretch);
      job.refer(offsetof(SOFTGPU_STRETCH_RECT, source), kTexture);
      job.refer(offsetof(SOFTGPU_STRETCH_RECT, destination), kTarget);
      return job.render();
    };
    EXPECT_EQ(render_stretch({{}, 0, 0, 0, 0, 8, 8, 128, 21, 0, 0, 32, 32, 128, 22}), STATUS_SUCCESS);
    EXPECT_EQ(render_stretch({{}, 0, 0, 0, 25, 8, 8, 128, 21, 0, 0, 32, 32, 128, 22}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(render_stretch({{}, 0, 0, 0, 0, 8, 8, 128, 21, 0, 1, 32, 32, 128, 22}), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(render_stretch({{}, 0, 0, 0, 0, 8, 0, 128, 21, 0, 0, 32, 32, 128, 22}), STATUS_ILLEGAL_INSTRUCTION);
    job.allocations[kTarget].WriteOperation = 0;
    EXPECT_EQ(render_stretch({{}, 0, 0, 0, 0, 8, 8, 128, 21, 0, 0, 32, 32, 128, 22}), STATUS_INVALID_PARAMETER);
  });
}

// The commands of clients with virtual addresses are not checked.
TEST_F(DrawingTest, ClientsWithVirtualAddressesDraw) {
  on_virtual([](TestKernel& kernel) {
    HANDLE context = kernel.create_context(kRender);
    SOFTGPU_RECT rect = {1, 0, 3, 1};
    kernel.submit(context, 1, [&](SOFTGPU_BUILDER& b) {
      softgpu_add_clear_rect(&b, kernel.gpu(offset_of(kTarget)), kSize * 4, 4, rect, 0xAABBCCDD);
    });
    kernel.wait();
    EXPECT_THAT(kernel.take_log(), ElementsAre("completed 0:1"));
    EXPECT_EQ(kernel.at(offset_of(kTarget)), 0xAABBCCDD'00000000u);
    EXPECT_EQ(kernel.at(offset_of(kTarget) + 8), 0xAABBCCDDu);
    kernel.destroy_context(context);
  });
}

}  // namespace
}  // namespace softgpu
