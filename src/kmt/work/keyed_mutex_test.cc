// Keyed mutexes as Windows has been seen to serve them. K1 … K14 are the observations of Wine's tests.
#include "dxgk/sync/keyed_mutex.h"

#include <algorithm>

#include "kmt/testing/kmt_fixture.h"
#include "nt/ke/timers.h"

namespace kmt::testing {
namespace {

constexpr UINT64 kUntouched = 0xdeadbeefdeadbeef;
constexpr LONGLONG kMs = 10'000;  // of 100 ns

class KeyedMutexThunks : public KmtTest {
 protected:
  void run_client(const std::function<void(Client&)>& body) {
    run_program([&](Program& program) { body(program.client); });
  }

  D3DKMT_CREATEKEYEDMUTEX create(Client& client) {
    D3DKMT_CREATEKEYEDMUTEX args{};
    EXPECT_EQ(CreateKeyedMutex(client, &args), STATUS_SUCCESS);
    return args;
  }
  D3DKMT_HANDLE open(Client& client, D3DKMT_HANDLE global) {
    D3DKMT_OPENKEYEDMUTEX args{};
    args.hSharedHandle = global;
    args.hKeyedMutex = kNoHandle;
    EXPECT_EQ(OpenKeyedMutex(client, &args), STATUS_SUCCESS);
    return args.hKeyedMutex;
  }
  NTSTATUS try_open(Client& client, D3DKMT_HANDLE global, D3DKMT_HANDLE local = kNoHandle) {
    D3DKMT_OPENKEYEDMUTEX args{};
    args.hSharedHandle = global;
    args.hKeyedMutex = local;
    NTSTATUS status = OpenKeyedMutex(client, &args);
    EXPECT_EQ(args.hKeyedMutex, local);  // untouched: only a call that fails is tried here (H5)
    return status;
  }
  NTSTATUS destroy(Client& client, D3DKMT_HANDLE mutex) {
    D3DKMT_DESTROYKEYEDMUTEX args{};
    args.hKeyedMutex = mutex;
    return DestroyKeyedMutex(client, &args);
  }

  NTSTATUS acquire(Client& client, D3DKMT_HANDLE mutex, UINT64 key, LONGLONG timeout = -10 * kMs) {
    LARGE_INTEGER relative{.QuadPart = timeout};
    D3DKMT_ACQUIREKEYEDMUTEX args{};
    args.hKeyedMutex = mutex;
    args.Key = key;
    args.pTimeout = &relative;
    args.FenceValue = kUntouched;
    NTSTATUS status = AcquireKeyedMutex(client, &args);
    EXPECT_EQ(args.Key, key);
    fence_ = args.FenceValue;
    return status;
  }
  NTSTATUS release(Client& client, D3DKMT_HANDLE mutex, UINT64 key, UINT64 fence) {
    D3DKMT_RELEASEKEYEDMUTEX args{};
    args.hKeyedMutex = mutex;
    args.Key = key;
    args.FenceValue = fence;
    NTSTATUS status = ReleaseKeyedMutex(client, &args);
    EXPECT_EQ(args.hKeyedMutex, mutex);
    EXPECT_EQ(args.Key, key);
    EXPECT_EQ(args.FenceValue, fence);
    return status;
  }
  void pass(LONGLONG time) {
    LARGE_INTEGER relative{.QuadPart = -time};
    KeDelayExecutionThread(KernelMode, FALSE, &relative);
  }

  UINT64 fence_ = kUntouched;
};

TEST_F(KeyedMutexThunks, K1_CreateNeedsNoDevice) {
  auto ended = run_registered([&] {
    Program program(kernel(), "client");
    EXPECT_EQ(CreateKeyedMutex(program.client, nullptr), STATUS_INVALID_PARAMETER);
    D3DKMT_CREATEKEYEDMUTEX args = create(program.client);
    EXPECT_TRUE(is_local(args.hKeyedMutex));
    EXPECT_TRUE(is_global(args.hSharedHandle));
  });
  EXPECT_EQ(ended, nt::Machine::Ended::Returned);
}

TEST_F(KeyedMutexThunks, K2_OpenTakesTheGlobalHandle) {
  run_client([&](Client& client) {
    D3DKMT_CREATEKEYEDMUTEX args = create(client);
    expect_next(args.hKeyedMutex);
    EXPECT_EQ(OpenKeyedMutex(client, nullptr), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(try_open(client, 0, 0), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(try_open(client, 0, args.hKeyedMutex), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(try_open(client, args.hKeyedMutex), STATUS_INVALID_PARAMETER);
    expect_next(open(client, args.hSharedHandle));
  });
}

TEST_F(KeyedMutexThunks, K3_DiesWithItsLastLocalHandle) {
  run_client([&](Client& client) {
    D3DKMT_CREATEKEYEDMUTEX args = create(client);
    D3DKMT_HANDLE opened = open(client, args.hSharedHandle);
    EXPECT_EQ(destroy(client, 0), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(destroy(client, args.hSharedHandle), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(destroy(client, opened), STATUS_SUCCESS);
    EXPECT_EQ(destroy(client, opened), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(destroy(client, args.hKeyedMutex), STATUS_SUCCESS);
    EXPECT_EQ(try_open(client, args.hSharedHandle), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(client.process().ledger().of(ob::ObjectKind::KeyedMutex).live, 0u);
  });
}

TEST_F(KeyedMutexThunks, K4_SecondVersionCreatesAndOpensTheSame) {
  run_client([&](Client& client) {
    EXPECT_EQ(CreateKeyedMutex2(client, nullptr), STATUS_INVALID_PARAMETER);
    D3DKMT_CREATEKEYEDMUTEX2 first{}, second{};
    EXPECT_EQ(CreateKeyedMutex2(client, &first), STATUS_SUCCESS);
    expect_next(first.hKeyedMutex);
    EXPECT_TRUE(is_global(first.hSharedHandle));
    EXPECT_EQ(CreateKeyedMutex2(client, &second), STATUS_SUCCESS);
    expect_next(second.hKeyedMutex);
    EXPECT_TRUE(is_global(second.hSharedHandle));
    EXPECT_NE(first.hSharedHandle, second.hSharedHandle);

    D3DKMT_OPENKEYEDMUTEX2 args{};
    EXPECT_EQ(OpenKeyedMutex2(client, &args), STATUS_INVALID_PARAMETER);
    args.hKeyedMutex = first.hKeyedMutex;
    EXPECT_EQ(OpenKeyedMutex2(client, &args), STATUS_INVALID_PARAMETER);
    args.hSharedHandle = first.hSharedHandle;
    EXPECT_EQ(OpenKeyedMutex2(client, &args), STATUS_SUCCESS);
    expect_next(args.hKeyedMutex);
  });
}

TEST_F(KeyedMutexThunks, K5_OpenersOutliveTheCreatorsHandle) {
  run_client([&](Client& client) {
    D3DKMT_CREATEKEYEDMUTEX args = create(client);
    D3DKMT_HANDLE opened = open(client, args.hSharedHandle);
    EXPECT_EQ(destroy(client, args.hKeyedMutex), STATUS_SUCCESS);
    D3DKMT_HANDLE again = open(client, args.hSharedHandle);
    EXPECT_EQ(acquire(client, again, 0), STATUS_SUCCESS);
    EXPECT_EQ(destroy(client, opened), STATUS_SUCCESS);
    EXPECT_EQ(destroy(client, again), STATUS_SUCCESS);
  });
}

TEST_F(KeyedMutexThunks, K6_AnOpenersBufferIsNotWritten) {
  run_client([&](Client& client) {
    D3DKMT_CREATEKEYEDMUTEX2 created{};
    EXPECT_EQ(CreateKeyedMutex2(client, &created), STATUS_SUCCESS);
    uint8_t buffer[64];
    std::fill(std::begin(buffer), std::end(buffer), 0xcd);
    D3DKMT_OPENKEYEDMUTEX2 args{};
    args.hSharedHandle = created.hSharedHandle;
    args.PrivateRuntimeDataSize = sizeof(buffer);
    EXPECT_EQ(OpenKeyedMutex2(client, &args), STATUS_INVALID_PARAMETER);
    args.pPrivateRuntimeData = buffer;
    EXPECT_EQ(OpenKeyedMutex2(client, &args), STATUS_SUCCESS);
    EXPECT_EQ(args.PrivateRuntimeDataSize, sizeof(buffer));
    EXPECT_EQ(std::count(std::begin(buffer), std::end(buffer), 0xcd), 64);
  });
}

TEST_F(KeyedMutexThunks, K7_AnOpenersBufferIsNotShorterThanTheData) {
  run_client([&](Client& client) {
    uint8_t data[6] = {1, 2, 3, 4, 5, 6};
    D3DKMT_CREATEKEYEDMUTEX2 created{};
    created.pPrivateRuntimeData = data;
    created.PrivateRuntimeDataSize = sizeof(data);
    EXPECT_EQ(CreateKeyedMutex2(client, &created), STATUS_SUCCESS);
    expect_next(created.hKeyedMutex);

    uint8_t buffer[64];
    std::fill(std::begin(buffer), std::end(buffer), 0xcd);
    D3DKMT_OPENKEYEDMUTEX2 args{};
    args.hSharedHandle = created.hSharedHandle;
    EXPECT_EQ(OpenKeyedMutex2(client, &args), STATUS_SUCCESS);
    EXPECT_EQ(args.PrivateRuntimeDataSize, 0u);
    expect_next(args.hKeyedMutex);
    args.PrivateRuntimeDataSize = 64;
    EXPECT_EQ(OpenKeyedMutex2(client, &args), STATUS_INVALID_PARAMETER);
    args.pPrivateRuntimeData = buffer;
    args.PrivateRuntimeDataSize = 5;
    EXPECT_EQ(OpenKeyedMutex2(client, &args), STATUS_INVALID_PARAMETER);
    args.PrivateRuntimeDataSize = 6;
    EXPECT_EQ(OpenKeyedMutex2(client, &args), STATUS_SUCCESS);
    EXPECT_EQ(args.PrivateRuntimeDataSize, 6u);
    expect_next(args.hKeyedMutex);  // nothing that failed took a number
    EXPECT_EQ(std::count(std::begin(buffer), std::end(buffer), 0xcd), 64);
  });
}

TEST_F(KeyedMutexThunks, K8_NtSecuritySharingGivesNoGlobalHandle) {
  run_client([&](Client& client) {
    D3DKMT_CREATEKEYEDMUTEX2 args{};
    args.hSharedHandle = kNoHandle;
    args.Flags.NtSecuritySharing = 1;
    EXPECT_EQ(CreateKeyedMutex2(client, &args), STATUS_SUCCESS);
    expect_next(args.hKeyedMutex);
    EXPECT_EQ(args.hSharedHandle, 0u);
    args.Flags.Value = 2;
    EXPECT_EQ(CreateKeyedMutex2(client, &args), STATUS_INVALID_PARAMETER);
  });
}

TEST_F(KeyedMutexThunks, K9_AcquireOfNothingChangesNothing) {
  run_client([&](Client& client) {
    EXPECT_EQ(AcquireKeyedMutex(client, nullptr), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(acquire(client, kNoHandle, 0), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(fence_, kUntouched);
  });
}

TEST_F(KeyedMutexThunks, K10_AFreshMutexHasItsInitialKey) {
  run_client([&](Client& client) {
    D3DKMT_HANDLE mutex = create(client).hKeyedMutex;
    EXPECT_EQ(acquire(client, mutex, 0xdeadbeef), STATUS_TIMEOUT);
    EXPECT_EQ(fence_, 0u);
    EXPECT_EQ(acquire(client, mutex, 0), STATUS_SUCCESS);
    EXPECT_EQ(fence_, 0u);
  });
}

TEST_F(KeyedMutexThunks, K11_K12_K13_ReleaseSetsKeyAndFence) {
  run_client([&](Client& client) {
    D3DKMT_HANDLE mutex = create(client).hKeyedMutex;
    ASSERT_EQ(acquire(client, mutex, 0), STATUS_SUCCESS);
    EXPECT_EQ(ReleaseKeyedMutex(client, nullptr), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(release(client, kNoHandle, 1, 1234), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(release(client, mutex, 1, 1234), STATUS_SUCCESS);
    EXPECT_EQ(release(client, mutex, 1, 1234), STATUS_INVALID_PARAMETER);

    EXPECT_EQ(acquire(client, mutex, 0), STATUS_TIMEOUT);
    EXPECT_EQ(fence_, 0u);
    EXPECT_EQ(acquire(client, mutex, 1), STATUS_SUCCESS);
    EXPECT_EQ(fence_, 1234u);

    EXPECT_EQ(release(client, mutex, 0, 0), STATUS_SUCCESS);
    EXPECT_EQ(acquire(client, mutex, 0), STATUS_SUCCESS);
    EXPECT_EQ(fence_, 0u);
  });
}

TEST_F(KeyedMutexThunks, K14_DestroyingTheOwnersHandleAbandonsIt) {
  run_client([&](Client& client) {
    D3DKMT_CREATEKEYEDMUTEX owner = create(client);
    D3DKMT_HANDLE waiter = open(client, owner.hSharedHandle);
    ASSERT_EQ(acquire(client, owner.hKeyedMutex, 0), STATUS_SUCCESS);
    NTSTATUS status = STATUS_PENDING;
    machine().create_thread("waiter", [&] { status = acquire(client, waiter, 0, -5000 * kMs); });
    pass(100 * kMs);
    EXPECT_EQ(status, STATUS_PENDING);
    EXPECT_EQ(destroy(client, owner.hKeyedMutex), STATUS_SUCCESS);
    pass(kMs);
    EXPECT_EQ(status, STATUS_ABANDONED);
    for (UINT64 key : {0, 1, 99}) {
      EXPECT_EQ(acquire(client, waiter, key), STATUS_ABANDONED);
      EXPECT_EQ(fence_, 0u);
    }
    EXPECT_EQ(destroy(client, waiter), STATUS_SUCCESS);
  });
}

TEST_F(KeyedMutexThunks, AProcessThatDiesAbandonsWhatItOwns) {
  run_client([&](Client& client) {
    D3DKMT_CREATEKEYEDMUTEX args = create(client);
    {
      Program other(kernel(), "b");
      D3DKMT_HANDLE theirs = open(other.client, args.hSharedHandle);
      EXPECT_TRUE(is_local(theirs));
      ASSERT_EQ(acquire(other.client, theirs, 0), STATUS_SUCCESS);
      EXPECT_EQ(acquire(client, args.hKeyedMutex, 0), STATUS_TIMEOUT);
    }
    EXPECT_EQ(acquire(client, args.hKeyedMutex, 0), STATUS_ABANDONED);
  });
}

TEST_F(KeyedMutexThunks, TimeoutsAreRelativeAbsoluteNoneOrForever) {
  run_client([&](Client& client) {
    D3DKMT_HANDLE mutex = create(client).hKeyedMutex;
    auto now = [&] { return machine().executor().now(); };
    base::TimeNs begin = now();
    EXPECT_EQ(acquire(client, mutex, 9, 0), STATUS_TIMEOUT);
    EXPECT_EQ(now(), begin);
    EXPECT_EQ(acquire(client, mutex, 9, -10 * kMs), STATUS_TIMEOUT);
    EXPECT_EQ(now(), begin + 10'000'000);
    auto in_20_ms = static_cast<LONGLONG>(nt::Timers::system_time(now() + 20'000'000));
    EXPECT_EQ(acquire(client, mutex, 9, in_20_ms), STATUS_TIMEOUT);
    EXPECT_EQ(now(), begin + 30'000'000);

    NTSTATUS status = STATUS_PENDING;
    D3DKMT_ACQUIREKEYEDMUTEX forever{};
    forever.hKeyedMutex = mutex;
    forever.Key = 9;
    machine().create_thread("waiter", [&] { status = AcquireKeyedMutex(client, &forever); });
    pass(10'000 * kMs);
    EXPECT_EQ(status, STATUS_PENDING);
    ASSERT_EQ(acquire(client, mutex, 0), STATUS_SUCCESS);
    ASSERT_EQ(release(client, mutex, 9, 7), STATUS_SUCCESS);
    pass(kMs);
    EXPECT_EQ(status, STATUS_SUCCESS);
    EXPECT_EQ(forever.FenceValue, 7u);
  });
}

TEST_F(KeyedMutexThunks, SecondVersionCarriesRuntimeDataToTheNextOwner) {
  run_client([&](Client& client) {
    uint8_t data[4] = {1, 2, 3, 4};
    D3DKMT_CREATEKEYEDMUTEX2 created{};
    created.pPrivateRuntimeData = data;
    created.PrivateRuntimeDataSize = 4;
    ASSERT_EQ(CreateKeyedMutex2(client, &created), STATUS_SUCCESS);
    uint8_t seen[8] = {};
    D3DKMT_ACQUIREKEYEDMUTEX2 acquire2{};
    acquire2.hKeyedMutex = created.hKeyedMutex;
    acquire2.PrivateRuntimeDataSize = 8;
    EXPECT_EQ(AcquireKeyedMutex2(client, &acquire2), STATUS_INVALID_PARAMETER);  // a size without a buffer
    acquire2.pPrivateRuntimeData = seen;
    acquire2.PrivateRuntimeDataSize = 3;
    EXPECT_EQ(AcquireKeyedMutex2(client, &acquire2), STATUS_INVALID_PARAMETER);
    acquire2.PrivateRuntimeDataSize = 8;
    ASSERT_EQ(AcquireKeyedMutex2(client, &acquire2), STATUS_SUCCESS);
    EXPECT_TRUE(std::equal(data, data + 4, seen));
    EXPECT_EQ(seen[4], 0);

    uint8_t next[4] = {9, 8, 7, 6};
    D3DKMT_RELEASEKEYEDMUTEX2 release2{};
    release2.hKeyedMutex = created.hKeyedMutex;
    release2.pPrivateRuntimeData = next;
    release2.PrivateRuntimeDataSize = 4;
    ASSERT_EQ(ReleaseKeyedMutex2(client, &release2), STATUS_SUCCESS);
    ASSERT_EQ(AcquireKeyedMutex2(client, &acquire2), STATUS_SUCCESS);
    EXPECT_TRUE(std::equal(next, next + 4, seen));
  });
}

TEST_F(KeyedMutexThunks, AClientThatCannotBeToldDoesNotOwnIt) {
  run_client([&](Client& client) {
    uint8_t data[4] = {};
    D3DKMT_CREATEKEYEDMUTEX2 created{};
    created.pPrivateRuntimeData = data;
    created.PrivateRuntimeDataSize = 4;
    ASSERT_EQ(CreateKeyedMutex2(client, &created), STATUS_SUCCESS);
    D3DKMT_ACQUIREKEYEDMUTEX2 args{};
    args.hKeyedMutex = created.hKeyedMutex;
    args.pPrivateRuntimeData = reinterpret_cast<void*>(0x10);
    args.PrivateRuntimeDataSize = 4;
    EXPECT_EQ(AcquireKeyedMutex2(client, &args), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(acquire(client, created.hKeyedMutex, 0), STATUS_SUCCESS);
  });
}

TEST_F(KeyedMutexThunks, NoNtHandleOpensAKeyedMutexAlone) {
  run_client([&](Client& client) {
    D3DKMT_OPENKEYEDMUTEXFROMNTHANDLE args{};
    EXPECT_EQ(OpenKeyedMutexFromNtHandle(client, nullptr), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(OpenKeyedMutexFromNtHandle(client, &args), STATUS_INVALID_HANDLE);
  });
}

}  // namespace
}  // namespace kmt::testing
