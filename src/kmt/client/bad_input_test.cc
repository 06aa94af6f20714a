// What a careless or hostile client may pass to any function: an error is all it gets. Nothing crashes, nothing leaks,
// and the memory of a client that is refused stays as it was.
#include <cstdlib>

#include "base/rng.h"
#include "dxgk/object/device.h"
#include "kmt/testing/kmt_fixture.h"

namespace kmt::testing {
namespace {

struct Argument {
  Thunk thunk;
  size_t bytes;
  std::string_view file;
};
constexpr Argument kArguments[] = {
#define THUNK(name, argument, file) {Thunk::name, sizeof(argument), #file},
#include "kmt/client/thunks.def"
};

// Functions that may wait for another thread, whatever they are given, are left to their own tests.
bool may_wait(const Argument& argument) { return argument.file == "keyed_mutex" || argument.file == "sync_object"; }

// Zeros are a good argument to these.
bool takes_zeros(Thunk thunk) {
  switch (thunk) {
    case Thunk::EnumAdapters2:
    case Thunk::EnumAdapters3:
    case Thunk::CreateKeyedMutex:
    case Thunk::CreateKeyedMutex2:
      return true;
    default:
      return false;
  }
}

struct Balance {
  explicit Balance(Program& program) {
    for (auto kind : {ob::ObjectKind::Adapter, ob::ObjectKind::Device, ob::ObjectKind::Resource,
                      ob::ObjectKind::Allocation, ob::ObjectKind::SyncObject, ob::ObjectKind::KeyedMutex}) {
      live.push_back(program.live(kind));
    }
    live.push_back(program.client.process().handles().open_count());
    live.push_back(program.client.process().ledger().bytes());
    live.push_back(program.handles.open_count());
  }
  std::vector<uint64_t> live;
};

class BadInputTest : public KmtTest {
 protected:
  // Every call in here fails and changes nothing.
  void expect_refused(Program& program, const Argument& argument, void* user) {
    Balance before(program);
    size_t handles_of_kernel = kernel().global_handles().size();
    EXPECT_LT(call(program.client, argument.thunk, user), 0) << thunk_name(argument.thunk);
    EXPECT_EQ(before.live, Balance(program).live) << thunk_name(argument.thunk);
    EXPECT_EQ(kernel().global_handles().size(), handles_of_kernel);
  }
};

TEST_F(BadInputTest, Null) {
  run_program([&](Program& program) {
    for (const Argument& argument : kArguments) expect_refused(program, argument, nullptr);
  });
}

TEST_F(BadInputTest, Zeros) {
  run_program([&](Program& program) {
    for (const Argument& argument : kArguments) {
      if (takes_zeros(argument.thunk)) continue;
      std::vector<uint8_t> zeros(argument.bytes), same(argument.bytes);
      expect_refused(program, argument, zeros.data());
      EXPECT_EQ(zeros, same) << thunk_name(argument.thunk);
    }
  });
}

TEST_F(BadInputTest, Ones) {
  run_program([&](Program& program) {
    for (const Argument& argument : kArguments) {
      if (argument.file == "keyed_mutex") continue;  // any initial value will do
      std::vector<uint8_t> ones(argument.bytes, 0xFF), same(argument.bytes, 0xFF);
      expect_refused(program, argument, ones.data());
      EXPECT_EQ(ones, same) << thunk_name(argument.thunk);
    }
  });
}

TEST_F(BadInputTest, UnreadableAndHalfReadable) {
  run_program([&](Program& program) {
    EdgePages pages;
    for (const Argument& argument : kArguments) {
      expect_refused(program, argument, pages.before(0));
      for (size_t there = 1; there < argument.bytes; there += 3) {
        expect_refused(program, argument, pages.before(there));
      }
      expect_refused(program, argument, reinterpret_cast<void*>(~uintptr_t{0} - argument.bytes / 2));
      expect_refused(program, argument, reinterpret_cast<void*>(uintptr_t{1} << 63));
    }
  });
}

// The first field of nearly every argument is a handle: one that is dead, another's, or of something else.
TEST_F(BadInputTest, HandlesOfEverythingElse) {
  run_adapter([&](dxgk::Adapter& its) {
    Program program(kernel(), "client"), other(kernel(), "other");
    program.start(its);
    other.start(its);
    for (int i = 0; i < 40; ++i) other.create_device(other.adapter);
    D3DKMT_HANDLE others = other.create_device(other.adapter);
    D3DKMT_HANDLE dead = program.create_device(program.adapter);
    D3DKMT_DESTROYDEVICE destroy{.hDevice = dead};
    ASSERT_EQ(DestroyDevice(program.client, &destroy), STATUS_SUCCESS);
    CreateArgs create = CreateArgs::driver(program.device);
    ASSERT_EQ(create.create(program), STATUS_SUCCESS);
    for (const Argument& argument : kArguments) {
      if (takes_zeros(argument.thunk) || may_wait(argument)) continue;
      for (D3DKMT_HANDLE handle : {others, dead, create.info.hAllocation, program.device ^ 2, D3DKMT_HANDLE{8}}) {
        std::vector<uint8_t> bytes(argument.bytes);
        std::memcpy(bytes.data(), &handle, sizeof(handle));
        std::vector<uint8_t> same = bytes;
        expect_refused(program, argument, bytes.data());
        EXPECT_EQ(bytes, same) << thunk_name(argument.thunk);
      }
    }
  });
}

TEST_F(BadInputTest, CountsAndSizesWithoutEnd) {
  run_program([&](Program& program) {
    CreateArgs made = CreateArgs::driver(program.device);
    ASSERT_EQ(made.create(program), STATUS_SUCCESS);
    D3DKMT_HANDLE allocation = made.info.hAllocation;
    for (UINT count : {1u << 16, (1u << 20) + 1, 1u << 28, 1u << 31, UINT32_MAX}) {
      Balance before(program);
      CreateArgs create = CreateArgs::driver(program.device);
      create.args.NumAllocations = count;
      EXPECT_LT(create.create(program), 0);
      EXPECT_LT(create.create2(program), 0);
      create.args.NumAllocations = 1;
      create.info.PrivateDriverDataSize = count;
      create.info.pPrivateDriverData = &allocation;
      EXPECT_LT(create.create(program), 0);
      create.info.PrivateDriverDataSize = 0;
      create.args.PrivateRuntimeDataSize = count;
      EXPECT_LT(create.create(program), 0);
      create.args.PrivateRuntimeDataSize = 0;
      create.args.PrivateDriverDataSize = count;
      EXPECT_LT(create.create(program), 0);
      EXPECT_EQ(create.info.hAllocation, kNoHandle);

      EdgePages pages;
      auto* list = static_cast<D3DKMT_HANDLE*>(pages.before(sizeof(D3DKMT_HANDLE)));
      *list = allocation;
      D3DKMT_DESTROYALLOCATION2 destroy{
          .hDevice = program.device, .hResource = 0, .phAllocationList = list, .AllocationCount = count, .Flags = {}};
      EXPECT_LT(DestroyAllocation2(program.client, &destroy), 0);
      D3DKMT_UNLOCK unlock{.hDevice = program.device, .NumAllocations = count, .phAllocations = list};
      EXPECT_LT(Unlock(program.client, &unlock), 0);
      UINT priority = 1;
      D3DKMT_SETALLOCATIONPRIORITY set{.hDevice = program.device,
                                       .hResource = 0,
                                       .phAllocationList = list,
                                       .AllocationCount = count,
                                       .pPriorities = &priority};
      EXPECT_LT(SetAllocationPriority(program.client, &set), 0);
      D3DKMT_GETALLOCATIONPRIORITY get{.hDevice = program.device,
                                       .hResource = 0,
                                       .phAllocationList = list,
                                       .AllocationCount = count,
                                       .pPriorities = &priority};
      EXPECT_LT(GetAllocationPriority(program.client, &get), 0);
      D3DKMT_LOCK lock{};
      lock.hDevice = program.device;
      lock.hAllocation = allocation;
      lock.NumPages = count;
      lock.pPages = static_cast<UINT*>(pages.before(4));
      EXPECT_LT(Lock(program.client, &lock), 0);
      EXPECT_EQ(before.live, Balance(program).live) << count;
    }
  });
}

// Arguments put together from handles that are good, dead, foreign or of another type, small numbers, flags and
// pointers of all sorts. DRYDOCK_SEED replays a run.
class ArgumentMill {
 public:
  ArgumentMill(uint64_t seed, Program& program, const EdgePages& pages)
      : rng_(seed), program_(program), pages_(pages) {}

  void know(D3DKMT_HANDLE handle) {
    if (known_.size() < 64)
      known_.push_back(handle);
    else
      known_[rng_.below(known_.size())] = handle;
  }
  std::vector<uint8_t> make(size_t bytes) {
    std::vector<uint8_t> made(bytes);
    for (size_t at = 0; at + 4 <= bytes; at += 4) {
      uint64_t value = word();
      if (at % 8 == 0 && at + 8 <= bytes && rng_.below(4) == 0) value = pointer();
      std::memcpy(&made[at], &value, std::min<size_t>(8, bytes - at));
    }
    return made;
  }
  uint64_t below(uint64_t limit) { return rng_.below(limit); }
  uint8_t* room() { return room_; }
  static constexpr size_t kRoom = 256;

 private:
  uint64_t word() {
    switch (rng_.below(8)) {
      case 0:
      case 1:
        return 0;
      case 2:
        return program_.device;
      case 3:
        return program_.adapter;
      case 4:
        return known_.empty() ? 0 : known_[rng_.below(known_.size())];
      case 5:
        return rng_.below(20);
      case 6:
        return uint64_t{1} << rng_.below(32);
      default:
        return static_cast<uint32_t>(rng_.next());
    }
  }
  uint64_t pointer() {
    switch (rng_.below(5)) {
      case 0:
        return 0;
      case 1:
        return UserMemory::address(pages_.before(rng_.below(64)));
      case 2:
        return rng_.next();
      default:
        return UserMemory::address(room_ + rng_.below(8) * 16);
    }
  }

  base::Rng rng_;
  Program& program_;
  const EdgePages& pages_;
  std::vector<D3DKMT_HANDLE> known_;
  alignas(16) uint8_t room_[kRoom] = {};
};

TEST_F(BadInputTest, AnythingAtAll) {
  const char* given = std::getenv("DRYDOCK_SEED");
  uint64_t seed = given ? std::strtoull(given, nullptr, 0) : 20261115;
  SCOPED_TRACE("DRYDOCK_SEED=" + std::to_string(seed));
  std::vector<Argument> thunks;
  for (const Argument& argument : kArguments) {
    if (!may_wait(argument) && argument.file != "share") thunks.push_back(argument);
  }
  run_adapter([&](dxgk::Adapter& its) {
    Program program(kernel(), "client");
    program.start(its);
    EdgePages pages;
    ArgumentMill mill(seed, program, pages);
    size_t succeeded = 0;
    for (int i = 0; i < 20000; ++i) {
      if (!program.client.find<dxgk::Device>(program.device).ok()) program.start(its);
      const Argument& argument = thunks[mill.below(thunks.size())];
      std::vector<uint8_t> bytes = mill.make(argument.bytes), before = bytes;
      std::vector<uint8_t> pointed(mill.room(), mill.room() + ArgumentMill::kRoom);
      NTSTATUS status = call(program.client, argument.thunk, bytes.data());
      if (status < 0) {
        ASSERT_EQ(bytes, before) << thunk_name(argument.thunk) << " at step " << i;
        ASSERT_TRUE(std::equal(pointed.begin(), pointed.end(), mill.room())) << thunk_name(argument.thunk) << " " << i;
      } else {
        ++succeeded;
      }
      program.client.process().handles().for_each([&](D3DKMT_HANDLE handle, ob::Object&) {
        if (mill.below(8) == 0) mill.know(handle);
      });
      observer.violations.clear();
    }
    EXPECT_GT(succeeded, 100u) << "a mill that makes only refuse tests nothing";
    EXPECT_TRUE(program.client.process().handles().validate());
  });
}

}  // namespace
}  // namespace kmt::testing
