// The part of the public API that streams, on the minidriver of examples/ and on the bundled ones.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "abi/ks/ks.h"
#include "abi/ks/ksmedia.h"
#include "drydock/drydock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ksalloc/ksalloc.h"

namespace {

using drydock::AllocatorLedger;
using drydock::AllocatorOf;
using drydock::Frame;
using drydock::Host;
using drydock::HostOptions;
using drydock::kSuccess;
using drydock::PinInfo;
using drydock::Reset;
using drydock::StreamConnection;
using drydock::StreamFilter;
using drydock::StreamPin;
using drydock::StreamProgram;
using drydock::StreamState;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr drydock::Status kCancelled = STATUS_CANCELLED;

std::string skeleton() { return DRYDOCK_API_DRIVERS "/skeleton_ks.so"; }
std::string bundled(const std::string& name) { return std::string(DRYDOCK_DRIVERS) + "/" + name + ".so"; }

// A host with minidrivers, and a program on it.
class ApiStream : public ::testing::Test {
 protected:
  explicit ApiStream(const HostOptions& options = skeleton()) : host(options) {}
  void SetUp() override {
    ASSERT_TRUE(host.started()) << host.refusal();
    ASSERT_TRUE(filter) << filter.why();
  }
  void expect_clean() {
    host.stop();
    EXPECT_THAT(host.findings(), IsEmpty()) << host.report();
  }

  Host host;
  StreamProgram program = host.stream_program();
  StreamFilter filter = program.open_filter();
};

// --- Files ---

TEST_F(ApiStream, TellsWhatIsThere) {
  EXPECT_EQ(host.stream_device().filters(), 1u);
  std::vector<PinInfo> pins = filter.pins();
  ASSERT_EQ(pins.size(), 1u);
  EXPECT_TRUE(pins[0].output && pins[0].takes_requests && pins[0].makes_requests);
  EXPECT_EQ(pins[0].possible, 1u);
  EXPECT_EQ(pins[0].instances, 0u);
  ASSERT_EQ(pins[0].ranges.size(), 1u);
  EXPECT_THAT(pins[0].ranges[0], HasSubstr("4096 bytes a sample"));
  EXPECT_THAT(filter.intersect(0), HasSubstr("4096 bytes a sample"));
  StreamPin pin = filter.open_pin(0);
  EXPECT_EQ(filter.pins()[0].instances, 1u);
  EXPECT_EQ(pin.frame_bytes(), 4096u);
  expect_clean();
}

TEST_F(ApiStream, ExplainsRefusals) {
  StreamPin none = filter.open_pin(7);
  EXPECT_FALSE(none);
  EXPECT_THAT(none.why(), HasSubstr("no pin 7"));
  EXPECT_LT(none.status(), 0);
  EXPECT_LT(none.set_state(StreamState::Run), 0) << "a pin that is not there answers like one";
  EXPECT_THAT(filter.open_pin(0, "YUY2:320x240").why(), HasSubstr("does not have YUY2:320x240"));
  EXPECT_THAT(filter.open_pin(0, "nonsense").why(), HasSubstr("'nonsense' is no format"));
  EXPECT_FALSE(program.open_filter(3));
  StreamPin pin = filter.open_pin(0);
  ASSERT_TRUE(pin) << pin.why();
  StreamPin second = filter.open_pin(0);
  EXPECT_FALSE(second) << "one instance is possible";
  EXPECT_THAT(second.why(), HasSubstr("open_pin: "));
  EXPECT_EQ(pin.close(), kSuccess);
  EXPECT_LT(pin.close(), 0) << "the handle is gone";
  expect_clean();
}

TEST_F(ApiStream, GetsAndSetsProperties) {
  StreamPin pin = filter.open_pin(0);
  std::vector<std::uint8_t> count = filter.get(KSPROPSETID_Pin, KSPROPERTY_PIN_CTYPES);
  ASSERT_EQ(count.size(), sizeof(ULONG));
  EXPECT_EQ(count[0], 1);
  EXPECT_EQ(pin.set(KSPROPSETID_Connection, KSPROPERTY_CONNECTION_STATE, KSSTATE_ACQUIRE), kSuccess) << pin.why();
  EXPECT_EQ(pin.state(), StreamState::Acquire);
  const GUID nothing = {1, 2, 3, {4}};
  EXPECT_THAT(pin.get(nothing, 0), IsEmpty());
  EXPECT_THAT(pin.why(), HasSubstr("get: "));
  expect_clean();
}

// Nothing of what a hostile program sends is the driver's fault, and nothing of it breaks anything.
TEST_F(ApiStream, SendsNonsenseWhenAsked) {
  StreamPin pin = filter.open_pin(0);
  char bytes[64] = {};
  const std::uint32_t codes[] = {
      IOCTL_KS_PROPERTY, IOCTL_KS_METHOD, IOCTL_KS_ENABLE_EVENT, IOCTL_KS_READ_STREAM, IOCTL_KS_WRITE_STREAM, 0u, ~0u};
  for (std::uint32_t code : codes) {
    for (std::uint32_t length : {0u, 1u, 24u, 64u}) {
      EXPECT_LT(pin.control(code, bytes, length, bytes, length), 0) << code << " " << length;
      EXPECT_LT(pin.control(code, nullptr, length, nullptr, length), 0) << code << " " << length;
    }
  }
  expect_clean();
}

// --- Frames ---

TEST_F(ApiStream, ReadsFrames) {
  StreamPin pin = filter.open_pin(0);
  ASSERT_EQ(pin.go(StreamState::Run), kSuccess) << pin.why();
  std::vector<Frame> frames = pin.read_frames(6);
  ASSERT_EQ(frames.size(), 6u);
  std::int64_t last = 0;
  for (const Frame& frame : frames) {
    ASSERT_TRUE(frame) << frame.why;
    EXPECT_GT(frame.picture_number, last);
    last = frame.picture_number;
    EXPECT_THAT(frame.bytes, ::testing::Each(static_cast<std::uint8_t>(last)));
    EXPECT_EQ(frame.bytes.size(), pin.frame_bytes());
  }
  EXPECT_TRUE(pin.read());
  EXPECT_EQ(pin.under_way(), 0u);
  EXPECT_EQ(pin.go(StreamState::Stop), kSuccess) << pin.why();
  EXPECT_EQ(pin.close(), kSuccess);
  EXPECT_EQ(filter.close(), kSuccess);
  EXPECT_EQ(host.calls("AVStrMiniPinCreate"), 1u);
  EXPECT_EQ(host.calls("AVStrMiniPinClose"), 1u);
  EXPECT_EQ(host.calls("DxgkDdiStartDevice"), 0u);
  expect_clean();
  EXPECT_EQ(host.calls("AVStrMiniPinSetDeviceState"), 6u) << "also after the end";
}

TEST_F(ApiStream, FramesAreForPinsThatAreNotStopped) {
  StreamPin pin = filter.open_pin(0);
  Frame frame = pin.read();
  EXPECT_FALSE(frame);
  EXPECT_THAT(frame.why, HasSubstr("send: "));
  EXPECT_EQ(pin.under_way(), 0u);
  EXPECT_EQ(pin.read_frames(3).size(), 1u) << "the first that does not come is the last one";
  ASSERT_EQ(pin.go(StreamState::Pause), kSuccess);
  EXPECT_FALSE(pin.write({1, 2, 3})) << "data flows out of it";
  expect_clean();
}

TEST_F(ApiStream, AFrameThatDoesNotComeIsTakenBack) {
  StreamPin pin = filter.open_pin(0);
  ASSERT_EQ(pin.go(StreamState::Pause), kSuccess) << pin.why();
  Frame frame = pin.read(std::chrono::milliseconds(50));
  EXPECT_FALSE(frame);
  EXPECT_THAT(frame.why, HasSubstr("did not come in time"));
  EXPECT_FALSE(pin.receive()) << "none is under way";
  expect_clean();
}

TEST_F(ApiStream, CancelsAndResets) {
  StreamPin pin = filter.open_pin(0);
  ASSERT_EQ(pin.go(StreamState::Pause), kSuccess);
  EXPECT_EQ(pin.send(5), kSuccess) << pin.why();
  EXPECT_EQ(pin.under_way(), 5u);
  std::vector<Frame> back = pin.cancel();
  ASSERT_EQ(back.size(), 5u);
  for (const Frame& frame : back) EXPECT_EQ(frame.status, kCancelled);
  pin.send(3);
  EXPECT_EQ(pin.reset(Reset::Begin), kSuccess) << pin.why();
  EXPECT_EQ(pin.reset(Reset::End), kSuccess) << pin.why();
  EXPECT_FALSE(pin.receive()) << "the reset has sent it home";
  pin.cancel();
  ASSERT_EQ(pin.set_state(StreamState::Run), kSuccess) << pin.why();
  EXPECT_TRUE(pin.read());
  expect_clean();
}

TEST_F(ApiStream, FramesAndHeadersOfOtherSizes) {
  StreamPin pin = filter.open_pin(0);
  ASSERT_EQ(pin.go(StreamState::Run), kSuccess);
  drydock::FrameOptions options;
  options.bytes = 100;
  options.header_bytes = sizeof(KSSTREAM_HEADER);
  ASSERT_EQ(pin.send(1, options), kSuccess) << pin.why();
  Frame frame = pin.receive();
  ASSERT_TRUE(frame) << frame.why;
  EXPECT_EQ(frame.bytes.size(), 100u);
  EXPECT_EQ(frame.picture_number, 0) << "there was no room for it";
  options.header_bytes = 4;
  EXPECT_LT(pin.send(1, options), 0);
  EXPECT_THAT(pin.why(), HasSubstr("shorter than KSSTREAM_HEADER"));
  expect_clean();
}

// --- The device, the process and the host end ---

TEST_F(ApiStream, TheDeviceSleepsAndIsPulledOut) {
  StreamPin pin = filter.open_pin(0);
  ASSERT_EQ(pin.go(StreamState::Run), kSuccess);
  EXPECT_EQ(host.stream_device().set_power(drydock::DevicePower::D3), kSuccess);
  EXPECT_EQ(host.stream_device().set_power(drydock::DevicePower::D0), kSuccess);
  EXPECT_TRUE(pin.read());
  pin.send(3);
  EXPECT_EQ(host.stream_device().surprise_remove(), kSuccess);
  EXPECT_LT(pin.read().status, 0);
  EXPECT_FALSE(program.open_filter());
  EXPECT_LT(host.stream_device(1).start(), 0) << "there is no second one";
  expect_clean();
}

TEST_F(ApiStream, AProcessDiesWithWhatItHas) {
  StreamPin pin = filter.open_pin(0);
  ASSERT_EQ(pin.go(StreamState::Run), kSuccess);
  pin.send(4);
  program.end();
  EXPECT_EQ(host.calls("AVStrMiniPinClose"), 1u);
  EXPECT_LT(pin.set_state(StreamState::Stop), 0);
  EXPECT_THAT(pin.why(), HasSubstr("has ended"));
  StreamPin next = host.stream_program("next").open_filter().open_pin(0);
  EXPECT_TRUE(next) << next.why();
  expect_clean();
  EXPECT_EQ(next.read().status, drydock::kMachineStopped);
}

TEST_F(ApiStream, ProgramsInterleave) {
  StreamPin pin = filter.open_pin(0);
  ASSERT_EQ(pin.go(StreamState::Run), kSuccess);
  std::size_t came = 0;
  EXPECT_TRUE(host.together({[&] { came = pin.read_frames(10).size(); },
                             [&] {
                               StreamProgram other = host.stream_program("other");
                               for (int i = 0; i < 10; ++i) EXPECT_TRUE(other.open_filter().close() >= 0);
                             }}));
  EXPECT_EQ(came, 10u);
  expect_clean();
}

TEST_F(ApiStream, HasNoGraphics) {
  EXPECT_FALSE(host.process().open_device());
  EXPECT_THAT(host.process().open_device().why(), HasSubstr("there is no graphics kernel"));
}

TEST(ApiStreamRefusal, SaysWhatDoesNotGoTogether) {
  HostOptions options(bundled("softgpu/softgpu"));
  Host display(options);
  ASSERT_TRUE(display.started()) << display.refusal();
  EXPECT_THAT(display.stream_program().open_filter().why(), HasSubstr("nothing streams"));
  EXPECT_THAT(display.allocators(), IsEmpty());
  display.stop();
  options.more_drivers = {skeleton()};
  EXPECT_THAT(Host(options).refusal(), HasSubstr("no minidriver of AVStream"));
  HostOptions mixed(skeleton());
  mixed.umd = bundled("softgpu/softgpu_umd");
  EXPECT_THAT(Host(mixed).refusal(), HasSubstr("a minidriver of AVStream"));
  HostOptions wrong(skeleton());
  wrong.more_drivers = {bundled("mill")};
  EXPECT_THAT(Host(wrong).refusal(), HasSubstr("no minidriver of AVStream"));
}

// --- The camera ---

class ApiCamera : public ApiStream {
 protected:
  ApiCamera() : ApiStream(bundled("testcam")) {}
};

TEST_F(ApiCamera, GivesTheFormatThatWasRequested) {
  StreamPin pin = filter.open_pin(0, "YUY2:320x240@15");
  ASSERT_TRUE(pin) << pin.why();
  EXPECT_EQ(pin.format(), "video YUY2 320x240, 15 frames a second");
  EXPECT_EQ(pin.frame_bytes(), 320u * 240 * 2);
  ASSERT_EQ(pin.go(StreamState::Run), kSuccess) << pin.why();
  for (const Frame& frame : pin.read_frames(3)) {
    EXPECT_TRUE(frame) << frame.why;
    EXPECT_EQ(frame.bytes.size(), pin.frame_bytes());
    EXPECT_EQ(frame.drop_count, 0);
    EXPECT_EQ(frame.duration, 666'666);
  }
  StreamPin sound = program.open_filter(1).open_pin(0, "PCM:44100x2");
  ASSERT_TRUE(sound) << sound.why();
  ASSERT_EQ(sound.go(StreamState::Run), kSuccess) << sound.why();
  EXPECT_EQ(sound.read().bytes.size(), sound.frame_bytes());
  expect_clean();
}

// --- Connections in the kernel ---

class ApiConnection : public ApiStream {
 protected:
  ApiConnection() : ApiStream(bundled("ksalloc")) {}
  StreamFilter renderer = program.open_filter(1);
};

TEST_F(ApiConnection, FramesGoRoundAndTheAllocatorIsDeletedOnce) {
  StreamConnection connection = program.connect(filter, 0, renderer, 0);
  ASSERT_TRUE(connection) << connection.why();
  ASSERT_EQ(connection.go(StreamState::Run), kSuccess) << program.why();
  EXPECT_TRUE(connection.wait_for(20)) << connection.went_round();
  KSALLOC_COUNTS counts{};
  std::vector<std::uint8_t> answer = connection.sink().get(KSALLOC_PROPSETID_RENDERER, KSALLOC_PROPERTY_COUNTS);
  ASSERT_EQ(answer.size(), sizeof(counts)) << program.why();
  memcpy(&counts, answer.data(), sizeof(counts));
  EXPECT_GE(counts.Received, 20u);
  EXPECT_EQ(counts.Damaged, 0u);
  EXPECT_EQ(connection.go(StreamState::Stop), kSuccess) << program.why();
  ASSERT_EQ(host.allocators().size(), 1u);
  EXPECT_FALSE(host.allocators()[0].deleted) << "its handle is open";
  connection.close();
  EXPECT_EQ(host.calls("AVStrMiniInitializeAllocator"), 1u);
  EXPECT_EQ(host.calls("AVStrMiniDeleteAllocator"), 1u);
  expect_clean();
  ASSERT_EQ(host.allocators().size(), 1u) << "also after the end";
  AllocatorLedger ledger = host.allocators()[0];
  EXPECT_TRUE(ledger.drivers_own && ledger.deleted);
  EXPECT_GT(ledger.allocated, 0u);
  EXPECT_EQ(ledger.allocated, ledger.freed);
  EXPECT_EQ(ledger.outstanding, 0u);
  EXPECT_LE(ledger.most_outstanding, ledger.frames);
}

TEST_F(ApiConnection, TheProcessDiesWhileFramesGoRound) {
  StreamConnection connection = program.connect(filter, 0, renderer, 0);
  ASSERT_EQ(connection.go(StreamState::Run), kSuccess) << program.why();
  EXPECT_TRUE(connection.wait_for(3));
  program.end();
  EXPECT_EQ(host.calls("AVStrMiniDeleteAllocator"), host.calls("AVStrMiniInitializeAllocator"));
  for (const AllocatorLedger& ledger : host.allocators()) EXPECT_EQ(ledger.outstanding, 0u);
  expect_clean();
}

TEST_F(ApiConnection, WithoutAnAssignedAllocator) {
  StreamConnection connection = program.connect(filter, 0, renderer, 0, AllocatorOf::Default);
  ASSERT_TRUE(connection) << connection.why();
  EXPECT_EQ(connection.allocator(), nullptr);
  ASSERT_EQ(connection.go(StreamState::Run), kSuccess) << program.why();
  EXPECT_TRUE(connection.wait_for(3)) << connection.went_round();
  EXPECT_EQ(connection.go(StreamState::Stop), kSuccess);
  expect_clean();
}

TEST_F(ApiConnection, ExplainsWhatCannotBeConnected) {
  EXPECT_THAT(program.connect(filter, 5, renderer, 0).why(), HasSubstr("no pin 5"));
  StreamConnection with_itself = program.connect(filter, 0, filter, 0);
  EXPECT_FALSE(with_itself) << "the pin has one instance";
  EXPECT_THAT(with_itself.why(), HasSubstr("open_pin: "));
}

TEST_F(ApiConnection, TakesFramesOfAProgram) {
  StreamPin pin = renderer.open_pin(0);
  ASSERT_TRUE(pin) << pin.why();
  ASSERT_EQ(pin.go(StreamState::Run), kSuccess) << pin.why();
  Frame frame = pin.write(std::vector<std::uint8_t>(pin.frame_bytes(), 1));
  EXPECT_TRUE(frame) << frame.why;
  expect_clean();
}

}  // namespace
