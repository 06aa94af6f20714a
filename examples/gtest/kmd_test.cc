#include <drydock/drydock.h>
#include <gtest/gtest.h>

TEST(Kmd, DestroysAResourceOnceAndLeavesNothing) {
  drydock::Host host(KMD);
  ASSERT_TRUE(host.started()) << host.refusal();
  drydock::Resource resource = host.process().open_device().create_resource(2);
  ASSERT_TRUE(resource) << resource.why();
  EXPECT_EQ(resource.destroy(drydock::SynchronousDestroy), drydock::kSuccess);
  EXPECT_EQ(host.calls("DxgkDdiDestroyAllocation"), 1u);
  host.stop();
  EXPECT_TRUE(host.findings().empty()) << host.report();
}
