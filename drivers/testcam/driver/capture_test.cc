// The driver on its hardware, below the AVStream class, as a program uses it: every byte that it captures is compared
// with what the camera saw.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <functional>
#include <initializer_list>

#include "host/run/driver_image.h"
#include "host/scenarios/ks/ks_driver.h"
#include "host/scenarios/ks/ks_pin_query.h"
#include "ks/object/program.h"
#include "nt/testing/machine_fixture.h"
#include "testcam/hw/testing/picture.h"
#include "testcam/proto/testcam_regs.h"
#include "testcam/proto/testcam_tone.h"

namespace testcam {
namespace {

constexpr size_t kCamera = 0, kMicrophone = 1;
constexpr ULONG kCapture = 0;
constexpr size_t kHeaderBytes = sizeof(KSSTREAM_HEADER) + sizeof(KS_FRAME_INFO);

const host::DriverImage& image() {
  static const host::DriverImage loaded = [] {
    auto made = host::DriverImage::load(TESTCAM_DRIVER);
    CHECK_MSG(made.ok(), made.error().c_str());
    return made.take();
  }();
  return loaded;
}

// A format of the pin, as a video format that can be changed.
KS_DATAFORMAT_VIDEOINFOHEADER video(const std::vector<uint8_t>& format) {
  KS_DATAFORMAT_VIDEOINFOHEADER result;
  EXPECT_EQ(format.size(), sizeof(result));
  std::memcpy(&result, format.data(), sizeof(result));
  return result;
}

// For tests: a program with the driver's device started. Only in a run.
struct Stage {
  explicit Stage(nt::Machine& machine) : system(machine, {}), driver(system, image()), program(machine, "client") {
    EXPECT_TRUE(driver.start()) << driver.refusal();
  }
  ~Stage() {
    program.end();
    driver.stop();
  }

  HANDLE open_filter(size_t filter) { return program.open_filter(driver.device(), filter).take(); }
  // One of the pin's ranges, as a format.
  std::vector<uint8_t> format_of(HANDLE filter, ULONG pin, size_t range) {
    return program.intersect(filter, pin, *host::KsPinQuery::ask(program, filter, pin).range(range)).take();
  }
  base::Result<HANDLE> open_pin(HANDLE filter, ULONG pin, const KSDATAFORMAT& format) {
    return program.open_pin(filter, ks::standard_connect(pin), format);
  }
  void go(HANDLE pin, std::initializer_list<KSSTATE> states) {
    for (KSSTATE state : states) EXPECT_EQ(program.set_state(pin, state), STATUS_SUCCESS);
  }

  static void wait(LONGLONG units) {
    LARGE_INTEGER interval;
    interval.QuadPart = -units;
    KeDelayExecutionThread(KernelMode, FALSE, &interval);
  }

  ks::System system;
  host::KsDriver driver;
  ks::Program program;
};

class CaptureTest : public nt::MachineTest {
 protected:
  static constexpr uint64_t kSeeds = 5;

  void with_stage(const std::function<void(Stage&)>& body) {
    image().restore();
    run_seeds(kSeeds, [&] {
      Stage stage(machine());
      body(stage);
    });
    EXPECT_EQ(broken(), std::vector<std::string>{}) << (observer.violations.empty() ? "" : observer.violations[0].sentence);
  }
  // Keeps three frames under way and hands each that comes back to `look`.
  static void stream(Stage& stage, HANDLE pin, size_t bytes, int count,
                     const std::function<void(ks::ProgramFrame&)>& look) {
    std::deque<ks::ProgramFrame> frames;
    stage.go(pin, {KSSTATE_ACQUIRE, KSSTATE_PAUSE});
    for (int i = 0; i < 3; ++i) {
      frames.emplace_back(stage.program, bytes, kHeaderBytes).read(pin);
    }
    stage.go(pin, {KSSTATE_RUN});
    for (int i = 0; i < count; ++i) {
      ks::ProgramFrame& frame = frames[static_cast<size_t>(i) % 3];
      ASSERT_EQ(frame.wait(), STATUS_SUCCESS);
      look(frame);
      frame.renew();
      frame.read(pin);
    }
    stage.go(pin, {KSSTATE_PAUSE, KSSTATE_ACQUIRE, KSSTATE_STOP});
    for (ks::ProgramFrame& frame : frames) frame.wait();
  }
  static NTSTATUS set_control(Stage& stage, HANDLE filter, const GUID& set, ULONG id, KSPROPERTY_VIDEOPROCAMP_S value) {
    value.Property.Set = set;
    value.Property.Id = id;
    value.Property.Flags = KSPROPERTY_TYPE_SET;
    return stage.program.control(filter, IOCTL_KS_PROPERTY, &value, sizeof(value), &value, sizeof(value));
  }
  static std::vector<uint8_t> bytes_of(ks::ProgramFrame& frame) { return {frame.data().begin(), frame.data().end()}; }
};

TEST_F(CaptureTest, EveryFormatIsWhatTheCameraSaw) {
  for (uint32_t format = 0; format < TESTCAM_FORMATS; ++format) {
    SCOPED_TRACE(format);
    with_stage([&](Stage& stage) {
      HANDLE filter = stage.open_filter(kCamera);
      auto agreed = video(stage.format_of(filter, kCapture, format));
      const Shape shape{format, 320, 240};
      HANDLE pin = stage.open_pin(filter, kCapture, agreed.DataFormat).take();
      int64_t number = 0;
      stream(stage, pin, agreed.DataFormat.SampleSize, 6, [&](ks::ProgramFrame& frame) {
        const Picture picture(shape, bytes_of(frame));
        ASSERT_EQ(picture.bytes(), render(picture.scene(), shape));
        EXPECT_GT(frame.info()->PictureNumber, number);
        number = frame.info()->PictureNumber;
        EXPECT_EQ(picture.scene().number + 1, static_cast<uint64_t>(number));
        EXPECT_EQ(frame.header().Duration, agreed.VideoInfoHeader.AvgTimePerFrame);
      });
    });
  }
}

TEST_F(CaptureTest, WithAClockPicturesHaveTimes) {
  with_stage([&](Stage& stage) {
    HANDLE filter = stage.open_filter(kCamera);
    auto format = video(stage.format_of(filter, kCapture, TESTCAM_FORMAT_UYVY));
    HANDLE pin = stage.open_pin(filter, kCapture, format.DataFormat).take();
    HANDLE clock = stage.program.open_clock(pin).take();
    ASSERT_EQ(stage.program.assign_clock(pin, clock), STATUS_SUCCESS);
    LONGLONG last = 0, last_number = 0;
    stream(stage, pin, format.DataFormat.SampleSize, 6, [&](ks::ProgramFrame& frame) {
      ASSERT_TRUE(frame.header().OptionsFlags & KSSTREAM_HEADER_OPTIONSF_TIMEVALID);
      const LONGLONG passed = (frame.info()->PictureNumber - last_number) * format.VideoInfoHeader.AvgTimePerFrame;
      EXPECT_NEAR(static_cast<double>(frame.header().PresentationTime.Time - last), static_cast<double>(passed),
                  20'000);
      last = frame.header().PresentationTime.Time;
      last_number = frame.info()->PictureNumber;
    });
  });
}

TEST_F(CaptureTest, BothPinsRunAtOnceAndSeeTheControls) {
  with_stage([&](Stage& stage) {
    HANDLE filter = stage.open_filter(kCamera);
    KSPROPERTY_VIDEOPROCAMP_S value{};
    value.Value = -2'000;
    value.Flags = KSPROPERTY_VIDEOPROCAMP_FLAGS_MANUAL;
    EXPECT_EQ(set_control(stage, filter, PROPSETID_VIDCAP_VIDEOPROCAMP, KSPROPERTY_VIDEOPROCAMP_BRIGHTNESS, value),
              STATUS_SUCCESS);
    value.Value = 10'001;
    EXPECT_EQ(set_control(stage, filter, PROPSETID_VIDCAP_VIDEOPROCAMP, KSPROPERTY_VIDEOPROCAMP_BRIGHTNESS, value),
              STATUS_INVALID_PARAMETER);
    value.Value = 25;
    EXPECT_EQ(set_control(stage, filter, PROPSETID_VIDCAP_CAMERACONTROL, KSPROPERTY_CAMERACONTROL_ZOOM, value),
              STATUS_SUCCESS);
    for (ULONG id : {0u, 1u}) {
      auto format = video(stage.format_of(filter, id, TESTCAM_FORMAT_YUY2));
      HANDLE pin = stage.open_pin(filter, id, format.DataFormat).take();
      ks::ProgramFrame frame(stage.program, format.DataFormat.SampleSize);
      stage.go(pin, {KSSTATE_ACQUIRE, KSSTATE_PAUSE, KSSTATE_RUN});
      frame.read(pin);
      ASSERT_EQ(frame.wait(), STATUS_SUCCESS);
      const Shape shape{TESTCAM_FORMAT_YUY2, 320, 240};
      const Picture picture(shape, bytes_of(frame));
      Scene scene = picture.scene();
      scene.brightness = -2'000;
      scene.zoom = 25;
      EXPECT_EQ(picture.bytes(), render(scene, shape));
    }  // both still run: the program's end stops them
  });
}

TEST_F(CaptureTest, FormatsThatMakeNoSenseAreRefused) {
  using Format = KS_DATAFORMAT_VIDEOINFOHEADER;
  const std::function<void(Format&)> spoil[] = {
      [](Format& format) { format.VideoInfoHeader.bmiHeader.biWidth = 321; },
      [](Format& format) { format.VideoInfoHeader.bmiHeader.biHeight = -240; },
      [](Format& format) { format.VideoInfoHeader.bmiHeader.biHeight = MINLONG; },
      [](Format& format) { format.VideoInfoHeader.bmiHeader.biSizeImage += 1; },
      [](Format& format) { format.VideoInfoHeader.bmiHeader.biBitCount = 8; },
      [](Format& format) { format.VideoInfoHeader.bmiHeader.biPlanes = 0; },
      [](Format& format) { format.VideoInfoHeader.bmiHeader.biSize = 0; },
      [](Format& format) { format.VideoInfoHeader.AvgTimePerFrame = 0; },
      [](Format& format) { format.VideoInfoHeader.rcTarget.right = 321; },
      [](Format& format) { format.DataFormat.FormatSize = sizeof(KSDATAFORMAT); },
  };
  with_stage([&](Stage& stage) {
    HANDLE filter = stage.open_filter(kCamera);
    for (const auto& change : spoil) {
      auto format = video(stage.format_of(filter, kCapture, 0));
      change(format);
      EXPECT_EQ(stage.open_pin(filter, kCapture, format.DataFormat).status(), STATUS_NO_MATCH);
    }
  });
}

TEST_F(CaptureTest, PicturesWithoutFramesAreCounted) {
  with_stage([&](Stage& stage) {
    HANDLE filter = stage.open_filter(kCamera);
    auto format = video(stage.format_of(filter, kCapture, TESTCAM_FORMAT_YUY2));
    HANDLE pin = stage.open_pin(filter, kCapture, format.DataFormat).take();
    stage.go(pin, {KSSTATE_ACQUIRE, KSSTATE_PAUSE, KSSTATE_RUN});
    stage.wait(10 * format.VideoInfoHeader.AvgTimePerFrame);
    ks::ProgramFrame frame(stage.program, format.DataFormat.SampleSize, kHeaderBytes);
    frame.read(pin);
    ASSERT_EQ(frame.wait(), STATUS_SUCCESS);
    EXPECT_GE(frame.info()->DropCount, 9);
    EXPECT_EQ(frame.info()->PictureNumber, frame.info()->DropCount + 1);
    EXPECT_TRUE(frame.header().OptionsFlags & KSSTREAM_HEADER_OPTIONSF_DATADISCONTINUITY);
    stage.go(pin, {KSSTATE_PAUSE, KSSTATE_ACQUIRE, KSSTATE_STOP});
  });
}

TEST_F(CaptureTest, AFrameThatIsTooSmallSaysSo) {
  with_stage([&](Stage& stage) {
    HANDLE filter = stage.open_filter(kCamera);
    auto format = video(stage.format_of(filter, kCapture, TESTCAM_FORMAT_YUY2));
    HANDLE pin = stage.open_pin(filter, kCapture, format.DataFormat).take();
    stage.go(pin, {KSSTATE_ACQUIRE, KSSTATE_PAUSE, KSSTATE_RUN});
    ks::ProgramFrame frame(stage.program, format.DataFormat.SampleSize - 1, kHeaderBytes);
    frame.read(pin);
    EXPECT_EQ(frame.wait(), STATUS_BUFFER_TOO_SMALL);
    stage.go(pin, {KSSTATE_PAUSE, KSSTATE_ACQUIRE, KSSTATE_STOP});
  });
}

TEST_F(CaptureTest, ARequestCanBeCancelledWhileItWaits) {
  with_stage([&](Stage& stage) {
    HANDLE filter = stage.open_filter(kCamera);
    auto format = video(stage.format_of(filter, kCapture, TESTCAM_FORMAT_YUY2));
    HANDLE pin = stage.open_pin(filter, kCapture, format.DataFormat).take();
    ks::ProgramFrame first(stage.program, format.DataFormat.SampleSize, kHeaderBytes);
    ks::ProgramFrame second(stage.program, format.DataFormat.SampleSize);
    stage.go(pin, {KSSTATE_ACQUIRE, KSSTATE_PAUSE});
    first.read(pin);
    second.read(pin);
    first.cancel();
    EXPECT_EQ(first.wait(), STATUS_CANCELLED);
    stage.go(pin, {KSSTATE_RUN});
    EXPECT_EQ(second.wait(), STATUS_SUCCESS);
    stage.go(pin, {KSSTATE_PAUSE, KSSTATE_ACQUIRE, KSSTATE_STOP});
  });
}

TEST_F(CaptureTest, PulledOutWhileItRuns) {
  with_stage([&](Stage& stage) {
    HANDLE filter = stage.open_filter(kCamera);
    auto format = video(stage.format_of(filter, kCapture, TESTCAM_FORMAT_NV12));
    HANDLE pin = stage.open_pin(filter, kCapture, format.DataFormat).take();
    ks::ProgramFrame frame(stage.program, format.DataFormat.SampleSize, kHeaderBytes);
    stage.go(pin, {KSSTATE_ACQUIRE, KSSTATE_PAUSE, KSSTATE_RUN});
    frame.read(pin);
    EXPECT_EQ(stage.driver.slot().surprise_remove(), STATUS_SUCCESS);
    frame.wait();
  });
}

TEST_F(CaptureTest, SleepsWhilePaused) {
  with_stage([&](Stage& stage) {
    HANDLE filter = stage.open_filter(kCamera);
    auto format = video(stage.format_of(filter, kCapture, TESTCAM_FORMAT_YUY2));
    HANDLE pin = stage.open_pin(filter, kCapture, format.DataFormat).take();
    ks::ProgramFrame frame(stage.program, format.DataFormat.SampleSize, kHeaderBytes);
    stage.go(pin, {KSSTATE_ACQUIRE, KSSTATE_PAUSE, KSSTATE_RUN, KSSTATE_PAUSE});
    EXPECT_EQ(stage.driver.slot().set_power(PowerDeviceD3), STATUS_SUCCESS);
    stage.go(pin, {KSSTATE_RUN});  // before power is back
    frame.read(pin);
    EXPECT_EQ(stage.driver.slot().set_power(PowerDeviceD0), STATUS_SUCCESS);
    EXPECT_EQ(frame.wait(), STATUS_SUCCESS);
    stage.go(pin, {KSSTATE_PAUSE, KSSTATE_ACQUIRE, KSSTATE_STOP});
  });
}

TEST_F(CaptureTest, TheMicrophoneHearsTheTone) {
  with_stage([&](Stage& stage) {
    HANDLE filter = stage.open_filter(kMicrophone);
    auto format = stage.format_of(filter, kCapture, 0);
    HANDLE pin = stage.open_pin(filter, kCapture, *reinterpret_cast<KSDATAFORMAT*>(format.data())).take();
    uint64_t next = 0;
    stream(stage, pin, 4'000, 20, [&](ks::ProgramFrame& frame) {
      const std::vector<uint8_t> bytes = bytes_of(frame);
      ASSERT_EQ(bytes.size(), 4'000u);
      for (size_t i = 0; i < bytes.size(); i += 4, ++next) {
        int16_t sides[2];
        std::memcpy(sides, &bytes[i], sizeof(sides));
        ASSERT_EQ(sides[0], testcam_tone_sample(next, 48'000)) << next;
        ASSERT_EQ(sides[1], sides[0]);
      }
    });
  });
}

}  // namespace
}  // namespace testcam
