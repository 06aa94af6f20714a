#include "kmt/allocation/nt_client_handles.h"

#include <gtest/gtest.h>

namespace kmt {
namespace {

template <ob::ObjectKind kThing>
class Thing final : public ob::Object {
 public:
  static constexpr ob::ObjectKind kKind = kThing;
  Thing(ob::Ordinals& ordinals, bool& closed) : ob::Object(kKind, ordinals), closed_(closed) {}

 private:
  void on_last_handle_closed() override { closed_ = true; }
  bool& closed_;
};
using Event = Thing<ob::ObjectKind::Event>;
using Section = Thing<ob::ObjectKind::Section>;

class NtClientHandlesTest : public ::testing::Test {
 protected:
  HANDLE publish() {
    auto handle = handles.publish(ob::UnpublishedObject<Event>::adopt(new Event(ordinals, closed)));
    EXPECT_TRUE(handle.ok());
    return handle.take();
  }
  ob::Ordinals ordinals;
  bool closed = false;
  NtClientHandles handles;
};

TEST_F(NtClientHandlesTest, H6_NtHandlesDoNotLookLikeD3dkmtHandles) {
  EXPECT_EQ(reinterpret_cast<uintptr_t>(publish()) & 0xC0000000, 0u);
}

TEST_F(NtClientHandlesTest, ResolvesUntilClosed) {
  HANDLE handle = publish();
  EXPECT_TRUE(handles.resolve<Event>(handle).ok());
  EXPECT_EQ(handles.resolve<Section>(handle).error(), ob::LookupFault::WrongType);
  EXPECT_FALSE(closed);
  EXPECT_TRUE(handles.close(handle).ok());
  EXPECT_TRUE(closed);
  EXPECT_FALSE(handles.resolve(handle).ok());
  EXPECT_FALSE(handles.close(handle).ok());
}

TEST_F(NtClientHandlesTest, NullAndPseudoHandlesAreNotResolved) {
  EXPECT_EQ(handles.resolve(nullptr).error(), ob::LookupFault::Null);
  EXPECT_EQ(handles.resolve(reinterpret_cast<HANDLE>(~uintptr_t{0})).error(), ob::LookupFault::Pseudo);
}

TEST_F(NtClientHandlesTest, WhatIsLeftClosesWithTheTable) {
  {
    NtClientHandles short_lived;
    ASSERT_TRUE(short_lived.publish(ob::UnpublishedObject<Event>::adopt(new Event(ordinals, closed))).ok());
  }
  EXPECT_TRUE(closed);
}

}  // namespace
}  // namespace kmt
