#include <drydock/drydock.h>
#include <gtest/gtest.h>

// A user-mode driver above a kernel-mode driver.
static drydock::HostOptions above_softgpu(const char* umd) {
  drydock::HostOptions options(KMD);
  options.umd = umd;
  return options;
}

TEST(Umd, DestroysWhatItCreatesAndIsQuiet) {
  drydock::Host host(above_softgpu(UMD));
  ASSERT_TRUE(host.started()) << host.refusal();
  drydock::Process process = host.process();
  drydock::Device9 device = process.direct3d9().create_device();
  ASSERT_TRUE(device) << device.why();
  drydock::Resource9 texture = device.create_texture(64, 64);
  drydock::Resource9 target = device.create_render_target(64, 64);
  ASSERT_TRUE(texture && target) << device.why();
  EXPECT_EQ(device.blt(texture, target), drydock::kOk) << device.why();
  EXPECT_EQ(texture.destroy(), drydock::kOk) << device.why();  // its commands are submitted first
  EXPECT_EQ(host.calls("DxgkDdiRender"), 1u);
  EXPECT_EQ(target.destroy(), drydock::kOk) << device.why();
  EXPECT_EQ(process.ledger().of("resource").live, 0u);
  EXPECT_EQ(device.destroy(), drydock::kOk);
  host.stop();
  EXPECT_TRUE(host.findings().empty()) << host.report();
}

// What a driver that leaks looks like: the rule is named when DestroyDevice returns.
TEST(Umd, ALeakIsFound) {
  drydock::Host host(above_softgpu(FORGETFUL_UMD));
  ASSERT_TRUE(host.started()) << host.refusal();
  drydock::Device9 device = host.process().direct3d9().create_device();
  EXPECT_EQ(device.create_texture(64, 64).destroy(), drydock::kOk) << device.why();
  EXPECT_TRUE(host.findings().empty()) << host.report();
  EXPECT_EQ(device.destroy(), drydock::kOk);
  ASSERT_EQ(host.findings().size(), 1u) << host.report();
  EXPECT_EQ(host.findings()[0].rule, "UR-28");
}

// A callback of the runtime fails when the test wants it to; the driver hands the error on, and nothing is left behind.
TEST(Umd, HandsAnErrorOn) {
  drydock::Host host(above_softgpu(UMD));
  ASSERT_TRUE(host.started()) << host.refusal();
  drydock::Device9 device = host.process().direct3d9().create_device();
  EXPECT_TRUE(device.fail_callback("pfnAllocateCb", 1, drydock::kOutOfMemory));
  drydock::Resource9 texture = device.create_texture(64, 64);
  EXPECT_EQ(texture.result(), drydock::kOutOfMemory);
  EXPECT_EQ(texture.why(), "CreateResource: E_OUTOFMEMORY (0x8007000E)");
  EXPECT_TRUE(device.create_texture(64, 64)) << device.why();
  host.stop();
  EXPECT_TRUE(host.findings().empty()) << host.report();
}
