#include "host/render/png_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include <filesystem>

#include "base/rng.h"

namespace host {
namespace {

using ::testing::HasSubstr;

std::string file_in_temp(const std::string& name) { return ::testing::TempDir() + name; }

Picture read_png(const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&image, path.c_str())) return {};
  image.format = PNG_FORMAT_RGBA;
  Picture picture(image.width, image.height);
  if (!png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr)) return {};
  return picture;
}

TEST(PngFile, KeepsEveryPixel) {
  base::Rng rng(1);
  for (auto [width, height] : {std::pair{1u, 1u}, {3u, 5u}, {64u, 7u}, {129u, 33u}}) {
    Picture picture(width, height);
    for (Pixel& pixel : picture.pixels) pixel = Pixel::from_argb(static_cast<uint32_t>(rng.next()));
    std::string path = file_in_temp("drydock_png_file_test.png");
    ASSERT_EQ(write_png(path, picture), "");
    EXPECT_EQ(read_png(path), picture) << width << " x " << height;
    std::filesystem::remove(path);
  }
}

TEST(PngFile, SaysWhyItCannotBeWritten) {
  Picture picture(200, 200);
  EXPECT_EQ(write_png("/no/such/folder/a.png", picture), "/no/such/folder/a.png: No such file or directory");
  EXPECT_EQ(write_png("/dev/full", picture), "/dev/full: No space left on device");
  EXPECT_THAT(write_png(file_in_temp("empty.png"), Picture()), HasSubstr("without pixels"));
  EXPECT_FALSE(std::filesystem::exists(file_in_temp("empty.png")));
}

}  // namespace
}  // namespace host
