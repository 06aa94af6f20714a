#include "umd/d3d9/device9.h"

#include <gtest/gtest.h>

#include "kmt/testing/kmt_fixture.h"
#include "umd/callbacks/callback_judgement.h"
#include "umd/d3d9/adapter9.h"
#include "umd/testing/fake_driver9.h"

namespace umd {
namespace {

using kmt::testing::Findings;
using testing::FakeDriver9;

constexpr D3DDDIFORMAT kFormat = D3DDDIFMT_A8R8G8B8;

// A Direct3D 9 program above the fake user-mode driver, above the kernel with the fake miniport.
class Device9Test : public kmt::testing::KmtTest {
 protected:
  void run_device(const std::function<void(Device9&)>& body) {
    run_opened([&](Adapter9& adapter) {
      auto device = adapter.create_device();
      ASSERT_TRUE(device.ok()) << device.error();
      body(*device.value());
    });
  }
  void run_opened(const std::function<void(Adapter9&)>& body) {
    run_program([&](kmt::testing::Program& program) {
      Runtime runtime(machine(), FakeDriver9::exports(), "fake");
      auto adapter = Adapter9::open(runtime, program.client, program.adapter);
      if (!adapter.ok()) why_ = adapter.error();
      if (adapter.ok()) body(*adapter.value());
    });
  }
  static Resource* make(Device9& device, const ResourceDesc& desc = ResourceDesc::texture(16, 16, kFormat)) {
    Resource* resource = nullptr;
    EXPECT_EQ(device.create_resource(desc, &resource), S_OK);
    return resource;
  }

  static uint64_t kernel_allocations(Device9& device) {
    return device.client().process().ledger().of(ob::ObjectKind::Allocation).live;
  }

  FakeDriver9 umd_;
  std::string why_;
};

TEST_F(Device9Test, ResourcesComeAndGo) {
  run_device([&](Device9& device) {
    Resource* texture = make(device);
    Resource* buffer = make(device, ResourceDesc::vertex_buffer(256));
    EXPECT_EQ(umd_.resources.size(), 2u);
    EXPECT_EQ(device.destroy_resource(texture), S_OK);
    EXPECT_EQ(device.destroy_resource(buffer), S_OK);
    EXPECT_TRUE(umd_.resources.empty());
  });
  EXPECT_EQ(findings(), Findings{});
  EXPECT_EQ(umd_.closed, 1);
}

TEST_F(Device9Test, TheDeviceDestroysWhatTheProgramForgot) {
  run_device([&](Device9& device) {
    make(device);
    make(device, ResourceDesc::group(3, 8, 8, kFormat));
  });
  EXPECT_TRUE(umd_.resources.empty());
  EXPECT_EQ(findings(), Findings{});
}

TEST_F(Device9Test, OneCallDestroysAGroupOfSurfaces) {
  int calls = 0;
  umd_.on_destroy = [&](HANDLE resource) {
    ++calls;
    return umd_.destroy(resource);
  };
  run_device([&](Device9& device) {
    Resource* group = make(device, ResourceDesc::group(3, 8, 8, kFormat));
    EXPECT_EQ(device.destroy_resource(group), S_OK);
    EXPECT_EQ(calls, 1);
  });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(findings(), Findings{});
}

// --- Opening ---

TEST_F(Device9Test, ADriverThatRefusesIsNamed) {
  umd_.open_result = E_OUTOFMEMORY;
  run_opened([](Adapter9&) { FAIL(); });
  EXPECT_EQ(why_, "OpenAdapter of fake returned E_OUTOFMEMORY");
  EXPECT_EQ(umd_.closed, 0);
}

TEST_F(Device9Test, AVersionThatThereIsNotIsRefused) {
  umd_.version = 0x7FFFFFFF;
  run_opened([](Adapter9&) { FAIL(); });
  EXPECT_EQ(findings(), Findings{"UmdVersionImpossible"});
  EXPECT_EQ(umd_.closed, 1);
}

TEST_F(Device9Test, AHoleInTheAdaptersTableIsRefused) {
  umd_.hole = "pfnGetCaps";
  run_opened([](Adapter9&) { FAIL(); });
  EXPECT_EQ(findings(), Findings{"UmdTableHole"});
  EXPECT_NE(why_.find("pfnGetCaps"), std::string::npos) << why_;
}

// "The user-mode display driver should return D3D_UMD_INTERFACE_VERSION", that of the header it was built with.
TEST_F(Device9Test, ADriverOfANewerHeaderIsUsedAsOneOfTheRuntimes) {
  umd_.version = D3D_UMD_INTERFACE_VERSION_WDDM3_2;
  run_device([&](Device9& device) { make(device); });
  EXPECT_EQ(findings(), Findings{});
}

TEST_F(Device9Test, AHoleInTheDevicesTableIsRefusedByName) {
  umd_.hole = "pfnComposeRects";
  run_opened([](Adapter9& adapter) {
    std::string why = adapter.create_device().error();
    EXPECT_NE(why.find("pfnComposeRects"), std::string::npos) << why;
  });
  EXPECT_EQ(findings(), Findings{"UmdTableHole"});
}

// An older driver does not have the newer functions, and is not asked for them.
TEST_F(Device9Test, AnOlderDriverNeedsTheOlderTableOnly) {
  umd_.version = D3D_UMD_INTERFACE_VERSION_VISTA;
  umd_.hole = "pfnCreateResource2";
  run_device([&](Device9& device) {
    EXPECT_EQ(device.callbacks().pfnDeallocate2Cb, nullptr);
    make(device);
  });
  EXPECT_EQ(findings(), Findings{});
}

// --- Handles ---

TEST_F(Device9Test, TwoResourcesWithOneHandleAreFound) {
  run_device([&](Device9& device) {
    Resource* first = make(device);
    umd_.on_create = [&](D3DDDIARG_CREATERESOURCE2& args) {
      HRESULT result = umd_.allocate(args.hResource);
      args.hResource = first->driver_handle;
      return result;
    };
    umd_.on_destroy = [](HANDLE) { return S_OK; };
    make(device);
    EXPECT_EQ(findings(), Findings{"UmdSameHandle"});
  });
}

TEST_F(Device9Test, AResourceWithoutAHandleIsFound) {
  umd_.on_create = [](D3DDDIARG_CREATERESOURCE2& args) {
    args.hResource = nullptr;
    return S_OK;
  };
  run_device([&](Device9& device) {
    make(device);
    ASSERT_EQ(observer.violations.size(), 1u);
    EXPECT_EQ(observer.violations[0].sentence, "fake: the driver gave a resource the handle NULL");
    EXPECT_EQ(findings(), Findings{"UmdSameHandle"});
    umd_.on_destroy = [](HANDLE) { return S_OK; };
  });
}

TEST_F(Device9Test, TheDriversOwnHandleInACallbackIsFound) {
  run_device([&](Device9& device) {
    Resource* resource = make(device);
    umd_.on_destroy = [&](HANDLE handle) {
      EXPECT_EQ(umd_.deallocate(handle), E_INVALIDARG);
      return umd_.destroy(handle);
    };
    device.destroy_resource(resource);
  });
  EXPECT_EQ(findings(), Findings{"UmdWrongHandle"});
}

TEST_F(Device9Test, ACallbackOutsideOfAnyFunctionIsFound) {
  run_device([&](Device9&) {
    D3DKMT_HANDLE allocation;
    EXPECT_EQ(umd_.allocate(nullptr, 1, &allocation), S_OK);
    EXPECT_EQ(umd_.deallocate({allocation}), S_OK);
  });
  EXPECT_EQ(findings(), (Findings{"UmdWrongThread", "UmdWrongThread"}));
}

// A driver that puts deallocation off can still mix the two handles up.
TEST_F(Device9Test, TheDriversOwnHandleOfWhatIsDestroyedIsNamed) {
  run_device([&](Device9& device) {
    Resource* resource = make(device);
    HANDLE runtime_handle = resource->handle, own = resource->driver_handle;
    umd_.on_destroy = [](HANDLE) { return S_OK; };
    umd_.on_flush = [&] {
      EXPECT_EQ(umd_.deallocate(own), E_INVALIDARG);
      return umd_.deallocate(runtime_handle);
    };
    device.destroy_resource(resource);
    device.flush();
    ASSERT_EQ(observer.violations.size(), 1u);
    EXPECT_EQ(observer.violations[0].sentence,
              "fake: pfnDeallocateCb was called with the driver's own handle of a resource instead of the runtime's");
  });
  EXPECT_EQ(findings(), Findings{"UmdWrongHandle"});
}

// --- Deallocation ---

TEST_F(Device9Test, ADeallocationMayComeLater) {
  HANDLE owed = nullptr;
  run_device([&](Device9& device) {
    umd_.on_destroy = [&](HANDLE handle) {
      owed = umd_.resources[handle].runtime_handle;
      umd_.resources.erase(handle);
      return S_OK;
    };
    umd_.on_flush = [&] { return umd_.deallocate(owed); };
    device.destroy_resource(make(device));
    EXPECT_EQ(device.flush(), S_OK);
  });
  EXPECT_EQ(findings(), Findings{});
}

TEST_F(Device9Test, ADeallocationThatNeverComesIsFound) {
  run_device([&](Device9& device) {
    umd_.on_destroy = [](HANDLE) { return S_OK; };
    device.destroy_resource(make(device));
  });
  EXPECT_EQ(findings(), Findings{"UmdZombieAtEnd"});
}

TEST_F(Device9Test, ASecondDeallocationIsFound) {
  run_device([&](Device9& device) {
    umd_.on_destroy = [&](HANDLE handle) {
      HANDLE runtime_handle = umd_.resources[handle].runtime_handle;
      HRESULT result = umd_.destroy(handle);
      EXPECT_EQ(umd_.deallocate(runtime_handle), E_INVALIDARG);  // nothing is associated with it any more
      umd_.on_flush = [this, runtime_handle] {
        EXPECT_EQ(umd_.deallocate(runtime_handle), E_INVALIDARG);
        return S_OK;
      };
      return result;
    };
    device.destroy_resource(make(device));
    device.flush();
  });
  EXPECT_EQ(findings(), Findings{"UmdDeallocatedTwice"});
}

TEST_F(Device9Test, AllocationsAloneLeaveTheResource) {
  D3DKMT_HANDLE allocation = 0;
  run_device([&](Device9& device) {
    umd_.on_create = [&](D3DDDIARG_CREATERESOURCE2& args) {
      HRESULT result = umd_.allocate(args.hResource, 1, &allocation);
      args.hResource = &allocation;
      return result;
    };
    umd_.on_destroy = [&](HANDLE) { return umd_.deallocate({allocation}); };
    device.destroy_resource(make(device));
  });
  EXPECT_EQ(findings(), Findings{"UmdResourceLeft"});
}

TEST_F(Device9Test, AllocationsFirstAndTheResourceThenIsRight) {
  D3DKMT_HANDLE allocation = 0;
  HANDLE runtime_handle = nullptr;
  run_device([&](Device9& device) {
    umd_.on_create = [&](D3DDDIARG_CREATERESOURCE2& args) {
      runtime_handle = args.hResource;
      HRESULT result = umd_.allocate(args.hResource, 1, &allocation);
      args.hResource = &allocation;
      return result;
    };
    umd_.on_destroy = [&](HANDLE) {
      HRESULT result = umd_.deallocate({allocation});
      return FAILED(result) ? result : umd_.deallocate(runtime_handle);
    };
    device.destroy_resource(make(device));
  });
  EXPECT_EQ(findings(), Findings{});
}

// "Individually, by setting the hResource member … to NULL", then once more with the resource (pfnDeallocateCb).
TEST_F(Device9Test, AGroupMayBeReleasedPieceByPiece) {
  D3DKMT_HANDLE allocations[2] = {};
  HANDLE runtime_handle = nullptr;
  run_device([&](Device9& device) {
    umd_.on_create = [&](D3DDDIARG_CREATERESOURCE2& args) {
      runtime_handle = args.hResource;
      HRESULT result = umd_.allocate(args.hResource, 2, allocations);
      args.hResource = allocations;
      return result;
    };
    umd_.on_destroy = [&](HANDLE) {
      umd_.deallocate({allocations[0]});
      umd_.deallocate({allocations[1]});
      return umd_.deallocate(runtime_handle);
    };
    device.destroy_resource(make(device, ResourceDesc::group(2, 8, 8, kFormat)));
  });
  EXPECT_EQ(findings(), Findings{});
}

TEST_F(Device9Test, AnAllocationOfTheDriversOwnThatIsLeftIsFound) {
  run_device([&](Device9& device) {
    umd_.on_flush = [&] { return umd_.allocate(nullptr); };
    device.flush();
  });
  EXPECT_EQ(findings(), Findings{"UmdAllocationLeft"});
}

TEST_F(Device9Test, AnErrorOfDestroyResourceIsFoundAndTheResourceGone) {
  run_device([&](Device9& device) {
    umd_.on_destroy = [&](HANDLE handle) {
      umd_.destroy(handle);
      return E_INVALIDARG;
    };
    EXPECT_EQ(device.destroy_resource(make(device)), E_INVALIDARG);
  });
  EXPECT_EQ(findings(), Findings{"UmdDestroyFailed"});
  EXPECT_TRUE(umd_.resources.empty());
}

TEST_F(Device9Test, ARemovedDeviceIsNoErrorOfDestroyResource) {
  run_device([&](Device9& device) {
    umd_.on_destroy = [&](HANDLE handle) {
      umd_.destroy(handle);
      return D3DDDIERR_DEVICEREMOVED;
    };
    EXPECT_EQ(device.destroy_resource(make(device)), D3DDDIERR_DEVICEREMOVED);
  });
  EXPECT_EQ(findings(), Findings{});
}

// What was released by its allocations' handles and then by its own starts again as if it were new.
TEST_F(Device9Test, MemoryThatComesAfterAReleaseIsOwedByItself) {
  run_device([&](Device9& device) {
    D3DKMT_HANDLE allocation = 0;
    umd_.on_create = [](D3DDDIARG_CREATERESOURCE2& args) {
      args.hResource = &args;
      return S_OK;
    };
    umd_.on_destroy = [](HANDLE) { return S_OK; };
    Resource* resource = make(device);
    umd_.on_flush = [&] {
      EXPECT_EQ(umd_.allocate(resource->handle, 1, &allocation), S_OK);
      EXPECT_EQ(umd_.deallocate({allocation}), S_OK);
      EXPECT_EQ(umd_.deallocate(resource->handle), S_OK);
      return umd_.allocate(resource->handle, 0);
    };
    EXPECT_EQ(device.flush(), S_OK);
    device.destroy_resource(resource);
  });
  EXPECT_EQ(findings(), Findings{"UmdZombieAtEnd"});
}

// --- Batches ---

TEST_F(Device9Test, ADeallocationBeforeTheFlushIsFound) {
  run_device([&](Device9& device) {
    Resource* buffer = make(device, ResourceDesc::vertex_buffer(64));
    device.set_stream_source(0, buffer, 0, 16);
    device.draw_primitive(D3DPT_TRIANGLELIST, 0, 1);
    device.destroy_resource(buffer);
  });
  EXPECT_EQ(findings(), Findings{"UmdFlushMissing"});
}

TEST_F(Device9Test, AllocationsDeallocatedBeforeTheFlushAreFound) {
  D3DKMT_HANDLE allocation = 0;
  HANDLE runtime_handle = nullptr;
  umd_.on_create = [&](D3DDDIARG_CREATERESOURCE2& args) {
    runtime_handle = args.hResource;
    HRESULT result = umd_.allocate(args.hResource, 1, &allocation);
    args.hResource = &allocation;
    return result;
  };
  umd_.on_destroy = [&](HANDLE) { return umd_.deallocate({allocation}); };
  umd_.on_flush = [&] { return umd_.deallocate(runtime_handle); };
  run_device([&](Device9& device) {
    Resource* buffer = make(device, ResourceDesc::vertex_buffer(64));
    device.set_stream_source(0, buffer, 0, 16);
    device.draw_primitive(D3DPT_TRIANGLELIST, 0, 1);
    device.destroy_resource(buffer);
    EXPECT_EQ(findings(), Findings{"UmdFlushMissing"});
    {
      RuntimeGuard guard(device.runtime.lock);
      device.submitted();
    }
    device.flush();
  });
  EXPECT_EQ(findings(), Findings{});
}

TEST_F(Device9Test, WhatNoCommandUsesNeedsNoFlush) {
  run_device([&](Device9& device) {
    Resource* buffer = make(device, ResourceDesc::vertex_buffer(64));
    Resource* other = make(device);
    device.set_stream_source(0, other, 0, 16);
    device.draw_primitive(D3DPT_TRIANGLELIST, 0, 1);
    device.destroy_resource(buffer);
    {
      RuntimeGuard guard(device.runtime.lock);
      device.submitted();
    }
    device.destroy_resource(other);
  });
  EXPECT_EQ(findings(), Findings{});
}

// --- Errors ---

TEST_F(Device9Test, AnErrorOfACallbackIsHandedOn) {
  run_device([&](Device9& device) {
    device.fail_callback({.callback = Callback::Allocate, .nth = 1, .result = E_OUTOFMEMORY});
    Resource* resource = nullptr;
    EXPECT_EQ(device.create_resource(ResourceDesc::texture(4, 4, kFormat), &resource), E_OUTOFMEMORY);
    EXPECT_EQ(resource, nullptr);
  });
  EXPECT_EQ(findings(), Findings{});
}

TEST_F(Device9Test, AnErrorThatBecomesAnotherIsFound) {
  run_device([&](Device9& device) {
    umd_.on_create = [&](D3DDDIARG_CREATERESOURCE2& args) { return FAILED(umd_.create(args)) ? E_FAIL : S_OK; };
    device.fail_callback({.callback = Callback::Allocate, .nth = 1, .result = D3DERR_OUTOFVIDEOMEMORY});
    Resource* resource = nullptr;
    EXPECT_EQ(device.create_resource(ResourceDesc::texture(4, 4, kFormat), &resource), E_FAIL);
  });
  EXPECT_EQ(findings(), Findings{"UmdErrorChanged"});
}

TEST_F(Device9Test, ARemovedDeviceThatIsSwallowedIsFound) {
  run_device([&](Device9& device) {
    umd_.on_draw = [&] {
      umd_.allocate(nullptr);
      return S_OK;
    };
    device.fail_callback({.callback = Callback::Allocate, .nth = 1, .result = D3DDDIERR_DEVICEREMOVED});
    device.draw_primitive(D3DPT_TRIANGLELIST, 0, 1);
  });
  EXPECT_EQ(findings(), Findings{"UmdRemovedSwallowed"});
}

TEST_F(Device9Test, ResidencyOnItsWayIsNoFailure) {
  run_device([&](Device9& device) {
    HRESULT residency = S_OK;
    auto request = [&] {
      D3DDDI_MAKERESIDENT args{};
      residency = umd_.callbacks->pfnMakeResidentCb(umd_.device, &args);
    };
    umd_.on_draw = [&] { return request(), S_OK; };
    device.fail_callback({.callback = Callback::MakeResident, .nth = 1, .result = E_PENDING});
    EXPECT_EQ(device.draw_primitive(D3DPT_TRIANGLELIST, 0, 1), S_OK);
    EXPECT_EQ(residency, E_PENDING);
    EXPECT_EQ(findings(), Findings{});
    umd_.on_draw = [&] { return request(), residency; };
    device.fail_callback({.callback = Callback::MakeResident, .nth = 1, .result = E_PENDING});
    EXPECT_EQ(device.draw_primitive(D3DPT_TRIANGLELIST, 0, 1), E_PENDING);
  });
  EXPECT_EQ(findings(), Findings{"UmdPendingTakenForFailure"});
}

TEST_F(Device9Test, WhatIsLockedCanBeLockedAgain) {
  run_device([&](Device9& device) {
    Resource* buffer = make(device, ResourceDesc::vertex_buffer(64));
    Mapped mapped;
    HRESULT answer = D3DERR_NOTAVAILABLE;
    umd_.on_lock = [&](D3DDDIARG_LOCK&) { return answer; };
    EXPECT_EQ(device.lock(buffer, 0, {}, &mapped), D3DERR_NOTAVAILABLE) << "the first may fail";
    answer = S_OK;
    EXPECT_EQ(device.lock(buffer, 0, {}, &mapped), S_OK);
    EXPECT_EQ(findings(), Findings{});
    answer = D3DERR_NOTAVAILABLE;
    EXPECT_EQ(device.lock(buffer, 0, {}, &mapped), D3DERR_NOTAVAILABLE);
    EXPECT_EQ(findings(), Findings{"UmdLockAgainFailed"});
    EXPECT_EQ(device.unlock(buffer, 0), S_OK);
    EXPECT_EQ(device.lock(buffer, 0, {}, &mapped), D3DERR_NOTAVAILABLE) << "nothing is locked any more";
  });
  EXPECT_EQ(findings(), Findings{});
}

TEST_F(Device9Test, ADiscardThatIsBusyIsTriedAgain) {
  run_device([&](Device9& device) {
    Resource* buffer = make(device, ResourceDesc::vertex_buffer(64));
    Mapped mapped;
    HRESULT answer = S_OK;
    Callback last = Callback::Lock;
    umd_.on_lock = [&](D3DDDIARG_LOCK&) {
      device.frame()->discard_busy = true;  // as pfnLockCb notes it
      device.answered(last, D3DDDIERR_WASSTILLDRAWING);
      return answer;
    };
    EXPECT_EQ(device.lock(buffer, 0, {}, &mapped), S_OK) << "the driver knew another way";
    EXPECT_EQ(findings(), Findings{});
    device.unlock(buffer, 0);
    answer = D3DDDIERR_WASSTILLDRAWING;
    last = Callback::Render;
    EXPECT_EQ(device.lock(buffer, 0, {}, &mapped), D3DDDIERR_WASSTILLDRAWING) << "it could not flush";
    EXPECT_EQ(findings(), Findings{});
    last = Callback::Lock;
    EXPECT_EQ(device.lock(buffer, 0, {}, &mapped), D3DDDIERR_WASSTILLDRAWING);
  });
  EXPECT_EQ(findings(), Findings{"UmdDiscardNotRetried"});
}

TEST_F(Device9Test, ALockThatShallNotWaitDoesNot) {
  run_device([&](Device9& device) {
    Resource* buffer = make(device, ResourceDesc::vertex_buffer(64));
    Mapped mapped;
    D3DDDI_LOCKFLAGS flags{};
    umd_.on_lock = [&](D3DDDIARG_LOCK&) {
      note_wait(device);
      return S_OK;
    };
    EXPECT_EQ(device.lock(buffer, 0, flags, &mapped), S_OK);
    EXPECT_EQ(findings(), Findings{});
    flags.DoNotWait = 1;
    EXPECT_EQ(device.lock(buffer, 0, flags, &mapped), S_OK);
  });
  EXPECT_EQ(findings(), Findings{"UmdWaitedUnasked"});
}

TEST_F(Device9Test, EscapesThatStopTheGpuAreNotForEveryBatch) {
  run_device([&](Device9& device) {
    for (int batch = 0; batch < 8; ++batch) {
      if (batch % 4 != 3) device.note_hardware_access();
      device.flush();
    }
    EXPECT_EQ(findings(), Findings{});
    for (int batch = 0; batch < 8; ++batch) {
      device.note_hardware_access();
      device.flush();
    }
  });
  EXPECT_EQ(findings(), Findings{"UmdHardwareAccessPolled"});
}

TEST_F(Device9Test, ACreationThatFailsHalfWayIsCleanedUpAndFound) {
  run_device([&](Device9& device) {
    umd_.on_create = [&](D3DDDIARG_CREATERESOURCE2& args) {
      umd_.allocate(args.hResource);
      return E_OUTOFMEMORY;
    };
    Resource* resource = nullptr;
    EXPECT_EQ(device.create_resource(ResourceDesc::texture(4, 4, kFormat), &resource), E_OUTOFMEMORY);
    EXPECT_EQ(kernel_allocations(device), 0u);
  });
  EXPECT_EQ(findings(), Findings{"UmdAllocationLeft"});
}

TEST_F(Device9Test, NotAvailableIsForBuffers) {
  run_device([&](Device9& device) {
    umd_.on_create = [](D3DDDIARG_CREATERESOURCE2&) { return D3DERR_NOTAVAILABLE; };
    Resource* resource = nullptr;
    device.create_resource(ResourceDesc::vertex_buffer(64), &resource);
    EXPECT_EQ(findings(), Findings{});
    device.create_resource(ResourceDesc::texture(4, 4, kFormat), &resource);
    EXPECT_EQ(findings(), Findings{"UmdNotAvailable"});
  });
}

TEST_F(Device9Test, ADriverThatLooksAtReservedMembersIsFound) {
  run_device([&](Device9& device) {
    umd_.on_create = [&](D3DDDIARG_CREATERESOURCE2& args) { return args.Fvf ? E_INVALIDARG : umd_.create(args); };
    make(device);
  });
  EXPECT_EQ(findings(), Findings{"UmdReservedRead"});
}

// --- Primaries and sharing ---

HRESULT allocate_with(FakeDriver9& driver, HANDLE resource, const std::function<void(D3DDDI_ALLOCATIONINFO&)>& set) {
  uint8_t data[16] = {};
  D3DDDI_ALLOCATIONINFO info{};
  info.pPrivateDriverData = data;
  info.PrivateDriverDataSize = sizeof(data);
  set(info);
  D3DDDICB_ALLOCATE args{};
  args.hResource = resource;
  args.NumAllocations = 1;
  args.pAllocationInfo = &info;
  return driver.callbacks->pfnAllocateCb(driver.device, &args);
}

TEST_F(Device9Test, ASourceWithoutAPrimaryIsFound) {
  run_device([&](Device9& device) {
    umd_.on_flush = [&] {
      return allocate_with(umd_, nullptr, [](D3DDDI_ALLOCATIONINFO& info) { info.VidPnSourceId = 1; });
    };
    EXPECT_EQ(device.flush(), E_INVALIDARG);
  });
  EXPECT_EQ(findings(), Findings{"UmdVidPnSource"});
}

TEST_F(Device9Test, StereoWithoutAPrimaryIsFound) {
  run_device([&](Device9& device) {
    umd_.on_flush = [&] {
      return allocate_with(umd_, nullptr, [](D3DDDI_ALLOCATIONINFO& info) { info.Flags.Stereo = 1; });
    };
    EXPECT_EQ(device.flush(), E_INVALIDARG);
  });
  EXPECT_EQ(findings(), Findings{"UmdStereoAlone"});
}

TEST_F(Device9Test, ASharedResourceIsOpenedAndBothAreDestroyed) {
  run_opened([&](Adapter9& adapter) {
    auto creator = adapter.create_device().take();
    Resource* shared = make(*creator, ResourceDesc::texture(8, 8, kFormat).shared());
    ASSERT_NE(shared->global_share, 0u);
    auto other = adapter.create_device().take();
    Resource* opened = nullptr;
    ASSERT_EQ(other->open_resource(shared->global_share, &opened), S_OK);
    EXPECT_TRUE(opened->opened);
    EXPECT_EQ(creator->destroy_resource(shared), S_OK);
    EXPECT_EQ(other->destroy_resource(opened), S_OK);
  });
  EXPECT_EQ(findings(), Findings{});
}

// UR-22
TEST_F(Device9Test, AnOpenedResourceWithAHandleThatIsTakenIsFound) {
  run_device([&](Device9& device) {
    Resource* shared = make(device, ResourceDesc::texture(8, 8, kFormat).shared());
    umd_.on_open = [&](D3DDDIARG_OPENRESOURCE& args) {
      args.hResource = shared->driver_handle;
      return S_OK;
    };
    Resource* opened = nullptr;
    EXPECT_EQ(device.open_resource(shared->global_share, &opened), S_OK);
    EXPECT_EQ(findings(), Findings{"UmdOpenedSameHandle"});
    umd_.on_destroy = [](HANDLE) { return S_OK; };
  });
}

TEST_F(Device9Test, AnOpeningThatFailsLeavesNothing) {
  run_device([&](Device9& device) {
    Resource* shared = make(device, ResourceDesc::texture(8, 8, kFormat).shared());
    uint64_t before = kernel_allocations(device);
    umd_.on_open = [&](D3DDDIARG_OPENRESOURCE&) {
      EXPECT_GT(kernel_allocations(device), before);
      return E_OUTOFMEMORY;
    };
    Resource* opened = shared;
    EXPECT_EQ(device.open_resource(shared->global_share, &opened), E_OUTOFMEMORY);
    EXPECT_EQ(opened, nullptr);
    EXPECT_EQ(kernel_allocations(device), before);
  });
  EXPECT_EQ(findings(), Findings{}) << "the allocations are not the driver's doing";
}

TEST_F(Device9Test, WhatIsOpenedCanBeOpenedAgainByItsOwnShare) {
  run_device([&](Device9& device) {
    Resource* shared = make(device, ResourceDesc::texture(8, 8, kFormat).shared());
    Resource *opened = nullptr, *again = nullptr;
    ASSERT_EQ(device.open_resource(shared->global_share, &opened), S_OK);
    EXPECT_EQ(device.open_resource(opened->global_share, &again), S_OK);
  });
  EXPECT_EQ(findings(), Findings{});
}

TEST_F(Device9Test, MemoryOfASharedResourceThatComesLateIsFound) {
  run_device([&](Device9& device) {
    Resource* shared = make(device, ResourceDesc::texture(8, 8, kFormat).shared());
    umd_.on_flush = [&] { return umd_.allocate(shared->handle); };
    EXPECT_EQ(device.flush(), E_INVALIDARG);
  });
  EXPECT_EQ(findings(), Findings{"UmdSharedAllocatedLate"});
}

TEST_F(Device9Test, SharedResourcesAreAllocatedAndReleasedAsOne) {
  run_device([&](Device9& device) {
    auto desc = ResourceDesc::texture(8, 8, kFormat).shared();
    umd_.on_create = [&](D3DDDIARG_CREATERESOURCE2& args) {
      HANDLE handle = args.hResource;
      HRESULT result = umd_.create(args);
      EXPECT_EQ(umd_.allocate(handle), E_INVALIDARG);
      return result;
    };
    Resource* shared = make(device, desc);
    EXPECT_EQ(findings(), Findings{"UmdSharedAllocatedTwice"});
    umd_.on_destroy = [&](HANDLE resource) {
      D3DDDICB_DEALLOCATE args{.hResource = shared->handle, .NumAllocations = 1, .HandleList = nullptr};
      EXPECT_EQ(umd_.callbacks->pfnDeallocateCb(umd_.device, &args), E_INVALIDARG);
      return umd_.destroy(resource);
    };
    device.destroy_resource(shared);
  });
  EXPECT_EQ(findings(), Findings{"UmdSharedListed"});
}

TEST_F(Device9Test, ASharedResourceKeepsItsMemoryUntilItIsDestroyed) {
  run_device([&](Device9& device) {
    Resource* shared = make(device, ResourceDesc::texture(8, 8, kFormat).shared());
    umd_.on_flush = [&] {
      D3DDDICB_DEALLOCATE args{.hResource = shared->handle, .NumAllocations = 0, .HandleList = nullptr};
      return umd_.callbacks->pfnDeallocateCb(umd_.device, &args);
    };
    EXPECT_EQ(device.flush(), E_INVALIDARG);
    EXPECT_EQ(findings(), Findings{"UmdSharedWithoutMemory"});
    umd_.on_flush = nullptr;
    device.destroy_resource(shared);
  });
  EXPECT_EQ(findings(), Findings{});
}

TEST_F(Device9Test, ASharedResourceHasMemoryOfItsOwn) {
  run_device([&](Device9& device) {
    D3DKMT_HANDLE own = 0;
    umd_.on_create = [&](D3DDDIARG_CREATERESOURCE2& args) {
      HRESULT result = umd_.allocate(nullptr, 1, &own);
      args.hResource = &own;
      return result;
    };
    umd_.on_destroy = [&](HANDLE) { return umd_.deallocate({own}); };
    Resource* shared = make(device, ResourceDesc::texture(8, 8, kFormat).shared());
    device.destroy_resource(shared);
    EXPECT_EQ(findings(), Findings{"UmdSharedWithoutMemory"});
    device.destroy_resource(make(device));
  });
  EXPECT_EQ(findings(), Findings{});
}

// UR-09
TEST_F(Device9Test, MemoryOfWhatIsNotSharedMayComeLater) {
  run_device([&](Device9& device) {
    umd_.on_create = [](D3DDDIARG_CREATERESOURCE2& args) {
      args.hResource = &args;
      return S_OK;
    };
    Resource* late = make(device);
    umd_.on_flush = [&] { return umd_.allocate(late->handle); };
    EXPECT_EQ(device.flush(), S_OK);
    umd_.on_destroy = [&](HANDLE) { return umd_.deallocate(late->handle); };
    EXPECT_EQ(device.destroy_resource(late), S_OK);
  });
  EXPECT_EQ(findings(), Findings{});
}

TEST_F(Device9Test, AnAddressInPrivateDataIsFound) {
  run_device([&](Device9& device) {
    uint64_t data[2] = {7, reinterpret_cast<uintptr_t>(&data)};
    umd_.on_flush = [&] {
      D3DDDI_ALLOCATIONINFO info{};
      D3DDDICB_ALLOCATE args{};
      args.pPrivateDriverData = data;
      args.PrivateDriverDataSize = sizeof(data);
      args.NumAllocations = 1;
      args.pAllocationInfo = &info;
      HRESULT result = umd_.callbacks->pfnAllocateCb(umd_.device, &args);
      return SUCCEEDED(result) ? umd_.deallocate({info.hAllocation}) : result;
    };
    EXPECT_EQ(device.flush(), S_OK);
    EXPECT_EQ(findings(), Findings{"UmdAddressInPrivateData"});
    data[1] = 0x2000'0000'0000;  // where no stack begins
    EXPECT_EQ(device.flush(), S_OK);
  });
  EXPECT_EQ(findings(), Findings{});
}

TEST_F(Device9Test, WhatIsNotSharedCannotBeOpened) {
  run_device([](Device9& device) {
    Resource* opened = make(device);
    EXPECT_TRUE(FAILED(device.open_resource(0x12345682, &opened)));
    EXPECT_EQ(opened, nullptr);
  });
}

}  // namespace
}  // namespace umd
