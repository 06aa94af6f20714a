// Sharing through NT handles as Windows has been seen to serve it. N1 … N30 are the observations of Wine's tests.
#include "kmt/allocation/share.h"

#include <algorithm>
#include <deque>

#include "dxgk/object/nt_shared.h"
#include "kmt/testing/kmt_fixture.h"

namespace kmt::testing {
namespace {

constexpr UINT kRead = READ_CONTROL;  // STANDARD_RIGHTS_READ and STANDARD_RIGHTS_WRITE are the same bit
constexpr uint8_t kRuntimeData[4] = {9, 8, 7, 6};

bool is_nt(HANDLE handle) { return handle && !(reinterpret_cast<uintptr_t>(handle) & 0xc0000000); }

// OBJECT_ATTRIBUTES with everything that they point to.
class Name {
 public:
  explicit Name(std::u16string path) : path_(std::move(path)) {
    string_.Buffer = path_.data();
    string_.Length = string_.MaximumLength = static_cast<USHORT>(path_.size() * sizeof(char16_t));
    attributes_.Length = sizeof(attributes_);
    attributes_.ObjectName = &string_;
  }
  Name(const Name&) = delete;
  Name& operator=(const Name&) = delete;

  OBJECT_ATTRIBUTES* operator&() { return &attributes_; }
  OBJECT_ATTRIBUTES& attributes() { return attributes_; }
  UNICODE_STRING& string() { return string_; }

 private:
  std::u16string path_;
  UNICODE_STRING string_{};
  OBJECT_ATTRIBUTES attributes_{};
};

class ShareThunks : public KmtTest {
 protected:
  using Handles = std::vector<D3DKMT_HANDLE>;
  struct Made {
    D3DKMT_HANDLE resource = 0;
    D3DKMT_HANDLE allocation = 0;
    D3DKMT_HANDLE global = 0;
  };
  enum class Sharing { None, Global, Nt };

  // `body` in a program with a device. What only an NT handle has kept is destroyed by the adapter's worker: it gets
  // the time for it.
  void run_sharing(const std::function<void(Program&)>& body) {
    run_adapter([&](dxgk::Adapter& on) {
      {
        Program program(kernel(), "a");
        program.start(on);
        body(program);
      }
      LARGE_INTEGER millisecond{.QuadPart = -10'000};
      KeDelayExecutionThread(KernelMode, FALSE, &millisecond);
    });
  }

  Made make_resource(Program& program, Sharing sharing) {
    CreateArgs& create = created_.emplace_back(CreateArgs::standard(program.device));
    uint8_t driver_data[10] = {};
    create.info2.pPrivateDriverData = driver_data;
    create.info2.PrivateDriverDataSize = sizeof(driver_data);
    create.args.pPrivateRuntimeData = kRuntimeData;
    create.args.PrivateRuntimeDataSize = sizeof(kRuntimeData);
    create.args.Flags.CreateResource = 1;
    create.args.Flags.CreateShared = sharing != Sharing::None;
    create.args.Flags.NtSecuritySharing = sharing == Sharing::Nt;
    EXPECT_EQ(create.create2(program), STATUS_SUCCESS);
    return {create.args.hResource, create.info2.hAllocation, create.args.hGlobalShare};
  }
  D3DKMT_HANDLE make_sync(Program& program, Sharing sharing,
                          D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type = D3DDDI_SYNCHRONIZATION_MUTEX) {
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 args{};
    args.hDevice = program.device;
    args.Info.Type = type;
    args.Info.Flags.Shared = sharing != Sharing::None;
    args.Info.Flags.NtSecuritySharing = sharing == Sharing::Nt;
    EXPECT_EQ(CreateSynchronizationObject2(program.client, &args), STATUS_SUCCESS);
    return args.hSyncObject;
  }
  D3DKMT_HANDLE make_mutex(Program& program) {
    uint8_t data[20] = {};
    D3DKMT_CREATEKEYEDMUTEX2 args{};
    args.pPrivateRuntimeData = data;
    args.PrivateRuntimeDataSize = sizeof(data);
    args.Flags.NtSecuritySharing = 1;
    EXPECT_EQ(CreateKeyedMutex2(program.client, &args), STATUS_SUCCESS);
    return args.hKeyedMutex;
  }

  NTSTATUS share(Program& program, const Handles& objects, OBJECT_ATTRIBUTES* name, UINT access = kRead) {
    nt_ = nullptr;
    ShareObjectsArgs args{};
    args.cObjects = static_cast<UINT>(objects.size());
    args.hObjects = objects.data();
    args.pObjectAttributes = name;
    args.dwDesiredAccess = access;
    args.phSharedNtHandle = &nt_;
    return ShareObjects(program.client, &args);
  }
  NTSTATUS open_name(Program& program, OBJECT_ATTRIBUTES* name, UINT access) {
    D3DKMT_OPENNTHANDLEFROMNAME args{};
    args.dwDesiredAccess = access;
    args.pObjAttrib = name;
    NTSTATUS status = OpenNtHandleFromName(program.client, &args);
    nt_ = args.hNtHandle;
    return status;
  }
  NTSTATUS open_sync_name(Program& program, OBJECT_ATTRIBUTES* name, UINT access) {
    D3DKMT_OPENSYNCOBJECTNTHANDLEFROMNAME args{};
    args.dwDesiredAccess = access;
    args.pObjAttrib = name;
    NTSTATUS status = OpenSyncObjectNtHandleFromName(program.client, &args);
    nt_ = args.hNtHandle;
    return status;
  }
  NTSTATUS open_sync(Program& program, HANDLE handle) {
    D3DKMT_OPENSYNCOBJECTFROMNTHANDLE args{};
    args.hNtHandle = handle;
    NTSTATUS status = OpenSyncObjectFromNtHandle(program.client, &args);
    local_ = args.hSyncObject;
    return status;
  }
  NTSTATUS open_sync2(Program& program, HANDLE handle, D3DKMT_HANDLE device) {
    D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 args{};
    args.hNtHandle = handle;
    args.hDevice = device;
    NTSTATUS status = OpenSyncObjectFromNtHandle2(program.client, &args);
    EXPECT_EQ(args.Flags.Value, 0u);
    local_ = args.hSyncObject;
    return status;
  }
  NTSTATUS destroy_sync(Program& program, D3DKMT_HANDLE object) {
    D3DKMT_DESTROYSYNCHRONIZATIONOBJECT args{.hSyncObject = object};
    return DestroySynchronizationObject(program.client, &args);
  }
  NTSTATUS destroy_mutex(Program& program, D3DKMT_HANDLE mutex) {
    D3DKMT_DESTROYKEYEDMUTEX args{.hKeyedMutex = mutex};
    return DestroyKeyedMutex(program.client, &args);
  }
  NTSTATUS query(Program& program, HANDLE handle) {
    query_ = {};
    query_.hDevice = program.device;
    query_.hNtHandle = handle;
    query_.PrivateRuntimeDataSize = 0xdeadbeef;
    query_.NumAllocations = 0xdeadbeef;
    return QueryResourceInfoFromNtHandle(program.client, &query_);
  }
  void close(Program& program, HANDLE handle) { ASSERT_TRUE(program.handles.close(handle).ok()); }

  // An opening of what make_resource() made, with room for everything, as the last query() measured it.
  D3DKMT_OPENRESOURCEFROMNTHANDLE opening(Program& program, HANDLE handle) {
    EXPECT_EQ(query(program, handle), STATUS_SUCCESS);
    D3DKMT_OPENRESOURCEFROMNTHANDLE args{};
    args.hDevice = program.device;
    args.hNtHandle = handle;
    args.NumAllocations = 1;
    args.pOpenAllocationInfo2 = &info_;
    args.PrivateRuntimeDataSize = sizeof(runtime_);
    args.pPrivateRuntimeData = runtime_;
    args.TotalPrivateDriverDataBufferSize = query_.TotalPrivateDriverDataSize;
    args.pTotalPrivateDriverDataBuffer = total_;
    args.hKeyedMutex = args.hSyncObject = kNoHandle;
    return args;
  }

  std::vector<std::string> share_rules_broken() const {
    std::vector<std::string> rules = broken();
    std::erase_if(rules, [](const std::string& rule) { return !rule.starts_with("Share"); });
    return rules;
  }
  // What the client's system says of an NT handle.
  template <typename Shared>
  std::u16string name_of(Program& program, HANDLE handle) {
    auto found = program.handles.resolve<dxgk::NtHandle<Shared>>(handle);
    if (!found.ok()) return u"not of this type";
    const ob::Publication* publication = found.value()->shared().publication();
    return publication ? std::u16string(publication->name()) : std::u16string();
  }

  std::deque<CreateArgs> created_;  // whose memory the allocations are over
  HANDLE nt_ = nullptr;
  D3DKMT_HANDLE local_ = 0;
  D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE query_{};
  D3DDDI_OPENALLOCATIONINFO2 info_{};
  uint8_t runtime_[4] = {};
  uint8_t total_[0x1000] = {};
};

TEST_F(ShareThunks, N1_N2_N3_SyncObjectsMadeOtherwiseAreNotShared) {
  run_sharing([&](Program& a) {
    Name name(u"\\BaseNamedObjects\\__WineTest_D3DKMT");
    D3DKMT_CREATESYNCHRONIZATIONOBJECT first{};
    first.hDevice = a.device;
    first.Info.Type = D3DDDI_SYNCHRONIZATION_MUTEX;
    ASSERT_EQ(CreateSynchronizationObject(a.client, &first), STATUS_SUCCESS);
    EXPECT_EQ(share(a, {first.hSyncObject}, &name), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(share(a, {make_sync(a, Sharing::None)}, &name), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(share(a, {make_sync(a, Sharing::Global)}, &name), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(share_rules_broken(), (std::vector<std::string>(3, "ShareUnsharable")));
    EXPECT_EQ(nt_, nullptr);
  });
}

TEST_F(ShareThunks, N4_N5_N6_N7_AnNtHandleKeepsASyncObject) {
  run_sharing([&](Program& a) {
    Name name(u"\\BaseNamedObjects\\__WineTest_D3DKMT");
    D3DKMT_HANDLE object = make_sync(a, Sharing::Nt);
    ASSERT_EQ(share(a, {object}, &name), STATUS_SUCCESS);
    EXPECT_TRUE(is_nt(nt_));
    EXPECT_EQ(name_of<dxgk::NtSharedSyncObject>(a, nt_), u"\\BaseNamedObjects\\__WineTest_D3DKMT");

    EXPECT_EQ(destroy_sync(a, static_cast<D3DKMT_HANDLE>(reinterpret_cast<uintptr_t>(nt_))), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(destroy_sync(a, object), STATUS_SUCCESS);
    EXPECT_EQ(open_sync(a, nullptr), STATUS_INVALID_HANDLE);
    EXPECT_EQ(open_sync(a, nt_), STATUS_SUCCESS);
    EXPECT_TRUE(is_local(local_));
    EXPECT_EQ(share(a, {object}, &name), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(ShareThunks, N8_WhatWasOpenedIsSharedAgain) {
  run_sharing([&](Program& a) {
    Name name(u"\\BaseNamedObjects\\__WineTest_D3DKMT"), other(u"\\BaseNamedObjects\\__WineTest_D3DKMT2");
    ASSERT_EQ(share(a, {make_sync(a, Sharing::Nt)}, &name), STATUS_SUCCESS);
    EXPECT_EQ(open_sync2(a, nullptr, 0), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(open_sync2(a, nt_, 0), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(open_sync2(a, nt_, a.device), STATUS_SUCCESS);
    EXPECT_TRUE(is_local(local_));
    EXPECT_EQ(share(a, {local_}, &other), STATUS_SUCCESS);
    EXPECT_EQ(name_of<dxgk::NtSharedSyncObject>(a, nt_), u"\\BaseNamedObjects\\__WineTest_D3DKMT2");
  });
}

TEST_F(ShareThunks, N9_N10_N11_SyncObjectsAreFoundByNameWhileAnNtHandleIsOpen) {
  run_sharing([&](Program& a) {
    Name name(u"\\BaseNamedObjects\\__WineTest_D3DKMT"), lower(u"\\BaseNamedObjects\\__winetest_d3dkmt");
    Name unknown(u"\\BaseNamedObjects\\__winetest_unknown");
    D3DKMT_HANDLE object = make_sync(a, Sharing::Nt);
    ASSERT_EQ(share(a, {object}, &name), STATUS_SUCCESS);
    HANDLE first = nt_;

    EXPECT_EQ(open_sync_name(a, nullptr, kRead), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(open_sync_name(a, &unknown, kRead), STATUS_OBJECT_NAME_NOT_FOUND);
    EXPECT_EQ(open_sync_name(a, &lower, 0), STATUS_ACCESS_DENIED);
    EXPECT_EQ(open_sync_name(a, &lower, kRead), STATUS_SUCCESS);
    EXPECT_TRUE(is_nt(nt_));
    HANDLE second = nt_;

    close(a, first);
    EXPECT_EQ(open_sync2(a, first, a.device), STATUS_INVALID_HANDLE);
    EXPECT_EQ(open_sync2(a, second, a.device), STATUS_SUCCESS);

    close(a, second);
    EXPECT_EQ(open_sync_name(a, &lower, kRead), STATUS_OBJECT_NAME_NOT_FOUND);
    EXPECT_EQ(share(a, {object}, &name), STATUS_SUCCESS);
    EXPECT_EQ(open_sync_name(a, &lower, kRead), STATUS_SUCCESS);
  });
}

TEST_F(ShareThunks, N12_AKeyedMutexIsNotSharedAlone) {
  run_sharing([&](Program& a) {
    D3DKMT_CREATEKEYEDMUTEX mutex{};
    ASSERT_EQ(CreateKeyedMutex(a.client, &mutex), STATUS_SUCCESS);
    EXPECT_EQ(share(a, {mutex.hKeyedMutex}, nullptr), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(share(a, {mutex.hSharedHandle}, nullptr), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(share(a, {make_mutex(a)}, nullptr), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(share_rules_broken(), (std::vector<std::string>(2, "ShareSetIllegal")));
  });
}

TEST_F(ShareThunks, N13_N14_N15_AResourceIsSharedIfItWasMadeForIt) {
  run_sharing([&](Program& a) {
    Name name(u"\\BaseNamedObjects\\__WineTest_D3DKMT");
    Made own = make_resource(a, Sharing::None);
    EXPECT_EQ(own.global, 0u);
    EXPECT_EQ(share(a, {own.allocation}, &name), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(share(a, {own.resource}, &name), STATUS_INVALID_PARAMETER);
    Made global = make_resource(a, Sharing::Global);
    EXPECT_TRUE(is_global(global.global));
    EXPECT_EQ(share(a, {global.allocation}, &name), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(share(a, {global.resource}, &name), STATUS_INVALID_PARAMETER);
    Made nt = make_resource(a, Sharing::Nt);
    EXPECT_EQ(nt.global, 0u);
    EXPECT_EQ(share(a, {nt.allocation}, &name), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(share(a, {nt.resource}, &name), STATUS_SUCCESS);
    EXPECT_TRUE(is_nt(nt_));
    EXPECT_EQ(name_of<dxgk::NtSharedResource>(a, nt_), u"\\BaseNamedObjects\\__WineTest_D3DKMT");
  });
}

TEST_F(ShareThunks, N16_ResourcesAreFoundByNameInAnyCase) {
  run_sharing([&](Program& a) {
    Name name(u"\\BaseNamedObjects\\__WineTest_D3DKMT"), lower(u"\\BaseNamedObjects\\__winetest_d3dkmt");
    Name unknown(u"\\BaseNamedObjects\\__winetest_unknown");
    ASSERT_EQ(share(a, {make_resource(a, Sharing::Nt).resource}, &name), STATUS_SUCCESS);
    EXPECT_EQ(open_name(a, nullptr, kRead), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(open_name(a, &unknown, kRead), STATUS_OBJECT_NAME_NOT_FOUND);
    EXPECT_EQ(open_name(a, &lower, 0), STATUS_ACCESS_DENIED);
    EXPECT_EQ(open_name(a, &lower, UINT{GENERIC_ALL}), STATUS_SUCCESS);
    EXPECT_TRUE(is_nt(nt_));
    EXPECT_EQ(open_sync_name(a, &name, kRead), STATUS_OBJECT_TYPE_MISMATCH);
  });
}

TEST_F(ShareThunks, N17_AQueryTellsSizesAndWritesNoData) {
  run_sharing([&](Program& a) {
    ASSERT_EQ(share(a, {make_resource(a, Sharing::Nt).resource}, nullptr), STATUS_SUCCESS);
    EXPECT_EQ(query(a, nt_), STATUS_SUCCESS);
    EXPECT_EQ(query_.PrivateRuntimeDataSize, 4u);
    EXPECT_GT(query_.TotalPrivateDriverDataSize, 0u);
    EXPECT_LT(query_.TotalPrivateDriverDataSize, 0x1000u);
    EXPECT_EQ(query_.ResourcePrivateDriverDataSize, 0u);
    EXPECT_EQ(query_.NumAllocations, 1u);
    for (UINT size : {0u, 0x100u}) {
      uint8_t buffer[0x100];
      std::fill(std::begin(buffer), std::end(buffer), 0xcd);
      query_.pPrivateRuntimeData = buffer;
      query_.PrivateRuntimeDataSize = size;
      EXPECT_EQ(QueryResourceInfoFromNtHandle(a.client, &query_), STATUS_SUCCESS);
      EXPECT_EQ(query_.PrivateRuntimeDataSize, 4u);
      EXPECT_EQ(std::count(std::begin(buffer), std::end(buffer), 0xcd), 0x100);
    }
    EXPECT_EQ(query(a, nullptr), STATUS_INVALID_HANDLE);
    EXPECT_EQ(query_.NumAllocations, 0xdeadbeef);
  });
}

TEST_F(ShareThunks, N18_AResourceAloneComesWithoutMutexAndSyncObject) {
  run_sharing([&](Program& a) {
    ASSERT_EQ(share(a, {make_resource(a, Sharing::Nt).resource}, nullptr), STATUS_SUCCESS);
    auto args = opening(a, nt_);
    EXPECT_EQ(OpenResourceFromNtHandle(a.client, &args), STATUS_SUCCESS);
    EXPECT_EQ(args.NumAllocations, 1u);
    EXPECT_EQ(args.PrivateRuntimeDataSize, 4u);
    EXPECT_EQ(args.ResourcePrivateDriverDataSize, 0u);
    EXPECT_GT(args.TotalPrivateDriverDataBufferSize, 0u);
    EXPECT_LT(args.TotalPrivateDriverDataBufferSize, 0x1000u);
    EXPECT_TRUE(is_local(args.hResource));
    EXPECT_EQ(args.hKeyedMutex, 0u);
    EXPECT_EQ(args.KeyedMutexPrivateRuntimeDataSize, 0u);
    EXPECT_EQ(args.hSyncObject, 0u);
    EXPECT_TRUE(is_local(info_.hAllocation));
    EXPECT_EQ(info_.hAllocation, args.hResource + 0x40);
    EXPECT_GT(info_.PrivateDriverDataSize, 0u);
    EXPECT_TRUE(std::equal(std::begin(runtime_), std::end(runtime_), kRuntimeData));
    EXPECT_EQ(destroy_resource(a, args.hResource), STATUS_SUCCESS);
  });
}

TEST_F(ShareThunks, N19_N20_N21_N22_N23_N24_AnOpeningHasRoomForEverything) {
  run_sharing([&](Program& a) {
    ASSERT_EQ(share(a, {make_resource(a, Sharing::Nt).resource}, nullptr), STATUS_SUCCESS);
    HANDLE handle = nt_;
    auto status = [&](auto change) {
      auto args = opening(a, handle);
      change(args);
      NTSTATUS answer = OpenResourceFromNtHandle(a.client, &args);
      EXPECT_EQ(args.hKeyedMutex, kNoHandle);
      return answer;
    };
    using Args = D3DKMT_OPENRESOURCEFROMNTHANDLE;
    EXPECT_EQ(status([](Args& args) { args.pOpenAllocationInfo2 = nullptr; }), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(status([](Args& args) { args.NumAllocations = 0; }), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(status([](Args& args) { args.pPrivateRuntimeData = nullptr; }), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(status([](Args& args) { ++args.PrivateRuntimeDataSize; }), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(status([](Args& args) { args.pTotalPrivateDriverDataBuffer = nullptr; }), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(status([](Args& args) { --args.TotalPrivateDriverDataBufferSize; }), STATUS_NO_MEMORY);
    EXPECT_EQ(status([](Args& args) { args.hNtHandle = nullptr; }), STATUS_INVALID_HANDLE);
    EXPECT_EQ(status([](Args& args) { args.hDevice = 0; }), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(ShareThunks, N25_OnlyTheDocumentedSetIsSharedTogether) {
  run_sharing([&](Program& a) {
    Name name(u"\\BaseNamedObjects\\__winetest_d3dkmt");
    D3DKMT_HANDLE r = make_resource(a, Sharing::Nt).resource, m = make_mutex(a), s = make_sync(a, Sharing::Nt);
    for (const Handles& set : std::vector<Handles>{{}, {r, r, r}, {r, m}, {r, s}, {m, s}, {r, m, s, s}, {r, s, m}}) {
      EXPECT_EQ(share(a, set, &name), STATUS_INVALID_PARAMETER);
    }
    EXPECT_EQ(share_rules_broken(), (std::vector<std::string>(7, "ShareSetIllegal")));
    EXPECT_EQ(share(a, {r, m, s}, &name, 0x1f0000), STATUS_SUCCESS);
    EXPECT_EQ(name_of<dxgk::NtSharedResource>(a, nt_), u"\\BaseNamedObjects\\__winetest_d3dkmt");
  });
}

TEST_F(ShareThunks, N26_N27_N28_N29_ABundleKeepsAndOpensAllThree) {
  run_sharing([&](Program& a) {
    D3DKMT_HANDLE r = make_resource(a, Sharing::Nt).resource, m = make_mutex(a), s = make_sync(a, Sharing::Nt);
    ASSERT_EQ(share(a, {r, m, s}, nullptr), STATUS_SUCCESS);
    EXPECT_EQ(destroy_mutex(a, m), STATUS_SUCCESS);
    EXPECT_EQ(destroy_sync(a, s), STATUS_SUCCESS);
    EXPECT_EQ(destroy_resource(a, r), STATUS_SUCCESS);

    for (UINT bytes : {20u, 0u}) {
      auto args = opening(a, nt_);
      EXPECT_EQ(query_.NumAllocations, 1u);
      uint8_t mutex_data[20] = {};
      args.pKeyedMutexPrivateRuntimeData = bytes ? mutex_data : nullptr;
      args.KeyedMutexPrivateRuntimeDataSize = bytes;
      ASSERT_EQ(OpenResourceFromNtHandle(a.client, &args), STATUS_SUCCESS);
      EXPECT_TRUE(is_local(args.hResource));
      EXPECT_TRUE(is_local(args.hKeyedMutex));
      EXPECT_TRUE(is_local(args.hSyncObject));
      EXPECT_TRUE(is_local(info_.hAllocation));
      EXPECT_EQ(args.KeyedMutexPrivateRuntimeDataSize, bytes);
      EXPECT_EQ(destroy_resource(a, args.hResource), STATUS_SUCCESS);
      EXPECT_EQ(destroy_mutex(a, args.hKeyedMutex), STATUS_SUCCESS);
      EXPECT_EQ(destroy_sync(a, args.hSyncObject), STATUS_SUCCESS);
    }
  });
}

TEST_F(ShareThunks, N30_AResourceHandleIsNoKeyedMutexs) {
  run_sharing([&](Program& a) {
    D3DKMT_HANDLE r = make_resource(a, Sharing::Nt).resource, m = make_mutex(a), s = make_sync(a, Sharing::Nt);
    ASSERT_EQ(share(a, {r, m, s}, nullptr), STATUS_SUCCESS);
    D3DKMT_OPENKEYEDMUTEXFROMNTHANDLE args{};
    args.hNtHandle = nt_;
    EXPECT_EQ(OpenKeyedMutexFromNtHandle(a.client, &args), STATUS_OBJECT_TYPE_MISMATCH);
    EXPECT_EQ(open_sync(a, nt_), STATUS_OBJECT_TYPE_MISMATCH);
  });
}

TEST_F(ShareThunks, TheLastNtHandleEndsWhatNobodyElseHasOpen) {
  if (base::kSanitizer == base::Sanitizer::Thread) {
    GTEST_SKIP() << "two processes' calls overlap in the driver, and the fake one takes no locks";
  }
  run_sharing([&](Program& a) {
    Name name(u"\\BaseNamedObjects\\x");
    D3DKMT_HANDLE r = make_resource(a, Sharing::Nt).resource;
    ASSERT_EQ(share(a, {r}, &name), STATUS_SUCCESS);
    base::Ref<dxgk::Resource> resource =
        base::Ref<dxgk::Resource>::share(a.handles.resolve<dxgk::NtResourceHandle>(nt_).value()->shared().resource());
    EXPECT_EQ(destroy_resource(a, r), STATUS_SUCCESS);
    EXPECT_EQ(resource->handle_count(), 1u);
    close(a, nt_);
    EXPECT_EQ(resource->handle_count(), 0u);
    EXPECT_EQ(open_name(a, &name, kRead), STATUS_OBJECT_NAME_NOT_FOUND);
  });
}

TEST_F(ShareThunks, AHandleOfAnotherProcessOpensThere) {
  run_sharing([&](Program& a) {
    Name name(u"\\BaseNamedObjects\\x");
    ASSERT_EQ(share(a, {make_resource(a, Sharing::Nt).resource}, &name), STATUS_SUCCESS);
    Program b(kernel(), "b");
    b.start(adapter());
    ASSERT_EQ(open_name(b, &name, kRead), STATUS_SUCCESS);
    auto args = opening(b, nt_);
    EXPECT_EQ(OpenResourceFromNtHandle(b.client, &args), STATUS_SUCCESS);
    EXPECT_TRUE(std::equal(std::begin(runtime_), std::end(runtime_), kRuntimeData));
  });
}

TEST_F(ShareThunks, SH07_WithoutTheRightToWriteItOpensReadOnly) {
  run_sharing([&](Program& a) {
    D3DKMT_HANDLE r = make_resource(a, Sharing::Nt).resource;
    for (UINT access : {kRead, kRead | SHARED_ALLOCATION_WRITE, UINT{GENERIC_ALL}, UINT{GENERIC_READ}}) {
      ASSERT_EQ(share(a, {r}, nullptr, access), STATUS_SUCCESS);
      auto args = opening(a, nt_);
      ASSERT_EQ(OpenResourceFromNtHandle(a.client, &args), STATUS_SUCCESS);
      bool writes = access & (SHARED_ALLOCATION_WRITE | UINT{GENERIC_ALL});
      EXPECT_EQ(a.client.find<dxgk::ResourceView>(args.hResource).value()->read_only, !writes) << access;
    }
    EXPECT_TRUE(share_rules_broken().empty());
  });
}

TEST_F(ShareThunks, SH07_WithoutTheRightToReadItIsRemarkedOn) {
  run_sharing([&](Program& a) {
    D3DKMT_HANDLE r = make_resource(a, Sharing::Nt).resource;
    EXPECT_EQ(share(a, {r}, nullptr, SHARED_ALLOCATION_WRITE), STATUS_SUCCESS);
    EXPECT_EQ(share_rules_broken(), (std::vector<std::string>{"ShareWithoutRead"}));
    EXPECT_EQ(share(a, {r}, nullptr, 0), STATUS_ACCESS_DENIED);
  });
}

TEST_F(ShareThunks, NamesAreFullPathsAndGivenOnce) {
  run_sharing([&](Program& a) {
    D3DKMT_HANDLE s = make_sync(a, Sharing::Nt);
    Name name(u"\\BaseNamedObjects\\x"), relative(u"x"), half(u"\\BaseNamedObjects\\y"), none(u""), under(u"x"),
        length(u"\\BaseNamedObjects\\z");
    half.string().Length -= 1;
    under.attributes().RootDirectory = reinterpret_cast<HANDLE>(4);
    length.attributes().Length = 1;
    ASSERT_EQ(share(a, {s}, &name), STATUS_SUCCESS);
    EXPECT_EQ(share(a, {s}, &name), STATUS_OBJECT_NAME_COLLISION);
    EXPECT_EQ(share(a, {s}, &relative), STATUS_OBJECT_PATH_SYNTAX_BAD);
    EXPECT_EQ(share(a, {s}, &half), STATUS_OBJECT_NAME_INVALID);
    EXPECT_EQ(share(a, {s}, &under), STATUS_NOT_SUPPORTED);
    EXPECT_EQ(share(a, {s}, &length), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(share(a, {s}, &none), STATUS_SUCCESS);
    EXPECT_EQ(open_sync_name(a, &none, kRead), STATUS_OBJECT_NAME_INVALID);
  });
}

TEST_F(ShareThunks, AClientThatCannotBeToldKeepsNoNtHandle) {
  run_sharing([&](Program& a) {
    D3DKMT_HANDLE s = make_sync(a, Sharing::Nt);
    uint32_t open = a.handles.open_count();
    Name name(u"\\BaseNamedObjects\\x");
    ShareObjectsArgs args{};
    args.cObjects = 1;
    args.hObjects = &s;
    args.pObjectAttributes = &name;
    args.dwDesiredAccess = kRead;
    EXPECT_EQ(ShareObjects(a.client, &args), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(a.handles.open_count(), open);
    EXPECT_EQ(open_sync_name(a, &name, kRead), STATUS_OBJECT_NAME_NOT_FOUND);
  });
}

TEST_F(ShareThunks, TellsTheAdapterOfASharedResource) {
  run_sharing([&](Program& a) {
    LUID luid = adapter().luid();
    D3DKMT_GETSHAREDRESOURCEADAPTERLUID args{};
    EXPECT_EQ(GetSharedResourceAdapterLuid(a.client, nullptr), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(GetSharedResourceAdapterLuid(a.client, &args), STATUS_INVALID_PARAMETER);
    args.hGlobalShare = make_resource(a, Sharing::Global).global;
    EXPECT_EQ(GetSharedResourceAdapterLuid(a.client, &args), STATUS_SUCCESS);
    EXPECT_EQ(args.AdapterLuid.LowPart, luid.LowPart);
    ASSERT_EQ(share(a, {make_resource(a, Sharing::Nt).resource}, nullptr), STATUS_SUCCESS);
    args = {};
    args.hNtHandle = nt_;
    EXPECT_EQ(GetSharedResourceAdapterLuid(a.client, &args), STATUS_SUCCESS);
    EXPECT_EQ(args.AdapterLuid.LowPart, luid.LowPart);
    args.hGlobalShare = kNoHandle;
    EXPECT_EQ(GetSharedResourceAdapterLuid(a.client, &args), STATUS_INVALID_PARAMETER);
  });
}

}  // namespace
}  // namespace kmt::testing
