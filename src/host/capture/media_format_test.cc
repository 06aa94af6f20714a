#include "host/capture/media_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

namespace host {
namespace {

GUID subtype(const char* name) { return parse_subtype(name).value(); }

KS_DATAFORMAT_VIDEOINFOHEADER video_format(const char* name, LONG width, LONG height, WORD bits) {
  KS_DATAFORMAT_VIDEOINFOHEADER format{};
  format.DataFormat.FormatSize = sizeof(format);
  format.DataFormat.MajorFormat = KSDATAFORMAT_TYPE_VIDEO;
  format.DataFormat.SubFormat = subtype(name);
  format.DataFormat.Specifier = KSDATAFORMAT_SPECIFIER_VIDEOINFO;
  format.VideoInfoHeader.AvgTimePerFrame = 333'333;
  format.VideoInfoHeader.bmiHeader.biWidth = width;
  format.VideoInfoHeader.bmiHeader.biHeight = height;
  format.VideoInfoHeader.bmiHeader.biBitCount = bits;
  return format;
}

KS_DATARANGE_VIDEO video_range(const char* name) {
  KS_DATARANGE_VIDEO range{};
  range.DataRange.FormatSize = sizeof(range);
  range.DataRange.MajorFormat = KSDATAFORMAT_TYPE_VIDEO;
  range.DataRange.SubFormat = subtype(name);
  range.DataRange.Specifier = KSDATAFORMAT_SPECIFIER_VIDEOINFO;
  range.ConfigCaps.MinOutputSize = {160, 120};
  range.ConfigCaps.MaxOutputSize = {640, 480};
  range.ConfigCaps.MinFrameInterval = 166'666;
  range.ConfigCaps.MaxFrameInterval = 2'000'000;
  range.VideoInfoHeader.bmiHeader.biBitCount = 16;
  range.VideoInfoHeader.bmiHeader.biHeight = 120;
  return range;
}

KSDATARANGE_AUDIO sound_range() {
  KSDATARANGE_AUDIO range{};
  range.DataRange.FormatSize = sizeof(range);
  range.DataRange.MajorFormat = KSDATAFORMAT_TYPE_AUDIO;
  range.DataRange.SubFormat = subtype("PCM");
  range.DataRange.Specifier = KSDATAFORMAT_SPECIFIER_WAVEFORMATEX;
  range.MaximumChannels = 2;
  range.MinimumBitsPerSample = range.MaximumBitsPerSample = 16;
  range.MinimumSampleFrequency = 8000;
  range.MaximumSampleFrequency = 48000;
  return range;
}

// --- Names ---

TEST(SubtypeName, IsWhatAPersonCallsIt) {
  for (const char* name : {"YUY2", "UYVY", "NV12", "MJPG", "RGB24", "RGB32", "PCM"}) {
    EXPECT_EQ(subtype_name(subtype(name)), name);
  }
  EXPECT_EQ(subtype_name(GUID{}), "any");
  EXPECT_THAT(subtype_name(KSDATAFORMAT_TYPE_STREAM), ::testing::StartsWith("{E436EB83-"));
  EXPECT_EQ(parse_subtype("YUY"), std::nullopt);
}

TEST(FormatRequestParse, TakesNameSizeAndRate) {
  auto request = FormatRequest::parse("yuy2:320x240@15");
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->subtype == subtype("YUY2"));
  EXPECT_EQ(request->width, 320u);
  EXPECT_EQ(request->height, 240u);
  EXPECT_EQ(request->frames_per_second, 15u);
  auto plain = FormatRequest::parse("RGB24");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->width, 0u) << "whatever the driver likes";
}

TEST(FormatRequestParse, RefusesEverythingElse) {
  for (const char* text :
       {"", "YU", "Y.Y2", "YUY2 ", ":320x240", "YUY2:", "YUY2:320", "YUY2:320x", "YUY2:x240", "YUY2:-1x5",
        "YUY2:320x240@", "YUY2:320x240@x", "YUY2:9999999x1", "YUY2:0x240", "YUY2:320x0", "YUY2@0", "ABCDE:1x1"}) {
    EXPECT_FALSE(FormatRequest::parse(text)) << text;
  }
}

TEST(Describe, IsOneLine) {
  EXPECT_EQ(describe_range(video_range("YUY2").DataRange), "video YUY2 160x120 to 640x480, 5 to 60 frames a second");
  EXPECT_EQ(describe_range(sound_range().DataRange), "audio PCM up to 2 channels, 16 to 16 bit, 8000 to 48000 Hz");
  EXPECT_EQ(describe_format(video_format("NV12", 320, -240, 12).DataFormat), "video NV12 320x240, 30 frames a second");
}

// --- Requests and ranges ---

TEST(Narrow, AsksForJustThat) {
  KS_DATARANGE_VIDEO range = video_range("YUY2");
  std::vector<uint8_t> bytes = narrow(range.DataRange, *FormatRequest::parse("YUY2:320x240@15"));
  ASSERT_EQ(bytes.size(), sizeof(range));
  memcpy(&range, bytes.data(), sizeof(range));
  EXPECT_EQ(range.VideoInfoHeader.bmiHeader.biWidth, 320);
  EXPECT_EQ(range.VideoInfoHeader.bmiHeader.biHeight, 240);
  EXPECT_EQ(range.VideoInfoHeader.bmiHeader.biSizeImage, 320u * 240 * 2);
  EXPECT_EQ(range.VideoInfoHeader.AvgTimePerFrame, 666'666);
}

TEST(Narrow, IsEmptyForWhatDoesNotFit) {
  KS_DATARANGE_VIDEO video = video_range("YUY2");
  for (const char* request : {"UYVY", "YUY2:159x120", "YUY2:160x119", "YUY2:641x480", "YUY2:640x481", "PCM:44100x2"}) {
    EXPECT_TRUE(narrow(video.DataRange, *FormatRequest::parse(request)).empty()) << request;
  }
  KSDATARANGE_AUDIO sound = sound_range();
  EXPECT_EQ(narrow(sound.DataRange, *FormatRequest::parse("PCM:44100x2")).size(), sizeof(sound));
  for (const char* request : {"PCM:7999x1", "PCM:48001x1", "PCM:44100x3"}) {
    EXPECT_TRUE(narrow(sound.DataRange, *FormatRequest::parse(request)).empty()) << request;
  }
}

TEST(ApplyRequest, ChangesTheSizeAndWhatFollowsFromIt) {
  KS_DATAFORMAT_VIDEOINFOHEADER format = video_format("YUY2", 640, -480, 16);
  format.VideoInfoHeader.bmiHeader.biSizeImage = format.DataFormat.SampleSize = 640 * 480 * 2;
  format.VideoInfoHeader.rcSource = {0, 0, 640, 480};
  format.VideoInfoHeader.dwBitRate = 1;
  auto applied = [&](const char* request) {
    const auto* first = reinterpret_cast<const uint8_t*>(&format);
    std::vector<uint8_t> bytes(first, first + sizeof(format));
    apply_request(*FormatRequest::parse(request), bytes);
    KS_DATAFORMAT_VIDEOINFOHEADER result;
    memcpy(&result, bytes.data(), sizeof(result));
    return result;
  };
  KS_DATAFORMAT_VIDEOINFOHEADER small = applied("YUY2:320x240@15");
  EXPECT_EQ(small.VideoInfoHeader.bmiHeader.biWidth, 320);
  EXPECT_EQ(small.VideoInfoHeader.bmiHeader.biHeight, -240);
  EXPECT_EQ(small.VideoInfoHeader.bmiHeader.biSizeImage, 320u * 240 * 2);
  EXPECT_EQ(small.DataFormat.SampleSize, 320u * 240 * 2);
  EXPECT_EQ(small.VideoInfoHeader.AvgTimePerFrame, 666'666);
  EXPECT_EQ(small.VideoInfoHeader.rcSource.right, 320);
  EXPECT_EQ(small.VideoInfoHeader.rcTarget.right, 0);
  EXPECT_NEAR(small.VideoInfoHeader.dwBitRate, 320.0 * 240 * 2 * 8 * 15, 1000);
  for (const char* request : {"YUY2", "YUY2:640x480"}) {
    KS_DATAFORMAT_VIDEOINFOHEADER same = applied(request);
    EXPECT_EQ(memcmp(&same, &format, sizeof(same)), 0) << request << ": nothing was asked for that it is not";
  }
  format.VideoInfoHeader.bmiHeader.biCompression = KS_BI_RGB;
  format.VideoInfoHeader.bmiHeader.biBitCount = 24;
  EXPECT_EQ(applied("RGB24:161x10").VideoInfoHeader.bmiHeader.biSizeImage, 484u * 10) << "rows of whole words";
}

// --- Formats that a driver made up ---

TEST(VideoOf, DoesNotBelieveNumbers) {
  KS_DATAFORMAT_VIDEOINFOHEADER good = video_format("YUY2", 16, 8, 16);
  EXPECT_TRUE(video_of(good.DataFormat));
  KS_DATAFORMAT_VIDEOINFOHEADER bad = good;
  bad.DataFormat.FormatSize = sizeof(KSDATAFORMAT);
  EXPECT_FALSE(video_of(bad.DataFormat));
  for (LONG width : {0, -1, 16385, static_cast<int>(0x7FFFFFFF)}) {
    EXPECT_FALSE(video_of(video_format("YUY2", width, 8, 16).DataFormat)) << width;
  }
  for (LONG height : {0, 16385, -16385, static_cast<int>(0x80000000)}) {
    EXPECT_FALSE(video_of(video_format("YUY2", 16, height, 16).DataFormat)) << height;
  }
}

TEST(FramesPerSecond, RoundsAndIsNeverNothing) {
  KS_VIDEOINFOHEADER video{};
  for (auto [interval, rate] :
       {std::pair{333'333, 30u}, {166'666, 60u}, {2'000'000, 5u}, {100'000'000, 1u}, {0, 30u}}) {
    video.AvgTimePerFrame = interval;
    EXPECT_EQ(frames_per_second(video), rate) << interval;
  }
}

// --- Pictures ---

TEST(ToPicture, PutsRgbTheRightWayUp) {
  // Two rows of one pixel, each padded to four bytes; the lower comes first when the height is positive.
  const std::vector<uint8_t> bytes = {3, 2, 1, 0, 6, 5, 4, 0};
  for (bool bottom_up : {true, false}) {
    auto picture = to_picture(video_format("RGB24", 1, bottom_up ? 2 : -2, 24).DataFormat, bytes);
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->at(0, bottom_up ? 1 : 0).red, 1);
    EXPECT_EQ(picture->at(0, bottom_up ? 1 : 0).blue, 3);
    EXPECT_EQ(picture->at(0, bottom_up ? 0 : 1).green, 5);
  }
}

TEST(ToPicture, KnowsBlackWhiteAndRedInEveryOrder) {
  // Black and white side by side, no colour.
  const std::vector<uint8_t> yuy2 = {16, 128, 235, 128}, uyvy = {128, 16, 128, 235};
  for (auto [name, bytes] : {std::pair{"YUY2", &yuy2}, {"UYVY", &uyvy}}) {
    auto picture = to_picture(video_format(name, 2, 1, 16).DataFormat, *bytes);
    ASSERT_TRUE(picture) << name;
    EXPECT_EQ(picture->at(0, 0).red, 0) << name;
    EXPECT_EQ(picture->at(1, 0).green, 255) << name;
  }
  const std::vector<uint8_t> red = {81, 81, 81, 81, 90, 240};
  auto picture = to_picture(video_format("NV12", 2, 2, 12).DataFormat, red);
  ASSERT_TRUE(picture);
  EXPECT_NEAR(picture->at(1, 1).red, 254, 2);
  EXPECT_LE(picture->at(1, 1).green, 2);
  EXPECT_LE(picture->at(1, 1).blue, 2);
}

TEST(ToPicture, IsNothingForTooFewBytesOrAnotherSubtype) {
  const std::vector<uint8_t> bytes(63);
  for (auto [name, bits] :
       {std::pair{"YUY2", WORD{16}}, {"UYVY", WORD{16}}, {"RGB32", WORD{32}}, {"RGB24", WORD{24}}}) {
    EXPECT_FALSE(to_picture(video_format(name, 8, 8, bits).DataFormat, bytes)) << name;
  }
  EXPECT_FALSE(to_picture(video_format("MJPG", 1, 1, 24).DataFormat, bytes));
  EXPECT_FALSE(to_picture(sound_range().DataRange, bytes));
}

}  // namespace
}  // namespace host
