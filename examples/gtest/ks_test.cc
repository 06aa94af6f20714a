#include <drydock/drydock.h>
#include <gtest/gtest.h>

using drydock::StreamState;

TEST(Ks, StreamsAndIsQuiet) {
  drydock::Host host(KS);
  ASSERT_TRUE(host.started()) << host.refusal();
  drydock::StreamPin pin = host.stream_program().open_filter().open_pin(0);
  ASSERT_TRUE(pin) << pin.why();
  ASSERT_EQ(pin.go(StreamState::Run), drydock::kSuccess) << pin.why();
  std::int64_t last = 0;
  for (const drydock::Frame& frame : pin.read_frames(10)) {
    ASSERT_TRUE(frame) << frame.why;
    EXPECT_GT(frame.picture_number, last);
    last = frame.picture_number;
    EXPECT_EQ(frame.bytes, std::vector<std::uint8_t>(pin.frame_bytes(), static_cast<std::uint8_t>(last)));
  }
  EXPECT_EQ(pin.go(StreamState::Stop), drydock::kSuccess) << pin.why();
  EXPECT_EQ(pin.close(), drydock::kSuccess);
  EXPECT_EQ(host.calls("AVStrMiniPinClose"), 1u);
  host.stop();
  EXPECT_TRUE(host.findings().empty()) << host.report();
}

// Frames that a program takes back while the driver could have them, and a device that is pulled out.
TEST(Ks, CopesWithCancellationAndRemoval) {
  drydock::Host host(KS);
  drydock::StreamPin pin = host.stream_program().open_filter().open_pin(0);
  ASSERT_TRUE(pin) << pin.why();
  ASSERT_EQ(pin.go(StreamState::Pause), drydock::kSuccess) << pin.why();
  EXPECT_EQ(pin.send(8), drydock::kSuccess) << pin.why();
  EXPECT_EQ(pin.cancel().size(), 8u);
  ASSERT_EQ(pin.go(StreamState::Run), drydock::kSuccess) << pin.why();
  pin.send(8);
  EXPECT_TRUE(pin.receive());
  host.stream_device().surprise_remove();
  pin.close();
  host.stop();
  EXPECT_TRUE(host.findings().empty()) << host.report();
}

// What a driver that believes in its own header size looks like, once a program sends a shorter one.
TEST(Ks, AnOverrunIsFound) {
  drydock::Host host(CARELESS_KS);
  drydock::StreamPin pin = host.stream_program().open_filter().open_pin(0);
  ASSERT_EQ(pin.go(StreamState::Run), drydock::kSuccess) << pin.why();
  drydock::FrameOptions plain;
  plain.header_bytes = 56;  // sizeof(KSSTREAM_HEADER), and nothing behind it
  pin.send(1, plain);
  pin.receive();
  ASSERT_FALSE(host.findings().empty());
  EXPECT_EQ(host.findings()[0].rule, "Q-12");
}
