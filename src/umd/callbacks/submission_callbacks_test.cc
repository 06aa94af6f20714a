#include <algorithm>
#include <cstring>

#include "umd/testing/umd_fixture.h"

namespace umd::testing {
namespace {

using dxgk::Ddi;

// --- pfnRenderCb ---

class RenderCallbackTest : public UmdTest {
 protected:
  RenderCallbackTest() : UmdTest(Model::Wddm13) {}

  // A fill of one allocation, written where the kernel said.
  D3DDDICB_RENDER batch(const D3DDDICB_CREATECONTEXT& context, D3DKMT_HANDLE allocation) {
    std::memset(context.pCommandBuffer, 1, 64);
    context.pAllocationList[0] = {};
    context.pAllocationList[0].hAllocation = allocation;
    context.pAllocationList[0].WriteOperation = 1;
    context.pPatchLocationList[0] = {};
    context.pPatchLocationList[0].PatchOffset = 8;
    D3DDDICB_RENDER args{};
    args.hContext = context.hContext;
    args.CommandLength = 64;
    args.NumAllocations = 1;
    args.NumPatchLocations = 1;
    return args;
  }
  HRESULT render(D3DDDICB_RENDER& args) { return table().pfnRenderCb(handle(), &args); }
  bool owes(HANDLE context) {
    RuntimeGuard guard(device().runtime.lock);
    return static_cast<Context*>(device().runtime.handles.find(context).object)->owes_amortization;
  }
  void expect_refused(D3DDDICB_RENDER& args, HRESULT result, const std::vector<std::string>& findings,
                      base::Here where = base::Here::now()) {
    size_t before = driver.calls(Ddi::Render);
    EXPECT_EQ(render(args), result) << "line " << where.line;
    EXPECT_EQ(driver.calls(Ddi::Render), before) << "line " << where.line;
    expect_found(findings, where);
  }
};

TEST_F(RenderCallbackTest, SubmitsAndLendsTheNextBuffers) {
  run_driver([&] {
    auto context = make_context();
    auto args = batch(context, allocate());
    EXPECT_FALSE(owes(context.hContext));
    EXPECT_EQ(render(args), S_OK);
    EXPECT_EQ(driver.calls(Ddi::Render), 1u);
    EXPECT_EQ(submissions(), 1u);
    EXPECT_TRUE(owes(context.hContext));
    EXPECT_EQ(args.QueuedBufferCount, 1u);
    EXPECT_NE(args.pNewCommandBuffer, nullptr);
    EXPECT_EQ(args.NewCommandBufferSize, 4096u);
    EXPECT_EQ(args.NewAllocationListSize, 16u);
    EXPECT_EQ(args.NewPatchLocationListSize, 32u);
    expect_found({});
  });
}

TEST_F(RenderCallbackTest, NoContextIsTheFirst) {
  run_driver([&] {
    D3DDDICB_RENDER nothing{};
    expect_refused(nothing, E_INVALIDARG, {"UmdWrongHandle"});
    auto first = make_context();
    auto second = make_context();
    auto args = batch(first, allocate());
    args.hContext = nullptr;
    EXPECT_EQ(render(args), S_OK);
    EXPECT_TRUE(owes(first.hContext));
    EXPECT_FALSE(owes(second.hContext));
  });
}

TEST_F(RenderCallbackTest, WithoutCommandsNothingIsSubmitted) {
  run_driver([&] {
    auto context = make_context();
    D3DDDICB_RENDER args{};
    args.hContext = context.hContext;
    render(args);
    EXPECT_EQ(submissions(), 0u);
    EXPECT_FALSE(owes(context.hContext));
    expect_found({});
  });
}

TEST_F(RenderCallbackTest, BuffersGrowAndAreRemembered) {
  run_driver([&] {
    auto context = make_context();
    D3DKMT_HANDLE allocation = allocate();
    auto args = batch(context, allocation);
    args.Flags.ResizeCommandBuffer = args.Flags.ResizeAllocationList = args.Flags.ResizePatchLocationList = 1;
    args.NewCommandBufferSize = 10'000;
    args.NewAllocationListSize = 20;
    args.NewPatchLocationListSize = 40;
    ASSERT_EQ(render(args), S_OK);
    EXPECT_EQ(args.NewCommandBufferSize, 10'000u);
    EXPECT_EQ(args.NewAllocationListSize, 20u);
    EXPECT_EQ(args.NewPatchLocationListSize, 40u);

    context.pCommandBuffer = args.pNewCommandBuffer;
    context.pAllocationList = args.pNewAllocationList;
    context.pPatchLocationList = args.pNewPatchLocationList;
    D3DKMT_HANDLE dead = allocate_and_deallocate();
    args = batch(context, allocation);
    std::fill_n(context.pAllocationList, 20, context.pAllocationList[0]);
    context.pAllocationList[19].hAllocation = dead;
    args.NumAllocations = 20;
    expect_refused(args, D3DDDIERR_INVALIDHANDLE, {"UmdFlushLate"});
  });
}

TEST_F(RenderCallbackTest, AFailureTellsTheBuffersThatStay) {
  driver.render = [](DXGKARG_RENDER&) { return STATUS_ILLEGAL_INSTRUCTION; };
  run_driver([&] {
    auto context = make_context();
    auto args = batch(context, allocate());
    args.Flags.ResizeCommandBuffer = 1;
    args.NewCommandBufferSize = 10'000;
    EXPECT_EQ(render(args), D3DDDIERR_ILLEGALINSTRUCTION);
    EXPECT_EQ(args.pNewCommandBuffer, context.pCommandBuffer);
    EXPECT_EQ(args.NewCommandBufferSize, 4096u);
    EXPECT_EQ(args.pNewAllocationList, context.pAllocationList);
    EXPECT_EQ(submissions(), 0u);
  });
}

// Which draws a list of allocations can contain is asked where there is another context that they may be waiting in.
TEST_F(RenderCallbackTest, OfSeveralContextsAListCoversTheDrawsWhoseMemoryItNames) {
  run_driver([&] {
    Resource* drawn = resource_at(make_resource());
    auto only = make_context();
    draw(drawn);
    auto other_memory = batch(only, allocate());
    ASSERT_EQ(render(other_memory), S_OK);
    EXPECT_FALSE(pending(drawn)) << "there is one context, and all commands go there";

    auto second = make_context();
    draw(drawn);
    auto other_context = batch(second, allocate());
    ASSERT_EQ(render(other_context), S_OK);
    EXPECT_TRUE(pending(drawn));
    only.pCommandBuffer = other_memory.pNewCommandBuffer;
    only.pAllocationList = other_memory.pNewAllocationList;
    only.pPatchLocationList = other_memory.pNewPatchLocationList;
    auto named = batch(only, drawn->first_allocation);
    ASSERT_EQ(render(named), S_OK);
    EXPECT_FALSE(pending(drawn));
    expect_found({});
  });
}

TEST_F(RenderCallbackTest, OfAFlushEveryListCoversEverything) {
  run_driver([&] {
    Resource* drawn = resource_at(make_resource());
    make_context();
    auto second = make_context();
    draw(drawn);
    auto args = batch(second, allocate());
    in_function("Flush", Role::Flush, [&] { ASSERT_EQ(render(args), S_OK); });
    EXPECT_FALSE(pending(drawn));
  });
}

TEST_F(RenderCallbackTest, ADeadAllocationIsALateFlush) {
  run_driver([&] {
    auto args = batch(make_context(), allocate_and_deallocate());
    expect_refused(args, D3DDDIERR_INVALIDHANDLE, {"UmdFlushLate"});
    EXPECT_EQ(submissions(), 0u);
  });
}

TEST_F(RenderCallbackTest, WhatTheKernelRefusesIsTranslated) {
  run_driver([&] {
    auto context = make_context();
    D3DKMT_HANDLE allocation = allocate();
    auto args = batch(context, kNoHandle);
    expect_refused(args, D3DDDIERR_INVALIDHANDLE, {"RenderDeadHandle"});
    args = batch(context, allocation);
    args.NumAllocations = 17;
    expect_refused(args, E_INVALIDARG, {});
    args = batch(context, allocation);
    args.Flags.Reserved = 1;
    expect_refused(args, E_INVALIDARG, {});
    args = batch(context, allocation);
    args.BroadcastContextCount = 1;
    args.BroadcastContext[0] = make_context().hContext;
    expect_refused(args, D3DERR_NOTAVAILABLE, {});
    args.BroadcastContextCount = D3DDDI_MAX_BROADCAST_CONTEXT + 1;
    expect_refused(args, E_INVALIDARG, {});
    args.BroadcastContextCount = 1;
    args.BroadcastContext[0] = handle();
    expect_refused(args, E_INVALIDARG, {"UmdWrongHandle"});
    lose_device();
    args = batch(context, allocation);
    expect_refused(args, D3DDDIERR_DEVICEREMOVED, {});
  });
}

TEST_F(RenderCallbackTest, TwoThreadsInOneContextAreFound) {
  HANDLE context = nullptr;
  driver.at[Ddi::Render] = [&] {
    on_other_thread([&] {
      in_function("Draw", Role::Draw, [&] {
        D3DDDICB_RENDER args{};
        args.hContext = context;
        EXPECT_EQ(render(args), E_INVALIDARG);
      });
    });
  };
  run_driver([&] {
    auto made = make_context();
    context = made.hContext;
    auto args = batch(made, allocate());
    EXPECT_EQ(render(args), S_OK);
    expect_found({"UmdContextShared"});
  });
}

// --- Where a free-threaded driver submits ---

TEST_F(RenderCallbackTest, OnlyTheImmediateContextSubmits) {
  run_driver([&] {
    auto context = make_context();
    D3DKMT_HANDLE allocation = allocate();
    auto submit_in = [&](const char* name, Role role) {
      HRESULT result = S_OK;
      in_function(name, role, [&] {
        auto args = batch(context, allocation);
        result = render(args);
        if (args.pNewCommandBuffer) context.pCommandBuffer = args.pNewCommandBuffer;
      });
      return result;
    };
    EXPECT_EQ(submit_in("DestroyResource", Role::Destroy), S_OK) << "of Direct3D 9";
    device().threaded = true;
    EXPECT_EQ(submit_in("Flush", Role::Flush), S_OK);
    EXPECT_EQ(submit_in("Draw", Role::Draw), S_OK) << "the buffer may be full";
    expect_found({});
    EXPECT_EQ(submit_in("DestroyResource", Role::Destroy), E_INVALIDARG);
    expect_found({"UmdFlushInDestroy"});
    EXPECT_EQ(submit_in("CreateResource", Role::Create), E_INVALIDARG);
    expect_found({"UmdRenderOutsideFlush"});
    EXPECT_EQ(submit_in("OpenResource", Role::Open), E_INVALIDARG);
    expect_found({"UmdRenderOutsideFlush"});
    on_other_thread([&] {
      auto args = batch(context, allocation);
      EXPECT_EQ(render(args), E_INVALIDARG);
    });
    expect_found({"UmdRenderOutsideFlush"});
  });
}

// --- pfnSubmitCommandCb ---

class SubmitCallbackTest : public UmdTest {
 protected:
  static D3DDDICB_SUBMITCOMMAND commands(HANDLE context) {
    D3DDDICB_SUBMITCOMMAND args{};
    args.Commands = 0x10000;
    args.CommandLength = 64;
    args.BroadcastContextCount = 1;
    args.BroadcastContext[0] = context;
    return args;
  }
  HRESULT submit(const D3DDDICB_SUBMITCOMMAND& args) { return table().pfnSubmitCommandCb(handle(), &args); }
  void expect_refused(const D3DDDICB_SUBMITCOMMAND& args, HRESULT result, const std::vector<std::string>& findings,
                      base::Here where = base::Here::now()) {
    EXPECT_EQ(submit(args), result) << "line " << where.line;
    EXPECT_EQ(submissions(), 0u) << "line " << where.line;
    expect_found(findings, where);
  }
};

TEST_F(SubmitCallbackTest, SubmitsToTheContext) {
  run_driver([&] {
    HANDLE context = make_virtual_context();
    EXPECT_EQ(submit(commands(context)), S_OK);
    EXPECT_EQ(submissions(), 1u);
    auto args = commands(context);
    args.CommandLength = 0;
    EXPECT_EQ(submit(args), S_OK);
    EXPECT_EQ(submissions(), 1u) << "nothing was in it";
    expect_found({});
  });
  EXPECT_EQ(driver.calls(Ddi::SubmitCommandVirtual), 2u);
}

TEST_F(SubmitCallbackTest, CommandsGoThroughTheFunctionOfTheirContext) {
  run_driver([&] {
    HANDLE context = make_virtual_context();
    D3DDDICB_RENDER render{};
    render.hContext = context;
    EXPECT_EQ(table().pfnRenderCb(handle(), &render), E_INVALIDARG);
    expect_found({"UmdWrongSubmission"});
    expect_refused(commands(make_context().hContext), E_INVALIDARG, {"UmdWrongSubmission"});
  });
}

TEST_F(SubmitCallbackTest, WrongHandlesAreFound) {
  run_driver([&] {
    expect_refused(commands(nullptr), E_INVALIDARG, {"UmdWrongHandle"});
    expect_refused(commands(make_virtual_context(&other_device())), E_INVALIDARG, {"UmdWrongHandle"});
    auto args = commands(make_virtual_context());
    args.NumPrimaries = 2;
    args.WrittenPrimaries[0] = allocate();
    args.WrittenPrimaries[1] = allocate_and_deallocate();
    expect_refused(args, D3DDDIERR_INVALIDHANDLE, {"UmdFlushLate"});
  });
}

TEST_F(SubmitCallbackTest, APrimaryThatIsWrittenIsListed) {
  run_driver([&] {
    Resource* primary;
    {
      RuntimeGuard guard(device().runtime.lock);
      primary = &device().add_resource();
    }
    D3DKMT_HANDLE allocation = allocate(primary->handle);
    auto args = commands(make_virtual_context());
    auto write = [&] {
      Frame frame;
      in_function("Clear", Role::Draw, [&] { frame = *device().frame(); });
      device().use(frame, {primary});
      device().write(frame, primary);
    };
    write();
    EXPECT_EQ(table().pfnSubmitCommandCb(handle(), &args), S_OK);
    expect_found({});  // it is not on a screen
    primary->scanned_out = true;
    EXPECT_EQ(table().pfnSubmitCommandCb(handle(), &args), S_OK);
    expect_found({});  // nothing was written
    write();
    EXPECT_EQ(table().pfnSubmitCommandCb(handle(), &args), S_OK);
    expect_found({"UmdPrimaryUnlisted"});
    write();
    args.NumPrimaries = 1;
    args.WrittenPrimaries[0] = allocation;
    EXPECT_EQ(table().pfnSubmitCommandCb(handle(), &args), S_OK);
    expect_found({});
  });
}

// What the engines of several contexts can do is asked of the kernel.
TEST_F(SubmitCallbackTest, ACopyEngineCoversNoDraw) {
  driver.nodes = 2;
  driver.engine = [](UINT node) { return node == 1 ? DXGK_ENGINE_TYPE_COPY : DXGK_ENGINE_TYPE_3D; };
  run_driver([&] {
    Resource *drawn = resource_at(make_resource()), *copied = resource_at(make_resource());
    HANDLE render = make_virtual_context(), copy = make_virtual_context(nullptr, 1);
    draw(drawn);
    device().use(*device().frame(), {copied});
    auto on_copy = commands(copy);
    ASSERT_EQ(table().pfnSubmitCommandCb(handle(), &on_copy), S_OK);
    EXPECT_TRUE(pending(drawn));
    EXPECT_FALSE(pending(copied)) << "it may be in it";
    auto on_both = commands(copy);
    on_both.BroadcastContextCount = 2;
    on_both.BroadcastContext[1] = render;
    ASSERT_EQ(table().pfnSubmitCommandCb(handle(), &on_both), S_OK);
    EXPECT_FALSE(pending(drawn));
    expect_found({});
  });
}

TEST_F(SubmitCallbackTest, TheOnlyContextCoversEverything) {
  driver.engine = [](UINT) { return DXGK_ENGINE_TYPE_COPY; };
  run_driver([&] {
    Resource* drawn = resource_at(make_resource());
    HANDLE only = make_virtual_context();
    draw(drawn);
    auto args = commands(only);
    ASSERT_EQ(table().pfnSubmitCommandCb(handle(), &args), S_OK);
    EXPECT_FALSE(pending(drawn));
  });
}

TEST_F(SubmitCallbackTest, WhatTheKernelRefusesIsTranslated) {
  run_driver([&] {
    HANDLE context = make_virtual_context();
    auto args = commands(context);
    args.BroadcastContextCount = 0;
    expect_refused(args, E_INVALIDARG, {});
    args.BroadcastContextCount = D3DDDI_MAX_BROADCAST_CONTEXT + 1;
    expect_refused(args, E_INVALIDARG, {});
    args = commands(context);
    args.NumPrimaries = D3DDDI_MAX_WRITTEN_PRIMARIES + 1;
    expect_refused(args, E_INVALIDARG, {});
    args = commands(context);
    args.Flags.Reserved = 1;
    expect_refused(args, E_INVALIDARG, {});
    lose_device();
    expect_refused(commands(context), D3DDDIERR_DEVICEREMOVED, {});
  });
}

TEST_F(SubmitCallbackTest, ADestructionOfDirect3D11DoesNotSubmit) {
  run_driver([&] {
    HANDLE context = make_virtual_context();
    device().threaded = true;
    in_function("DestroyResource", Role::Destroy,
                [&] { expect_refused(commands(context), E_INVALIDARG, {"UmdFlushInDestroy"}); });
  });
}

}  // namespace
}  // namespace umd::testing
