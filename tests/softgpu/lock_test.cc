// Locks of memory that only the bar leads to, through the whole of the graphics kernel, drivers that know no other
// place for it, and their hardware: a program's address stays, and so do its bytes, wherever they are.
#include <gtest/gtest.h>

#include <cstring>

#include "drivers/softgpu/proto/softgpu_regs.h"
#include "drivers/softgpu/proto/softgpu_user.h"
#include "dxgk/adapter/adapter_hardware.h"
#include "dxgk/memory/video_memory.h"
#include "host/workload/gpu_context.h"
#include "kmt/client/thunks.h"
#include "nt/testing/machine_fixture.h"
#include "softgpu/loaded_driver.h"

namespace softgpu {
namespace {

using host::GpuBuffer;
using host::GpuClient;
using host::GpuCommands;
using host::GpuContext;
using Place = GpuClient::Place;

constexpr uint64_t kBytes = 3 * 4096;
constexpr size_t kWords = kBytes / 8;

struct ScenarioEnvironment {
  host::Graphics& graphics;
  GpuClient& client;
  GpuContext& context;
};

class SoftgpuLocks : public nt::MachineTest, public ::testing::WithParamInterface<const char*> {
 protected:
  // `body` in a client of the driver, with a context; in several orders of what happens at once.
  void run_client(const std::function<void(ScenarioEnvironment)>& body) {
    const host::DriverImage* image = loaded_driver(SOFTGPU_LOCK_DRIVERS, GetParam());
    ASSERT_TRUE(image);
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      options.seed = seed;
      options.policy = nt::policy_for_seed(seed);
      image->restore();
      observer.then = nt::Then::GoOn;
      observer.violations.clear();
      run([&] { play(*image, body); });
      EXPECT_EQ(broken(), expected);
    }
  }
  void play(const host::DriverImage& image, const std::function<void(ScenarioEnvironment)>& body) {
    host::Graphics graphics(machine(), image, {});
    if (without_model) graphics.change_hardware([](dxgk::Adapter::Hardware& hardware) { hardware.device = nullptr; });
    ASSERT_TRUE(graphics.start().ok()) << graphics.refusal();
    {
      GpuClient client(graphics, "client");
      ASSERT_TRUE(client.open() && client.has_workload());
      auto context = GpuContext::create(client, 0);
      ASSERT_TRUE(context);
      body({graphics, client, *context});
    }
    graphics.stop();
  }

  static GpuBuffer make(GpuClient& client, Place place, uint64_t bytes = kBytes) {
    auto buffer = client.make_buffer(bytes, place);
    EXPECT_TRUE(buffer);
    return buffer.value_or(GpuBuffer{});
  }
  static volatile uint64_t* lock(GpuClient& client, const GpuBuffer& buffer) {
    uint8_t* bytes = nullptr;
    EXPECT_EQ(client.lock(buffer, &bytes), STATUS_SUCCESS);
    return reinterpret_cast<volatile uint64_t*>(bytes);
  }
  static void write(volatile uint64_t* words, uint64_t salt) {
    for (size_t i = 0; i < kWords; ++i) words[i] = salt + i;
  }
  static bool reads(const volatile uint64_t* words, uint64_t salt) {
    for (size_t i = 0; i < kWords; ++i) {
      if (words[i] != salt + i) return false;
    }
    return true;
  }
  // What the GPU finds in the buffer.
  static bool gpu_reads(ScenarioEnvironment stage, const GpuBuffer& buffer, uint64_t salt) {
    GpuBuffer seen = make(stage.client, Place::Readback);
    EXPECT_EQ(stage.context.submit(GpuCommands().copy(buffer, 0, seen, 0, kBytes)), STATUS_SUCCESS);
    EXPECT_EQ(stage.context.finish(), STATUS_SUCCESS);
    std::vector<uint8_t> bytes = stage.client.read(seen);
    EXPECT_EQ(stage.client.destroy_buffer(seen), STATUS_SUCCESS);
    return bytes.size() == kBytes && reads(reinterpret_cast<const uint64_t*>(bytes.data()), salt);
  }
  // How many bytes lie in local memory, by plan.
  static uint64_t local_bytes(ScenarioEnvironment stage) {
    dxgk::VideoMemory& memory = stage.graphics.adapter().memory();
    base::Guard guard(memory.lock());
    return memory.manager().statistics(SOFTGPU_SEGMENT_LOCAL).resident_bytes;
  }

  bool without_model = false;
  std::vector<std::string> expected;  // what is broken in each run
};

class SoftgpuResidentLocks : public SoftgpuLocks {};

std::string name_of(const ::testing::TestParamInfo<const char*>& about) { return about.param; }
INSTANTIATE_TEST_SUITE_P(Drivers, SoftgpuLocks, ::testing::Values("softgpu_local", "softgpu_local_physical"), name_of);
INSTANTIATE_TEST_SUITE_P(Drivers, SoftgpuResidentLocks, ::testing::Values("softgpu_local"), name_of);

TEST_P(SoftgpuResidentLocks, TheCpuAndTheGpuSeeTheSameBytes) {
  run_client([&](ScenarioEnvironment stage) {
    GpuBuffer buffer = make(stage.client, Place::Visible);
    ASSERT_EQ(stage.context.submit(GpuCommands().fill(buffer, 0, kBytes, 7)), STATUS_SUCCESS);
    ASSERT_EQ(stage.context.finish(), STATUS_SUCCESS);
    uint64_t resident = local_bytes(stage);
    volatile uint64_t* words = lock(stage.client, buffer);
    ASSERT_TRUE(words);
    EXPECT_EQ(local_bytes(stage), resident);  // it has not moved
    EXPECT_EQ(words[5], 0x0000000700000007u);
    write(words, 100);
    EXPECT_TRUE(gpu_reads(stage, buffer, 100));
    EXPECT_EQ(stage.context.submit(GpuCommands().fill(buffer, 0, 4096, 9)), STATUS_SUCCESS);
    EXPECT_EQ(stage.context.finish(), STATUS_SUCCESS);
    EXPECT_EQ(words[511], 0x0000000900000009u);
    EXPECT_EQ(words[512], 612u);
    EXPECT_EQ(stage.client.unlock(buffer), STATUS_SUCCESS);
    EXPECT_EQ(lock(stage.client, buffer), words);  // an allocation has one address
    EXPECT_EQ(words[512], 612u);
    EXPECT_EQ(stage.client.unlock(buffer), STATUS_SUCCESS);
    EXPECT_EQ(stage.client.destroy_buffer(buffer), STATUS_SUCCESS);
  });
}

TEST_P(SoftgpuResidentLocks, WhatIsLockedFirstIsUsedAfterwards) {
  run_client([&](ScenarioEnvironment stage) {
    auto buffer = stage.client.create_buffer(kBytes, Place::Visible);
    ASSERT_TRUE(buffer);
    volatile uint64_t* words = lock(stage.client, *buffer);
    ASSERT_TRUE(words);
    write(words, 200);
    ASSERT_TRUE(stage.client.prepare(*buffer));
    EXPECT_TRUE(reads(words, 200));
    EXPECT_TRUE(gpu_reads(stage, *buffer, 200));
    write(words, 300);
    EXPECT_TRUE(gpu_reads(stage, *buffer, 300));
    EXPECT_EQ(stage.client.unlock(*buffer), STATUS_SUCCESS);
    EXPECT_EQ(stage.client.destroy_buffer(*buffer), STATUS_SUCCESS);
  });
}

TEST_P(SoftgpuResidentLocks, LocksAreCounted) {
  run_client([&](ScenarioEnvironment stage) {
    GpuBuffer buffer = make(stage.client, Place::Visible);
    volatile uint64_t* words = lock(stage.client, buffer);
    ASSERT_TRUE(words);
    EXPECT_EQ(lock(stage.client, buffer), words);
    EXPECT_EQ(stage.client.unlock(buffer), STATUS_SUCCESS);
    write(words, 400);
    EXPECT_TRUE(gpu_reads(stage, buffer, 400));
    EXPECT_EQ(stage.client.unlock(buffer), STATUS_SUCCESS);
    EXPECT_EQ(stage.client.destroy_buffer(buffer), STATUS_SUCCESS);
  });
}

// The same whether commands have addresses or are patched. A patched command may not name what is locked (US-03).
TEST_P(SoftgpuLocks, ALockLeadsIntoLocalMemory) {
  run_client([&](ScenarioEnvironment stage) {
    GpuBuffer buffer = make(stage.client, Place::Visible);
    GpuCommands fill = GpuCommands().fill(buffer, 0, kBytes, 3);
    ASSERT_EQ(stage.context.submit(fill), STATUS_SUCCESS);
    ASSERT_EQ(stage.context.finish(), STATUS_SUCCESS);
    uint64_t resident = local_bytes(stage);
    EXPECT_GE(resident, kBytes);
    volatile uint64_t* words = lock(stage.client, buffer);
    ASSERT_TRUE(words);
    EXPECT_EQ(local_bytes(stage), resident);
    EXPECT_EQ(words[kWords - 1], 0x0000000300000003u);
    if (!stage.client.has_residency()) {
      EXPECT_EQ(stage.context.submit(fill), STATUS_GRAPHICS_CANT_RENDER_LOCKED_ALLOCATION);
    }
    write(words, 450);
    EXPECT_EQ(stage.client.unlock(buffer), STATUS_SUCCESS);
    EXPECT_TRUE(gpu_reads(stage, buffer, 450));
    EXPECT_EQ(stage.client.destroy_buffer(buffer), STATUS_SUCCESS);
  });
}

// That is the client's mistake. Its memory is given to others, who are not disturbed by it.
TEST_P(SoftgpuResidentLocks, WhatIsLockedCanBeDestroyed) {
  expected.assign(3, "DestroyLocked");
  run_client([&](ScenarioEnvironment stage) {
    for (uint64_t i = 0; i < 3; ++i) {
      GpuBuffer buffer = make(stage.client, Place::Visible);
      volatile uint64_t* words = lock(stage.client, buffer);
      ASSERT_TRUE(words);
      write(words, 500 + i);
      EXPECT_TRUE(gpu_reads(stage, buffer, 500 + i));
      EXPECT_EQ(stage.client.destroy_buffer(buffer), STATUS_SUCCESS);
    }
  });
}

// What the device had is lost with it, and the address is not.
TEST_P(SoftgpuLocks, TheAddressStaysWhenTheHardwareGoes) {
  run_client([&](ScenarioEnvironment stage) {
    GpuBuffer buffer = make(stage.client, Place::Visible);
    volatile uint64_t* words = lock(stage.client, buffer);
    ASSERT_TRUE(words);
    write(words, 600);
    stage.graphics.surprise_remove();
    write(words, 700);
    EXPECT_TRUE(reads(words, 700));
  });
}

// A device model that has registers only: no pointer can lead there, and the refusal says so.
TEST_P(SoftgpuResidentLocks, WithoutMemoryInTheBarALockIsRefused) {
  without_model = true;
  run_client([&](ScenarioEnvironment stage) {
    GpuBuffer buffer = make(stage.client, Place::Visible);
    uint8_t* bytes = nullptr;
    EXPECT_EQ(stage.client.lock(buffer, &bytes), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(stage.client.destroy_buffer(buffer), STATUS_SUCCESS);
    auto other = stage.client.create_buffer(kBytes, Place::Visible);
    ASSERT_TRUE(other);
    EXPECT_EQ(stage.client.lock(*other, &bytes), STATUS_SUCCESS);
    EXPECT_EQ(stage.client.make_resident(*other), STATUS_GRAPHICS_CANT_RENDER_LOCKED_ALLOCATION);
    EXPECT_EQ(stage.client.unlock(*other), STATUS_SUCCESS);
    EXPECT_EQ(stage.client.destroy_buffer(*other), STATUS_SUCCESS);
  });
}

TEST_P(SoftgpuResidentLocks, AnEvictionIsNotSeen) {
  run_client([&](ScenarioEnvironment stage) {
    GpuBuffer buffer = make(stage.client, Place::Visible);
    volatile uint64_t* words = lock(stage.client, buffer);
    ASSERT_TRUE(words);
    write(words, 800);
    uint64_t resident = local_bytes(stage);
    EXPECT_EQ(stage.client.evict(buffer), STATUS_SUCCESS);
    EXPECT_EQ(local_bytes(stage), resident - kBytes);
    EXPECT_TRUE(reads(words, 800));
    stage.graphics.adapter().memory().wait_idle();
    EXPECT_TRUE(reads(words, 800));
    write(words, 900);
    ASSERT_TRUE(stage.client.prepare(buffer));
    EXPECT_TRUE(reads(words, 900));
    EXPECT_TRUE(gpu_reads(stage, buffer, 900));
    EXPECT_EQ(stage.client.unlock(buffer), STATUS_SUCCESS);
    EXPECT_EQ(stage.client.destroy_buffer(buffer), STATUS_SUCCESS);
  });
}

// A program that writes while its bytes come and go.
TEST_P(SoftgpuResidentLocks, WritesUnderwayAreNotLost) {
  run_client([&](ScenarioEnvironment stage) {
    GpuBuffer buffer = make(stage.client, Place::Visible);
    volatile uint64_t* words = lock(stage.client, buffer);
    ASSERT_TRUE(words);
    size_t written = 0;
    auto write_some = [&] {
      for (int i = 0; i < 8; ++i) {
        for (int k = 0; k < 4 && written < kWords; ++k, ++written) words[written] = 1000 + written;
        machine().executor().yield(base::Point::Yield);
      }
    };
    while (written < kWords) {
      EXPECT_EQ(stage.client.evict(buffer), STATUS_SUCCESS);
      write_some();
      EXPECT_GE(stage.client.make_resident(buffer), 0);
      write_some();
    }
    EXPECT_EQ(stage.client.wait_for_paging(), STATUS_SUCCESS);
    EXPECT_TRUE(reads(words, 1000));
    EXPECT_TRUE(gpu_reads(stage, buffer, 1000));
    EXPECT_EQ(stage.client.unlock(buffer), STATUS_SUCCESS);
    EXPECT_EQ(stage.client.destroy_buffer(buffer), STATUS_SUCCESS);
  });
}

// Another program needs all of local memory, and then the first one runs again.
TEST_P(SoftgpuResidentLocks, WhatIsLockedMakesRoomForOthers) {
  run_client([&](ScenarioEnvironment stage) {
    GpuBuffer buffer = make(stage.client, Place::Visible);
    volatile uint64_t* words = lock(stage.client, buffer);
    ASSERT_TRUE(words);
    write(words, 1100);
    {
      GpuClient greedy(stage.graphics, "greedy");
      ASSERT_TRUE(greedy.open());
      std::vector<GpuBuffer> all;
      uint64_t local_bytes = stage.graphics.adapter().caps().segments[SOFTGPU_SEGMENT_LOCAL - 1].size;
      for (int i = 0; i < 16; ++i) {
        auto taken = greedy.create_buffer(local_bytes / 16, Place::Visible);
        ASSERT_TRUE(taken);
        if (greedy.make_resident(*taken) < 0) break;
        all.push_back(*taken);
      }
      EXPECT_EQ(greedy.wait_for_paging(), STATUS_SUCCESS);
      EXPECT_TRUE(reads(words, 1100));
      write(words, 1200);
      greedy.end();
    }
    EXPECT_TRUE(reads(words, 1200));
    EXPECT_TRUE(gpu_reads(stage, buffer, 1200));
    EXPECT_EQ(stage.client.unlock(buffer), STATUS_SUCCESS);
    EXPECT_EQ(stage.client.destroy_buffer(buffer), STATUS_SUCCESS);
  });
}

// The content is lost, not the address.
TEST_P(SoftgpuResidentLocks, AResetOfTheAdapterLeavesTheAddress) {
  run_client([&](ScenarioEnvironment stage) {
    GpuBuffer buffer = make(stage.client, Place::Visible);
    volatile uint64_t* words = lock(stage.client, buffer);
    ASSERT_TRUE(words);
    write(words, 1300);
    stage.graphics.disturb();
    ASSERT_EQ(stage.client.misbehave(DRYDOCK_HARDWARE_REFUSE_RESET, SOFTGPU_ENGINE_RENDER, 1), STATUS_SUCCESS);
    ASSERT_EQ(stage.client.misbehave(DRYDOCK_HARDWARE_HANG, SOFTGPU_ENGINE_RENDER, 1), STATUS_SUCCESS);
    stage.context.submit(GpuCommands().fill(buffer, 0, kBytes, 1));
    stage.context.submit(GpuCommands().fill(buffer, 0, kBytes, 1));
    stage.context.finish();
    EXPECT_TRUE(stage.client.lost());
    write(words, 1400);
    EXPECT_TRUE(reads(words, 1400));
  });
}

}  // namespace
}  // namespace softgpu
