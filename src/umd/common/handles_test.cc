#include "umd/common/handles.h"

#include <gtest/gtest.h>

namespace umd {
namespace {

int g_object, g_other;

TEST(Handles, FindsWhatItAdded) {
  Handles handles;
  HANDLE handle = handles.add(HandleKind::Resource, &g_object);
  Handles::Found found = handles.find(handle);
  EXPECT_TRUE(found.live);
  EXPECT_EQ(found.kind, HandleKind::Resource);
  EXPECT_EQ(found.object, &g_object);
}

TEST(Handles, RemembersTheKindOfADeadOne) {
  Handles handles;
  HANDLE handle = handles.add(HandleKind::Device, &g_object);
  handles.remove(handle);
  Handles::Found found = handles.find(handle);
  EXPECT_FALSE(found.live);
  EXPECT_EQ(found.kind, HandleKind::Device);
  EXPECT_EQ(found.object, nullptr);
}

TEST(Handles, AnOldHandleNeverMeansItsSuccessor) {
  Handles handles;
  HANDLE old = handles.add(HandleKind::Resource, &g_object);
  handles.remove(old);
  HANDLE fresh = handles.add(HandleKind::Resource, &g_other);
  EXPECT_NE(old, fresh);
  EXPECT_FALSE(handles.find(old).live);
  EXPECT_EQ(handles.find(fresh).object, &g_other);
  EXPECT_EQ(handles.live(), 1u);
}

TEST(Handles, KnowsWhatIsNotItsOwn) {
  Handles handles;
  HANDLE handle = handles.add(HandleKind::Context, &g_object);
  EXPECT_EQ(handles.find(nullptr).kind, HandleKind::None);
  EXPECT_EQ(handles.find(&g_object).kind, HandleKind::None);
  auto bits = reinterpret_cast<uint64_t>(handle);
  EXPECT_EQ(handles.find(reinterpret_cast<HANDLE>(bits + 1)).kind, HandleKind::None);  // an index too far
  EXPECT_FALSE(handles.find(reinterpret_cast<HANDLE>(bits ^ 1ull << 52)).live);        // another kind
  EXPECT_EQ(handles.find(reinterpret_cast<HANDLE>(bits | 0xFull << 52)).kind, HandleKind::None);
}

// A driver that takes a handle for an address faults instead of reading something.
TEST(Handles, AreNoAddresses) {
  Handles handles;
  auto bits = reinterpret_cast<uint64_t>(handles.add(HandleKind::Resource, &g_object));
  EXPECT_NE(bits >> 47, 0u);
  EXPECT_NE(bits >> 47, (1u << 17) - 1);
}

}  // namespace
}  // namespace umd
