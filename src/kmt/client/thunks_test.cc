#include "kmt/client/thunks.h"

#include <set>

#include "kmt/testing/kmt_fixture.h"

namespace kmt::testing {
namespace {

TEST(Thunks, EachHasItsName) {
  std::set<std::string> names;
  for (size_t i = 0; i < kThunkCount; ++i) {
    std::string name = thunk_name(static_cast<Thunk>(i));
    EXPECT_EQ(name.rfind("D3DKMT", 0), 0u) << name;
    EXPECT_TRUE(names.insert(name).second) << name << " is there twice";
  }
  EXPECT_TRUE(names.count("D3DKMTDestroyAllocation2"));
}

class ThunksTest : public KmtTest {};

TEST_F(ThunksTest, WhatIsNotSupportedSaysSo) {
  run_program([&](Program& program) {
    for (size_t i = 0; i < kThunkCount; ++i) {
      auto thunk = static_cast<Thunk>(i);
      if (implemented(thunk)) continue;
      EXPECT_EQ(call(program.client, thunk, nullptr), STATUS_NOT_SUPPORTED) << thunk_name(thunk);
    }
    auto refusals = program.client.process().ledger().refusals();
    EXPECT_TRUE(std::any_of(refusals.begin(), refusals.end(),
                            [](const auto& refusal) { return refusal.function == "D3DKMTSetQueuedLimit"; }));
  });
}

TEST_F(ThunksTest, ByNumberAsByName) {
  run_program([&](Program& program) {
    D3DKMT_CREATEDEVICE args{};
    args.hAdapter = program.adapter;
    EXPECT_EQ(call(program.client, Thunk::CreateDevice, &args), STATUS_SUCCESS);
    EXPECT_TRUE(is_local(args.hDevice));
  });
}

}  // namespace
}  // namespace kmt::testing
