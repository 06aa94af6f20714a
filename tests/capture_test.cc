// `drydock capture` as a user meets it: the bundled cameras, microphones and allocators, and every wrong word.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <regex>

#include "host/render/picture.h"
#include "program.h"
#include "testcam/hw/testing/picture.h"
#include "testcam/proto/testcam_tone.h"

namespace tests {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

using Bytes = std::vector<uint8_t>;

constexpr uint32_t kWidth = 160, kHeight = 120;
const std::string kSize = ":160x120";

Outcome capture(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "capture");
  return drydock(arguments);
}

std::string testcam() { return driver("testcam"); }

Bytes read_bytes(const std::string& path) {
  std::string text = read_text(path);
  return {text.begin(), text.end()};
}

host::Picture read_png(const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&image, path.c_str())) return {};
  image.format = PNG_FORMAT_RGBA;
  host::Picture picture(image.width, image.height);
  if (!png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr)) return {};
  return picture;
}

// ITU-R BT.601 in doubles.
host::Pixel to_rgb(const testcam::Pixel& pixel) {
  auto channel = [](double value) { return static_cast<uint8_t>(std::clamp(std::lround(value), 0l, 255l)); };
  double y = 255.0 / 219 * (pixel.a - 16), u = pixel.b - 128, v = pixel.c - 128;
  return {channel(y + 1.596 * v), channel(y - 0.813 * v - 0.392 * u), channel(y + 2.017 * u), 255};
}

bool alike(const host::Pixel& a, const host::Pixel& b) {
  return std::abs(a.red - b.red) <= 2 && std::abs(a.green - b.green) <= 2 && std::abs(a.blue - b.blue) <= 2;
}

class Capture : public ::testing::Test {
 protected:
  std::string file(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string script(const std::string& text) const {
    write_text(file("steps.txt"), text);
    return file("steps.txt");
  }

  TemporaryFolder folder_;
};

// --- What is there ---

TEST_F(Capture, ListsWhatADriverOffers) {
  Outcome outcome = capture({testcam(), "--list"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("testcam: a device with 2 filters\n"));
  EXPECT_THAT(outcome.out, HasSubstr("categories video, capture, camera\n"));
  EXPECT_THAT(outcome.out, HasSubstr("categories audio, capture\n"));
  EXPECT_THAT(outcome.out, HasSubstr("pin 0  output, sink or source, 0 of 1 instances, video capture\n"));
  EXPECT_THAT(outcome.out, HasSubstr("pin 1  output, sink or source, 0 of 1 instances, video preview\n"));
  EXPECT_THAT(outcome.out, HasSubstr("pin 2  output")) << "pins are counted over all filters";
  EXPECT_THAT(outcome.out, HasSubstr("range    video NV12 160x120 to 1280x720, 5 to 60 frames a second\n"));
  EXPECT_THAT(outcome.out, HasSubstr("range    audio PCM up to 2 channels, 16 to 16 bit, 44100 to 44100 Hz\n"));
  EXPECT_THAT(outcome.out, ContainsRegex("framing  [0-9]+ frames, [0-9]+ to 3686400 bytes in steps of [0-9]+"));
  EXPECT_THAT(outcome.out, HasSubstr("flags "));
  EXPECT_THAT(outcome.out, HasSubstr("lint: nothing\n"));
}

TEST_F(Capture, ListSaysWhoHasAnAllocatorAndWhatIsWrongWithTables) {
  Outcome good = capture({driver("ksalloc"), "--list"});
  ASSERT_EQ(good.exit_code, 0) << good.out;
  EXPECT_THAT(good.out, AllOf(HasSubstr("allocator of its own"), HasSubstr("can allocate"), HasSubstr("pin 1  input")));
  Outcome bad = capture({driver("bad/ks/descriptor_flags"), "--list"});
  EXPECT_EQ(bad.exit_code, 1) << bad.out;
  EXPECT_THAT(bad.out, ContainsRegex("lint: L-10: "));
}

// --- Pictures, byte by byte ---

struct Case {
  const char* name;
  uint32_t format;
};

class CaptureFormat : public ::testing::TestWithParam<Case> {
 protected:
  testcam::Shape shape() const { return {GetParam().format, kWidth, kHeight}; }
  Outcome take(const std::string& output, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {testcam(), "--format", GetParam().name + kSize, "--frames", "3",
                                          "-o",      output};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return capture(arguments);
  }
  std::string file(const std::string& name) const { return folder_.path() + "/" + name; }

  TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Testcam, CaptureFormat,
                         ::testing::Values(Case{"YUY2", TESTCAM_FORMAT_YUY2}, Case{"UYVY", TESTCAM_FORMAT_UYVY},
                                           Case{"NV12", TESTCAM_FORMAT_NV12}, Case{"RGB24", TESTCAM_FORMAT_RGB24},
                                           Case{"RGB32", TESTCAM_FORMAT_RGB32}),
                         [](const auto& each) { return std::string(each.param.name); });

// The number and the time are read off the picture; all the rest follows from them.
TEST_P(CaptureFormat, IsWhatTheCameraSaw) {
  Outcome outcome = take(file("out.raw"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out,
              HasSubstr(std::string("video ") + GetParam().name + " 160x120, 30 frames a second; 3 frames"));
  EXPECT_THAT(outcome.out, HasSubstr("0 findings"));
  Bytes all = read_bytes(file("out.raw"));
  const size_t bytes = testcam::render({}, shape()).size();
  ASSERT_EQ(all.size(), 3 * bytes);
  uint64_t last = 0;
  for (size_t i = 0; i < 3; ++i) {
    auto first = all.begin() + static_cast<ptrdiff_t>(i * bytes);
    testcam::Picture picture(shape(), Bytes(first, first + static_cast<ptrdiff_t>(bytes)));
    EXPECT_TRUE(picture.bytes() == testcam::render(picture.scene(), shape())) << "frame " << i;
    EXPECT_TRUE(i == 0 || picture.scene().number > last) << "frame " << i;
    last = picture.scene().number;
  }
}

// One seed gives the same pictures, whatever becomes of them.
TEST_P(CaptureFormat, IsAPictureAsAPersonSeesIt) {
  ASSERT_EQ(take(file("out.raw")).exit_code, 0);
  Outcome outcome = take(file("frame-%02d.png"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out;
  Bytes all = read_bytes(file("out.raw"));
  const size_t bytes = all.size() / 3;
  for (size_t i = 0; i < 3; ++i) {
    auto first = all.begin() + static_cast<ptrdiff_t>(i * bytes);
    testcam::Picture picture(shape(), Bytes(first, first + static_cast<ptrdiff_t>(bytes)));
    host::Picture shown = read_png(file("frame-0" + std::to_string(i) + ".png"));
    ASSERT_EQ(shown.width, kWidth);
    ASSERT_EQ(shown.height, kHeight);
    uint32_t apart = 0;
    for (uint32_t y = 0; y < kHeight; ++y) {
      for (uint32_t x = 0; x < kWidth; ++x) {
        testcam::Pixel seen = picture.at(x, y);
        bool rgb = GetParam().format >= TESTCAM_FORMAT_RGB24;
        host::Pixel expected = rgb ? host::Pixel{static_cast<uint8_t>(seen.a), static_cast<uint8_t>(seen.b),
                                                 static_cast<uint8_t>(seen.c), 255}
                                   : to_rgb(seen);
        apart += !alike(shown.at(x, y), expected);
      }
    }
    EXPECT_EQ(apart, 0u) << "frame " << i;
  }
}

TEST_P(CaptureFormat, OneSeedOneFilm) {
  ASSERT_EQ(take(file("a.raw"), {"--seed", "7"}).exit_code, 0);
  ASSERT_EQ(take(file("b.raw"), {"--seed", "7"}).exit_code, 0);
  EXPECT_TRUE(read_text(file("a.raw")) == read_text(file("b.raw")));
}

TEST_F(Capture, IsAFilmInAFileAndInAPipe) {
  std::vector<std::string> arguments = {testcam(), "--format", "YUY2:160x120@15", "--frames", "3", "-o"};
  arguments.push_back(file("film.y4m"));
  Outcome outcome = capture(arguments);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out;
  std::string film = read_text(file("film.y4m")), header = "YUV4MPEG2 W160 H120 F15:1 Ip A1:1 C444\n";
  ASSERT_EQ(film.substr(0, header.size()), header);
  ASSERT_EQ(film.size(), header.size() + 3 * (std::strlen("FRAME\n") + 3 * kWidth * kHeight));
  arguments.back() = "-";
  Outcome piped = capture(arguments);
  EXPECT_EQ(piped.exit_code, 0);
  EXPECT_NE(piped.out.find(film), std::string::npos) << "the same to standard output";
}

// Its intersection takes no range but its own; the size is that of the format which the pin is opened with.
TEST_F(Capture, TakesAnySizeFromADriverThatKnowsOnlyItsOwnRange) {
  Outcome outcome =
      capture({driver("quiet/ks/range_compared"), "--format", "YUY2:32x24", "--frames", "2", "-o", file("small.raw")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_EQ(read_bytes(file("small.raw")).size(), 2u * 32 * 24 * 2);
}

TEST_F(Capture, TheOtherPinHasAStreamOfItsOwn) {
  Outcome outcome =
      capture({testcam(), "--pin", "1", "--format", "RGB24" + kSize, "--frames", "1", "-o", file("a.png")});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("pin 1, video RGB24 160x120"));
  EXPECT_EQ(read_png(file("a.png")).width, kWidth);
}

// --- Sound, sample by sample ---

TEST_F(Capture, IsTheToneThatTheMicrophoneHears) {
  Outcome outcome = capture({testcam(), "--pin", "2", "--format", "PCM:44100x2", "--frames", "4", "-o", file("a.wav")});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("audio PCM 16 bit 44100 Hz, 2 channels; 4 frames"));
  Bytes wav = read_bytes(file("a.wav"));
  const size_t head = 44;
  ASSERT_GT(wav.size(), head);
  auto number = [&](size_t at, size_t bytes) {
    uint32_t value = 0;
    memcpy(&value, wav.data() + at, bytes);
    return value;
  };
  EXPECT_EQ(std::string(wav.begin(), wav.begin() + 4), "RIFF");
  EXPECT_EQ(std::string(wav.begin() + 8, wav.begin() + 16), "WAVEfmt ");
  EXPECT_EQ(number(4, 4), wav.size() - 8);
  EXPECT_EQ(number(22, 2), 2u) << "channels";
  EXPECT_EQ(number(24, 4), 44100u);
  EXPECT_EQ(number(34, 2), 16u) << "bits";
  ASSERT_EQ(number(40, 4), wav.size() - head);
  for (size_t i = 0; i < (wav.size() - head) / 4; ++i) {
    auto expected = static_cast<uint16_t>(testcam_tone_sample(i, 44100));
    ASSERT_EQ(number(head + 4 * i, 2), expected) << "left, sample " << i;
    ASSERT_EQ(number(head + 4 * i + 2, 2), expected) << "right, sample " << i;
  }
}

// --- Scripts ---

TEST_F(Capture, DoesWhatAScriptSays) {
  std::string steps = script(
      "acquire\n"
      "pause   # frames may be sent from here on\n"
      "send 4\n"
      "\n"
      "cancel\n"
      "run\n"
      "read 3\n"
      "header-bytes 56\n"
      "read 2\n"
      "send 3\n"
      "reset-begin\n"
      "reset-end\n"
      "cancel\n"
      "rest 100\n"
      "pause\n"
      "acquire\n"
      "stop\n");
  Outcome outcome = capture({testcam(), "--format", "YUY2" + kSize, "--script", steps, "-o", file("a.raw")});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("line 1: acquire: 0x00000000\n"));
  EXPECT_THAT(outcome.out, HasSubstr("line 3: send: 4 under way\n"));
  EXPECT_THAT(outcome.out, HasSubstr("line 5: cancel: none under way\n"));
  EXPECT_THAT(outcome.out, HasSubstr("line 7: read: 3 of 3 frames\n"));
  EXPECT_THAT(outcome.out, HasSubstr("line 9: read: 2 of 2 frames\n")) << "with headers of the smallest size";
  EXPECT_THAT(outcome.out, HasSubstr("line 11: reset-begin: 0x00000000\n"));
  EXPECT_THAT(outcome.out, HasSubstr("line 17: stop: 0x00000000\n"));
  EXPECT_THAT(outcome.out, HasSubstr("5 frames"));
  EXPECT_EQ(read_bytes(file("a.raw")).size(), 5 * kWidth * kHeight * 2);
}

TEST_F(Capture, PullsTheHardwareOutAndPutsItToSleep) {
  Outcome slept = capture({testcam(), "--script", script("acquire\npause\nrun\nread 2\nsleep\nwake\nread 2\nstop\n")});
  EXPECT_EQ(slept.exit_code, 0) << slept.out;
  EXPECT_THAT(slept.out, HasSubstr("line 7: read: 2 of 2 frames\n"));
  Outcome removed = capture({testcam(), "--script", script("acquire\npause\nrun\nread 2\nsend 3\nremove\nread 1\n")});
  EXPECT_EQ(removed.exit_code, 0) << removed.out;
  EXPECT_THAT(removed.out, HasSubstr("line 6: remove: 0x00000000\n"));
  EXPECT_THAT(removed.out, HasSubstr("line 7: read: 0 of 1 frames; a frame came back: 0x"));
}

// A frame that is too small for the picture is the program's mistake, and no reason to break anything.
TEST_F(Capture, SendsFramesOfAnySize) {
  Outcome outcome = capture({testcam(), "--format", "YUY2" + kSize, "--script",
                             script("acquire\npause\nframe-bytes 100\nsend 2\nrun\nrest 200\ncancel\nstop\n")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("0 findings"));
}

// --- Connections in the kernel ---

TEST_F(Capture, FramesGoRoundAndTheLedgerBalances) {
  std::string ksalloc = driver("ksalloc");
  Outcome outcome = capture({"--connect", ksalloc + ":0", ksalloc + ":1", "--frames", "40"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, ContainsRegex(": 4[0-9] frames went round, 0 findings\n"));
  EXPECT_THAT(outcome.out, ContainsRegex("the driver's own, [0-9]+ frames of [0-9]+ bytes, aligned to [0-9]+"));
  std::smatch counts;
  static const std::regex kLine("allocated (\\d+), refused \\d+, freed (\\d+), outstanding (\\d+)");
  ASSERT_TRUE(std::regex_search(outcome.out, counts, kLine)) << outcome.out;
  EXPECT_GT(std::stoul(counts[1]), 0u);
  EXPECT_EQ(counts[1], counts[2]);
  EXPECT_EQ(counts[3], "0");
}

// The camera's first format is none that the renderer knows, which is neither a mistake of the words nor of a driver.
TEST_F(Capture, TwoDriversThatDoNotAgreeAreNotConnected) {
  Outcome outcome = capture({"--connect", testcam() + ":0", driver("ksalloc") + ":1", "--frames", "3"});
  EXPECT_EQ(outcome.exit_code, 4) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("the sink did not take the source's format: 0xC0000272"));
  EXPECT_THAT(outcome.out, HasSubstr("0 frames went round, 0 findings"));
}

// --- Findings ---

TEST_F(Capture, SaysWhatADriverDoesWrong) {
  Outcome outcome = capture({driver("bad/ks/too_much_used"), "--frames", "3"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("Q-10"));
}

// --- Wrong words: one clear sentence and exit code 2 ---

void expect_refused(const std::vector<std::string>& arguments, const std::string& sentence) {
  Outcome outcome = capture(arguments);
  EXPECT_EQ(outcome.exit_code, 2) << sentence << "\n" << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr(sentence));
}

TEST_F(Capture, RefusesDriversThatAreNone) {
  write_text(file("text.so"), "this is no driver\n");
  expect_refused({}, "no driver was named");
  expect_refused({file("missing.so")}, "missing.so: there is no such file");
  expect_refused({file("text.so")}, "text.so: this is not an ELF file");
  expect_refused({driver("mill")}, "mill.so: no minidriver of AVStream");
  expect_refused({driver("mill"), "--list"}, "mill.so: no minidriver of AVStream");
  expect_refused({testcam(), "--device", file("missing.so")}, "missing.so: there is no such file");
  expect_refused({testcam(), "--device", file("text.so"), "--list"}, "text.so: this is not an ELF file");
}

TEST_F(Capture, RefusesPinsAndFormatsThatAreNotThere) {
  expect_refused({testcam(), "--pin", "3"}, "it has no pin 3");
  expect_refused({testcam(), "--pin", "-1"}, "--pin");
  expect_refused({driver("ksalloc"), "--pin", "1"}, "data flows into pin 1");
  for (const char* format : {"?", "YU", "YUY2:", "YUY2:320", "YUY2:320x", "YUY2:320x240@", "toolong:1x1", "YUY2:0x0"}) {
    expect_refused({testcam(), "--format", format}, "expected NAME");
  }
  for (const char* format : {"YUY2:32x32", "YUY2:1920x1080", "MJPG", "PCM:44100x2", "YUY2:161x120"}) {
    expect_refused({testcam(), "--format", format}, "pin 0 does not have that format");
  }
  expect_refused({testcam(), "--frames", "0"}, "--frames");
}

TEST_F(Capture, RefusesScriptsThatCannotBeFollowed) {
  expect_refused({testcam(), "--script", file("missing.txt")}, "missing.txt: cannot be read");
  expect_refused({testcam(), "--script", script("run\nfly\n")}, "line 2: there is no step 'fly'");
  expect_refused({testcam(), "--script", script("read\n")}, "line 1: 'read' takes a number up to 1000000");
  expect_refused({testcam(), "--script", script("read 1000001\n")}, "line 1: 'read' takes a number up to 1000000");
  expect_refused({testcam(), "--script", script("run 3\n")}, "line 1: 'run' takes nothing");
  expect_refused({testcam(), "--script", script("# nothing\n\n")}, "no step in it");
}

TEST_F(Capture, RefusesOutputsThatCannotBe) {
  for (const char* name : {"a.raw", "a.png", "a.y4m"}) {
    std::string path = std::string("/no/such/folder/") + name;
    expect_refused({testcam(), "--frames", "1", "-o", path}, path + ": No such file or directory");
  }
  expect_refused({testcam(), "--pin", "2", "-o", "/no/such/folder/a.wav"}, "a.wav: No such file or directory");
  expect_refused({testcam(), "-o", file("a.wav")}, "is no sound");
  expect_refused({testcam(), "--pin", "2", "--frames", "1", "-o", file("a.png")}, "nothing to look at");
  expect_refused({testcam(), "--pin", "2", "-o", "-"}, "nothing to look at");
  expect_refused({testcam(), "--frames", "2", "-o", file("a.png")}, "one file cannot hold 2 frames");
  expect_refused({testcam(), "-o", file("a.jpg")}, "a.jpg: pictures are written as .png");
  expect_refused({testcam(), "-o", file("a%s.png")}, "one number in it");
  for (const char* name : {"a.wav", "a.png", "a.jpg"}) EXPECT_FALSE(std::filesystem::exists(file(name))) << name;
}

TEST_F(Capture, RefusesConnectionsThatAreNone) {
  std::string ksalloc = driver("ksalloc");
  expect_refused({"--connect", ksalloc + ":0"}, "--connect");
  expect_refused({"--connect", ksalloc + ":0", ksalloc}, "expected FILE:PIN");
  expect_refused({"--connect", ksalloc + ":0", file("missing.so") + ":0"}, "there is no such file");
  expect_refused({"--connect", ksalloc + ":7", ksalloc + ":1"}, "it has no pin 7");
  expect_refused({"--connect", ksalloc + ":1", ksalloc + ":0"}, "the first pin of --connect is the source");
  expect_refused({"--connect", ksalloc + ":0", driver("mill") + ":0"}, "no minidriver of AVStream");
  expect_refused({testcam(), "--connect", ksalloc + ":0", ksalloc + ":1"}, "--connect");
}

}  // namespace
}  // namespace tests
