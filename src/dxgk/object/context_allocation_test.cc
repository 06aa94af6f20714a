// The third founding page, DXGKCB_DESTROYCONTEXTALLOCATION, and its companions.
#include "dxgk/object/context_allocation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sanitizer.h"
#include "dxgk/ddi/driver_names.h"
#include "dxgk/testing/gpu_fixture.h"
#include "nt/machine/history.h"

namespace dxgk {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::GpuTest;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Model;
using ::testing::StartsWith;

constexpr UINT kLocal = 1u << 1;  // the fake driver's second segment

class ContextAllocationTest : public GpuTest {
 protected:
  explicit ContextAllocationTest(Model model = Model::Wddm20) : GpuTest(model) {
    driver.build_paging = [this](DXGKARG_BUILDPAGINGBUFFER& args) {
      operations.push_back(args.Operation);
      if (args.Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE) {
        initialised.push_back(args.InitContextResource.hAllocation);
        gpu_address = args.InitContextResource.Destination.GpuVirtualAddress;
      }
      return STATUS_SUCCESS;
    };
  }

  DXGKARGCB_CREATECONTEXTALLOCATION wanted(HANDLE context) {
    DXGKARGCB_CREATECONTEXTALLOCATION args{};
    args.hAdapter = driver.device_handle();
    args.hContext = context;
    args.hDriverAllocation = own();
    args.Size = 4096;
    args.SupportedSegmentSet = kLocal;
    args.PreferredSegment.SegmentId0 = 2;
    return args;
  }
  HANDLE own() { return &own_; }
  NTSTATUS create(DXGKARGCB_CREATECONTEXTALLOCATION& args) {
    return driver.interface.DxgkCbCreateContextAllocation(&args);
  }
  NTSTATUS destroy_it(HANDLE allocation) {
    return driver.interface.DxgkCbDestroyContextAllocation(driver.device_handle(), allocation);
  }
  // The driver keeps one for each context, as it should.
  void keep_state() {
    driver.create_context = [this](const DXGKARG_CREATECONTEXT& args) {
      DXGKARGCB_CREATECONTEXTALLOCATION allocation = wanted(args.hContext);
      NTSTATUS status = create(allocation);
      state = allocation.hAllocation;
      return status;
    };
    driver.destroy_context = [this](HANDLE) {
      if (state) destroyed_with = destroy_it(std::exchange(state, nullptr));
    };
  }
  size_t count(DXGK_BUILDPAGINGBUFFER_OPERATION operation) const {
    return static_cast<size_t>(std::count(operations.begin(), operations.end(), operation));
  }

  std::vector<DXGK_BUILDPAGINGBUFFER_OPERATION> operations;
  std::vector<HANDLE> initialised;
  D3DGPU_VIRTUAL_ADDRESS gpu_address = 0;
  HANDLE state = nullptr;
  NTSTATUS destroyed_with = STATUS_PENDING;

 private:
  int own_ = 0;
};

TEST_F(ContextAllocationTest, IsInitialisedOnceUnderTheDriversOwnHandle) {
  keep_state();
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    base::Ref<Context> context = make_context(client);
    adapter.memory().wait_idle();
    EXPECT_THAT(initialised, ElementsAre(own()));
    EXPECT_THAT(submit(context).ok(), true);
    wait_for_submissions(1);
    complete(1);
    destroy(client, *context);
    EXPECT_EQ(initialised.size(), 1u);
    EXPECT_EQ(destroyed_with, STATUS_SUCCESS);
    client.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(ContextAllocationTest, DestroyedWhileTheGpuMayUseItItWaits) {
  keep_state();
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    base::Ref<Context> context = make_context(client);
    ASSERT_TRUE(submit(context).ok());
    wait_for_submissions(1);
    size_t before = 0;
    {
      base::Guard guard(adapter.memory().lock());
      before = adapter.memory().manager().block_count();
    }
    EXPECT_EQ(destroy_it(std::exchange(state, nullptr)), STATUS_SUCCESS);
    adapter.memory().wait_idle();
    {
      base::Guard guard(adapter.memory().lock());
      EXPECT_EQ(adapter.memory().manager().block_count(), before);  // the packet is still in the hardware
    }
    complete(1);
    adapter.gpu().wait_for_passed(*client.device);
    adapter.memory().wait_idle();
    {
      base::Guard guard(adapter.memory().lock());
      EXPECT_EQ(adapter.memory().manager().block_count(), before - 1);
    }
    destroy(client, *context);
    client.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(ContextAllocationTest, TheHandleIsTheOneThatCreateGaveAndDiesWithIt) {
  observer.then = nt::Then::GoOn;
  keep_state();
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    base::Ref<Context> context = make_context(client);
    HANDLE allocation = state;
    EXPECT_EQ(destroy_it(own()), STATUS_INVALID_PARAMETER);  // the driver's own
    EXPECT_EQ(destroy_it(allocation), STATUS_SUCCESS);
    EXPECT_EQ(destroy_it(allocation), STATUS_INVALID_PARAMETER);  // a second time
    EXPECT_EQ(destroy_it(nullptr), STATUS_INVALID_PARAMETER);
    state = nullptr;
    destroy(client, *context);
    client.process->end();
  });
  EXPECT_THAT(broken(),
              ElementsAre("ContextAllocationBadHandle", "ContextAllocationBadHandle", "ContextAllocationBadHandle"));
}

TEST_F(ContextAllocationTest, TheAdapterIsNamedByItsDeviceHandle) {
  observer.then = nt::Then::GoOn;
  keep_state();
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    base::Ref<Context> context = make_context(client);
    EXPECT_EQ(driver.interface.DxgkCbDestroyContextAllocation(driver.context(), state), STATUS_INVALID_PARAMETER);
    destroy(client, *context);
    client.process->end();
  });
  EXPECT_THAT(broken(), ElementsAre("CallbackBadHandle"));
}

TEST_F(ContextAllocationTest, OfAContextOrOfADeviceAndOfNothingElse) {
  observer.then = nt::Then::GoOn;
  std::vector<NTSTATUS> answers;
  driver.create_context = [&](const DXGKARG_CREATECONTEXT& args) {
    auto attempt = [&](auto change) {
      DXGKARGCB_CREATECONTEXTALLOCATION allocation = wanted(args.hContext);
      change(allocation);
      answers.push_back(create(allocation));
      if (allocation.hAllocation) {
        EXPECT_EQ(destroy_it(allocation.hAllocation), STATUS_SUCCESS);
      }
    };
    attempt([](auto&) {});
    attempt([](auto& it) { it.hContext = nullptr; });
    attempt([](auto& it) { it.Size = 0; });
    attempt([](auto& it) { it.SupportedSegmentSet = 1u << 7; });
    attempt([this](auto& it) { it.hContext = own(); });
    return STATUS_SUCCESS;
  };
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    base::Ref<Context> context = make_context(client);
    destroy(client, *context);
    client.process->end();
  });
  EXPECT_THAT(answers, ElementsAre(STATUS_SUCCESS, STATUS_INVALID_PARAMETER, STATUS_INVALID_PARAMETER,
                                   STATUS_INVALID_PARAMETER, STATUS_INVALID_PARAMETER));
  EXPECT_EQ(broken(), std::vector<std::string>(4, "ContextAllocationWrong"));
}

// The pages say "should be zero" and "should be NULL": both are told, and the rest of the call decides.
TEST_F(ContextAllocationTest, WhatShouldBeZeroIsToldAndIgnored) {
  observer.then = nt::Then::GoOn;
  std::vector<NTSTATUS> answers;
  driver.create_context = [&](const DXGKARG_CREATECONTEXT& args) {
    DXGKARGCB_CREATECONTEXTALLOCATION reserved = wanted(args.hContext), shared = wanted(args.hContext);
    reserved.ContextAllocationFlags.Reserved = 1;
    shared.ContextAllocationFlags.SharedAcrossContexts = 1;
    shared.hDevice = nullptr;
    for (auto* each : {&reserved, &shared}) {
      answers.push_back(create(*each));
      if (each->hAllocation) EXPECT_EQ(destroy_it(each->hAllocation), STATUS_SUCCESS);
    }
    return STATUS_SUCCESS;
  };
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    base::Ref<Context> context = make_context(client);
    destroy(client, *context);
    client.process->end();
  });
  EXPECT_THAT(answers, ElementsAre(STATUS_SUCCESS, STATUS_INVALID_PARAMETER)) << "the second names no device";
  EXPECT_THAT(broken(),
              ElementsAre("ContextAllocationReserved", "ContextAllocationReserved", "ContextAllocationWrong"));
}

TEST_F(ContextAllocationTest, WhatTheDriverForgetsIsALeakOfItsContext) {
  observer.then = nt::Then::GoOn;
  keep_state();
  driver.destroy_context = nullptr;
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    base::Ref<Context> context = make_context(client);
    destroy(client, *context);
    client.process->end();
  });
  ASSERT_THAT(broken(), ElementsAre("Leak"));
  EXPECT_THAT(observer.violations[0].sentence, HasSubstr("a context allocation"));
}

// B1: made in the first DxgkDdiCreateContext of a device, for all of its contexts, and given back with the device.
TEST_F(ContextAllocationTest, OfAllContextsOfADeviceItEndsWithTheDevice) {
  HANDLE device_name = nullptr;
  driver.create_context = [&](const DXGKARG_CREATECONTEXT&) -> NTSTATUS {
    if (state) return STATUS_SUCCESS;
    DXGKARGCB_CREATECONTEXTALLOCATION shared = wanted(nullptr);
    shared.ContextAllocationFlags.SharedAcrossContexts = 1;
    shared.hDevice = device_name;
    NTSTATUS status = create(shared);
    state = shared.hAllocation;
    return status;
  };
  driver.at[Ddi::DestroyDevice] = [&] {
    if (state) destroyed_with = destroy_it(std::exchange(state, nullptr));
  };
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    for (const auto& [name, object] : adapter.names().all(DriverNames::Kind::Device)) device_name = name;
    base::Ref<Context> first = make_context(client), second = make_context(client);
    destroy(client, *first);
    EXPECT_TRUE(state) << "the second context uses it";
    destroy(client, *second);
    client.process->end();
  });
  EXPECT_EQ(destroyed_with, STATUS_SUCCESS);
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(ContextAllocationTest, OfAllContextsOfADeviceItIsALeakOfTheDevice) {
  observer.then = nt::Then::GoOn;
  HANDLE device_name = nullptr;
  driver.create_context = [&](const DXGKARG_CREATECONTEXT&) -> NTSTATUS {
    DXGKARGCB_CREATECONTEXTALLOCATION shared = wanted(nullptr);
    shared.ContextAllocationFlags.SharedAcrossContexts = 1;
    shared.hDevice = device_name;
    return create(shared);
  };
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    for (const auto& [name, object] : adapter.names().all(DriverNames::Kind::Device)) device_name = name;
    base::Ref<Context> context = make_context(client);
    destroy(client, *context);
    EXPECT_THAT(broken(), IsEmpty()) << "not of the context";
    client.process->end();
  });
  EXPECT_THAT(broken(), ElementsAre("Leak"));
}

// C6: numbers that cannot be are told, and none of them comes to the memory manager.
TEST_F(ContextAllocationTest, NumbersThatCannotBe) {
  observer.then = nt::Then::GoOn;
  using Args = DXGKARGCB_CREATECONTEXTALLOCATION;
  const std::vector<void (*)(Args&)> spoils = {
      [](Args& args) { args.Size = SIZE_MAX; },
      [](Args& args) { args.SupportedSegmentSet = 1u << 20; },
      [](Args& args) { args.PreferredSegment.SegmentId2 = 31; },
      [](Args& args) { args.EvictionSegmentSet = 0xFFFFFFFF; },
      [](Args& args) { args.EvictionSegmentSet = kLocal; },
      [](Args& args) { args.Flags.Value = 0xFFFFFFFF & ~0x9u; },
      [](Args& args) { args.PhysicalAdapterIndex = 77; },
  };
  std::vector<NTSTATUS> answers;
  driver.create_context = [&](const DXGKARG_CREATECONTEXT& args) {
    for (auto* spoil : spoils) {
      Args one = wanted(args.hContext);
      spoil(one);
      answers.push_back(create(one));
    }
    return STATUS_SUCCESS;
  };
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    base::Ref<Context> context = make_context(client);
    destroy(client, *context);
    client.process->end();
  });
  EXPECT_THAT(answers, ::testing::AllOf(::testing::SizeIs(spoils.size()), ::testing::Each(STATUS_INVALID_PARAMETER)));
  EXPECT_THAT(broken(), ::testing::AllOf(::testing::SizeIs(spoils.size()), ::testing::Each("ContextAllocationWrong")));
}

TEST_F(ContextAllocationTest, AnyAlignmentIsKept) {
  for (UINT alignment : {1u, 256u, 5000u, 0x3000u, 0x0010'0001u}) {
    std::vector<NTSTATUS> answers;
    driver.create_context = [&](const DXGKARG_CREATECONTEXT& args) {
      DXGKARGCB_CREATECONTEXTALLOCATION first = wanted(args.hContext), odd = wanted(args.hContext);
      odd.Alignment = alignment;
      for (auto* one : {&first, &odd}) answers.push_back(create(*one));
      for (auto* one : {&first, &odd}) answers.push_back(destroy_it(one->hAllocation));
      return STATUS_SUCCESS;
    };
    run_started([&](Adapter& adapter) {
      Client client = open(adapter);
      base::Ref<Context> context = make_context(client);
      destroy(client, *context);
      client.process->end();
    });
    EXPECT_THAT(answers, ::testing::Each(STATUS_SUCCESS)) << alignment;
  }
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(ContextAllocationTest, AnUpdateWithDataThatIsNotThere) {
  observer.then = nt::Then::GoOn;
  keep_state();
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    base::Ref<Context> context = make_context(client);
    DXGKARGCB_UPDATECONTEXTALLOCATION update{};
    update.hAllocation = state;
    update.PrivateDriverDataSize = 64;
    EXPECT_EQ(driver.interface.DxgkCbUpdateContextAllocation(driver.device_handle(), &update),
              STATUS_INVALID_PARAMETER);
    destroy(client, *context);
    client.process->end();
  });
  EXPECT_THAT(broken(), ElementsAre("ContextAllocationWrong"));
}

TEST_F(ContextAllocationTest, WithMapGpuVirtualAddressTheDriverIsToldWhere) {
  driver.create_context = [this](const DXGKARG_CREATECONTEXT& args) {
    DXGKARGCB_CREATECONTEXTALLOCATION allocation = wanted(args.hContext);
    allocation.ContextAllocationFlags.MapGpuVirtualAddress = 1;
    NTSTATUS status = create(allocation);
    state = allocation.hAllocation;
    return status;
  };
  driver.destroy_context = [this](HANDLE) {
    if (state) destroy_it(std::exchange(state, nullptr));
  };
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    base::Ref<Context> context = make_context(client);
    adapter.memory().wait_idle();
    EXPECT_NE(gpu_address, 0u);
    DXGKARGCB_MAPCONTEXTALLOCATION again{};
    again.hAllocation = state;
    again.SizeInPages = 1;
    again.Protection.Write = 1;
    D3DGPU_VIRTUAL_ADDRESS second = driver.interface.DxgkCbMapContextAllocation(driver.device_handle(), &again);
    EXPECT_NE(second, 0u);
    EXPECT_NE(second, gpu_address);
    destroy(client, *context);
    client.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

// CX-17. A base address that is taken is no mistake, and answered with 0.
TEST_F(ContextAllocationTest, OnlyPagesThatItHasAreMapped) {
  observer.then = nt::Then::GoOn;
  keep_state();
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    base::Ref<Context> context = make_context(client);
    auto map = [&](uint64_t base, uint64_t offset, uint64_t pages) {
      DXGKARGCB_MAPCONTEXTALLOCATION args{};
      args.BaseAddress = base;
      args.MaximumAddress = base ? 1 : 0;  // ignored with a base
      args.hAllocation = state;
      args.OffsetInPages = offset;
      args.SizeInPages = pages;
      return driver.interface.DxgkCbMapContextAllocation(driver.device_handle(), &args);
    };
    D3DGPU_VIRTUAL_ADDRESS first = map(0, 0, 1);
    EXPECT_NE(first, 0u);
    EXPECT_EQ(map(first + 0x10000, 0, 1), first + 0x10000);
    EXPECT_THAT(broken(), IsEmpty());
    EXPECT_EQ(map(0, 0, 2), 0u);
    EXPECT_EQ(map(0, 1, 1), 0u);
    EXPECT_EQ(map(0, 1, 0), 0u);
    EXPECT_EQ(map(first + 1, 0, 1), 0u);
    destroy(client, *context);
    client.process->end();
  });
  EXPECT_EQ(broken(), std::vector<std::string>(4, "ContextMapWrong"));
}

// CX-02. Nothing is done where it would have to wait.
TEST_F(ContextAllocationTest, IsNotTouchedAtDispatchLevel) {
  observer.then = nt::Then::GoOn;
  writer.turn_on();
  keep_state();
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    base::Ref<Context> context = make_context(client);
    DXGKARGCB_CREATECONTEXTALLOCATION another = wanted(own());
    machine().raise_irql(DISPATCH_LEVEL);
    EXPECT_EQ(create(another), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(destroy_it(state), STATUS_INVALID_PARAMETER);
    machine().lower_irql(PASSIVE_LEVEL);
    EXPECT_THAT(nt::recent_history(writer, {}, machine().self().ordinal),
                Contains(HasSubstr("function was called at DISPATCH_LEVEL or above")));
    destroy(client, *context);
    client.process->end();
  });
  EXPECT_EQ(destroyed_with, STATUS_SUCCESS);
  ASSERT_THAT(broken(), ElementsAre("CallbackIrql", "CallbackIrql"));
  EXPECT_THAT(observer.violations[0].sentence,
              StartsWith("DxgkCbCreateContextAllocation was called at DISPATCH_LEVEL"));
  EXPECT_THAT(observer.violations[1].sentence,
              StartsWith("DxgkCbDestroyContextAllocation was called at DISPATCH_LEVEL"));
}

TEST_F(ContextAllocationTest, ACreationThatFailsGivesNoHandle) {
  observer.then = nt::Then::GoOn;
  run_started([&](Adapter&) {
    EXPECT_EQ(driver.interface.DxgkCbCreateContextAllocation(nullptr), STATUS_INVALID_PARAMETER);
    DXGKARGCB_CREATECONTEXTALLOCATION elsewhere = wanted(own());
    elsewhere.hAdapter = driver.context();
    elsewhere.hAllocation = own();
    EXPECT_EQ(create(elsewhere), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(elsewhere.hAllocation, nullptr);
    EXPECT_THAT(broken(), ElementsAre("CallbackBadHandle"));

    DXGKARGCB_CREATECONTEXTALLOCATION failing = wanted(own());
    failing.hAllocation = own();
    observer.failing_allocations = 1;
    EXPECT_EQ(create(failing), STATUS_NO_MEMORY) << "made to fail by the test";
    EXPECT_EQ(failing.hAllocation, nullptr);
  });
  ASSERT_EQ(observer.failed.size(), 1u);
  EXPECT_EQ(observer.failed[0].kind, nt::FaultKind::Callback);
  EXPECT_STREQ(observer.failed[0].what, "DxgkCbCreateContextAllocation");
}

// The driver's value means nothing any more, so that no paging operation names it.
TEST_F(ContextAllocationTest, OnceDestroyedItIsNotInitialisedAnyMore) {
  driver.create_context = [this](const DXGKARG_CREATECONTEXT& args) {
    DXGKARGCB_CREATECONTEXTALLOCATION allocation = wanted(args.hContext);
    EXPECT_EQ(create(allocation), STATUS_SUCCESS);
    EXPECT_EQ(destroy_it(allocation.hAllocation), STATUS_SUCCESS);
    return STATUS_SUCCESS;
  };
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    base::Ref<Context> context = make_context(client);
    adapter.memory().wait_idle();
    destroy(client, *context);
    client.process->end();
  });
  EXPECT_THAT(initialised, IsEmpty());
  EXPECT_THAT(broken(), IsEmpty());
}

// Nothing else has to happen for it.
TEST_F(ContextAllocationTest, ItsMemoryGoesSoonAfterItsEnd) {
  keep_state();
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    base::Ref<Context> context = make_context(client);
    adapter.memory().wait_idle();
    auto blocks = [&] {
      base::Guard guard(adapter.memory().lock());
      return adapter.memory().manager().block_count();
    };
    size_t before = blocks();
    EXPECT_EQ(destroy_it(std::exchange(state, nullptr)), STATUS_SUCCESS);
    let_pass(kSecond);
    EXPECT_EQ(blocks(), before - 1);
    destroy(client, *context);
    client.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

// The scheduler's thread resets the adapter, alone in the driver. A thread that waits in the driver for paging waits
// for that same thread. Regression: both hung.
TEST_F(ContextAllocationTest, AResetEndsAnUpdateThatWaits) {
  if (base::kSanitizer == base::Sanitizer::Thread) {
    GTEST_SKIP() << "the adapter's threads overlap in the driver, and the fake one takes no locks";
  }
  observer.then = nt::Then::GoOn;
  auto record = driver.build_paging;
  driver.build_paging = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    if (args.Operation == DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION) {
      args.pDmaBuffer = static_cast<uint8_t*>(args.pDmaBuffer) + 64;
    }
    return record(args);
  };
  std::vector<UINT> paging;
  driver.submit_virtual = [&](const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
    if (args.Flags.Paging) paging.push_back(args.SubmissionFenceId);
    return STATUS_SUCCESS;
  };
  bool reset = false;
  driver.at[Ddi::ResetFromTimeout] = [&] {
    reset = true;
    paging.clear();
  };
  run_started([&](Adapter& adapter) {
    Client hung = open(adapter, "hung"), updating = open(adapter, "updating");
    base::Ref<Context> endless = make_context(hung);
    keep_state();
    base::Ref<Context> context = make_context(updating);
    ASSERT_TRUE(submit(endless).ok());
    wait_for_submissions(1);
    uint8_t data[] = {1};
    DXGKARGCB_UPDATECONTEXTALLOCATION update{state, data, sizeof(data)};
    NTSTATUS status = STATUS_PENDING;
    machine().create_thread("in the driver", [&] {
      ParkingLock lock(updating.device->mutex());  // as in DxgkDdiEscape
      status = driver.interface.DxgkCbUpdateContextAllocation(driver.device_handle(), &update);
    });
    for (int i = 0; i < 20; ++i) {
      let_pass(kSecond);
      for (UINT fence : std::exchange(paging, {})) {
        if (reset) complete(fence);
      }
    }
    EXPECT_TRUE(reset);
    EXPECT_EQ(status, STATUS_DEVICE_REMOVED);
    adapter.memory().wait_idle();  // after the reset paging works as before
    destroy(updating, *context);
    driver.destroy_context = nullptr;
    destroy(hung, *endless);
    hung.process->end();
    updating.process->end();
  });
  EXPECT_THAT(broken(), ::testing::Each("DependentsWithoutItself"));
}

TEST_F(ContextAllocationTest, AnUpdateHasBeenCarriedOutWhenItReturns) {
  keep_state();
  std::vector<uint8_t> seen;
  auto record = driver.build_paging;
  driver.build_paging = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    if (args.Operation == DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION) {
      const auto* bytes = static_cast<const uint8_t*>(args.UpdateContextAllocation.pDriverPrivateData);
      seen.assign(bytes, bytes + args.UpdateContextAllocation.DriverPrivateDataSize);
    }
    return record(args);
  };
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    base::Ref<Context> context = make_context(client);
    uint8_t data[] = {1, 2, 3};
    DXGKARGCB_UPDATECONTEXTALLOCATION update{state, data, sizeof(data)};
    EXPECT_EQ(driver.interface.DxgkCbUpdateContextAllocation(driver.device_handle(), &update), STATUS_SUCCESS);
    EXPECT_THAT(seen, ElementsAre(1, 2, 3));
    destroy(client, *context);
    client.process->end();
  });
  EXPECT_THAT(broken(), IsEmpty());
}

class OldContextAllocationTest : public ContextAllocationTest {
 protected:
  OldContextAllocationTest() : ContextAllocationTest(Model::Wddm13) {}
};

TEST_F(OldContextAllocationTest, IsPinnedAndInitialisedWithoutAList) {
  keep_state();
  run_started([&](Adapter& adapter) {
    Client client = open(adapter);
    auto created = Context::create(*client.device, {}, {});
    ASSERT_TRUE(created.ok());
    adapter.memory().wait_idle();
    EXPECT_EQ(count(DXGK_OPERATION_INIT_CONTEXT_RESOURCE), 1u);
    { auto dropped = created.take(); }
    client.process->end();
  });
  EXPECT_EQ(destroyed_with, STATUS_SUCCESS);
  EXPECT_THAT(broken(), IsEmpty());
}

// CX-01: since WDDM 1.2.
TEST_F(OldContextAllocationTest, IsNotForDriversOfWindows7) {
  observer.then = nt::Then::GoOn;
  std::vector<NTSTATUS> answers;
  driver.create_context = [&](const DXGKARG_CREATECONTEXT& args) {
    DXGKARGCB_CREATECONTEXTALLOCATION allocation = wanted(args.hContext);
    answers.push_back(create(allocation));
    if (allocation.hAllocation) answers.push_back(destroy_it(allocation.hAllocation));
    return STATUS_SUCCESS;
  };
  hardware.interface_version = DXGKDDI_INTERFACE_VERSION_WIN8;  // Windows is newer than the driver
  for (ULONG version : {DXGKDDI_INTERFACE_VERSION_WIN7, DXGKDDI_INTERFACE_VERSION_WIN8}) {
    driver.table.Version = version;
    run_started([&](Adapter& adapter) {
      Client client = open(adapter);
      auto created = Context::create(*client.device, {}, {});
      ASSERT_TRUE(created.ok());
      adapter.memory().wait_idle();
      { auto dropped = created.take(); }
      client.process->end();
    });
  }
  EXPECT_THAT(answers, ElementsAre(STATUS_INVALID_PARAMETER, STATUS_SUCCESS, STATUS_SUCCESS));
  EXPECT_THAT(broken(), ElementsAre("ContextAllocationTooOld"));
}

}  // namespace
}  // namespace dxgk
