#pragma once

#include <initializer_list>

#include "kmt/testing/kmt_fixture.h"

namespace kmt::testing {

// For tests of locks: allocations, and the calls that lock them.
class LockTest : public KmtTest {
 protected:
  using KmtTest::KmtTest;

  D3DKMT_HANDLE make(Program& program) {
    CreateArgs create = CreateArgs::driver(program.device);
    EXPECT_EQ(create.create(program), STATUS_SUCCESS);
    return create.info.hAllocation;
  }
  NTSTATUS lock2(Program& program, D3DKMT_HANDLE allocation, UINT flags = 0) {
    D3DKMT_LOCK2 args{.hDevice = program.device, .hAllocation = allocation, .Flags = {}, .pData = nullptr};
    args.Flags.Value = flags;
    NTSTATUS status = Lock2(program.client, &args);
    data = args.pData;
    return status;
  }
  NTSTATUS unlock2(Program& program, D3DKMT_HANDLE allocation) {
    D3DKMT_UNLOCK2 args{.hDevice = program.device, .hAllocation = allocation};
    return Unlock2(program.client, &args);
  }
  D3DKMT_LOCK entire(Program& program, D3DKMT_HANDLE allocation) {
    D3DKMT_LOCK args{};
    args.hDevice = program.device;
    args.hAllocation = allocation;
    args.Flags.LockEntire = 1;
    return args;
  }
  NTSTATUS unlock(Program& program, std::initializer_list<D3DKMT_HANDLE> handles) {
    D3DKMT_UNLOCK args{.hDevice = program.device,
                       .NumAllocations = static_cast<UINT>(handles.size()),
                       .phAllocations = handles.begin()};
    return Unlock(program.client, &args);
  }
  void* data = nullptr;
};

}  // namespace kmt::testing
