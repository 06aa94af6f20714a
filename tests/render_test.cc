// `drydock render` as a user meets it: scenes by softgpu's user-mode driver, above both of its kernel-mode drivers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include <algorithm>
#include <filesystem>

#include "host/render/picture.h"
#include "host/render/reference_raster.h"
#include "host/render/scene.h"
#include "program.h"

namespace tests {
namespace {

using host::Picture;
using ::testing::HasSubstr;

constexpr uint32_t kWidth = 320, kHeight = 240;
constexpr uint32_t kTolerance = 3;  // of 255

Picture read_png(const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&image, path.c_str())) return {};
  image.format = PNG_FORMAT_RGBA;
  Picture picture(image.width, image.height);
  if (!png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr)) return {};
  return picture;
}

std::string size_text() { return std::to_string(kWidth) + "x" + std::to_string(kHeight); }

Outcome render(const std::string& scene, const std::string& kmd, const std::string& output,
               std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {
      "render", "--scene",   scene, "--kmd", driver("softgpu/" + kmd), "--umd", driver("softgpu/softgpu_umd"),
      "--size", size_text(), "-o",  output};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return drydock(arguments);
}

Picture reference(const std::string& name, uint32_t number) {
  std::unique_ptr<host::Scene> scene = host::find_scene(name)->make();
  return host::reference_picture(*scene, scene->frame(number, kWidth, kHeight), kWidth, kHeight);
}

bool alike(const host::Pixel& a, const host::Pixel& b) {
  auto near = [](uint8_t x, uint8_t y) { return std::abs(x - y) <= static_cast<int>(kTolerance); };
  return near(a.red, b.red) && near(a.green, b.green) && near(a.blue, b.blue);
}

// Pixels whose colour the reference has neither there nor in any of the eight places around: no edge explains them.
uint64_t unexplained(const Picture& drawn, const Picture& expected) {
  uint64_t count = 0;
  for (uint32_t y = 0; y < drawn.height; ++y) {
    for (uint32_t x = 0; x < drawn.width; ++x) {
      bool found = false;
      for (uint32_t j = y ? y - 1 : 0; j <= std::min(y + 1, drawn.height - 1); ++j) {
        for (uint32_t i = x ? x - 1 : 0; i <= std::min(x + 1, drawn.width - 1); ++i) {
          found |= alike(drawn.at(x, y), expected.at(i, j));
        }
      }
      count += !found;
    }
  }
  return count;
}

struct Case {
  const char* scene;
  const char* kmd;
};

class Render : public ::testing::TestWithParam<Case> {
 protected:
  std::string file(const std::string& name) const { return folder_.path() + "/" + name; }
  Outcome draw(const std::string& name, std::vector<std::string> more = {}) const {
    return render(GetParam().scene, GetParam().kmd, file(name), std::move(more));
  }

  TemporaryFolder folder_;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const host::SceneKind& kind : host::scene_kinds()) {
    for (const char* kmd : {"softgpu", "softgpu_physical"}) cases.push_back({kind.name, kmd});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Scenes, Render, ::testing::ValuesIn(all_cases()),
                         [](const auto& each) { return std::string(each.param.scene) + "_" + each.param.kmd; });

// The driver, its hardware and everything between them in single precision and 1/256 pixel against the fixed-function
// formulae in doubles. What is compared is each pixel's three colours; edges may lie one pixel off.
TEST_P(Render, LooksAsTheReferenceDoes) {
  Outcome outcome = draw("frame-%02d.png", {"--frames", "4"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("4 frames of 320x240, 0 findings"));
  for (uint32_t number = 0; number < 4; ++number) {
    Picture drawn = read_png(file("frame-0" + std::to_string(number) + ".png"));
    ASSERT_EQ(drawn.width, kWidth);
    ASSERT_EQ(drawn.height, kHeight);
    Picture expected = reference(GetParam().scene, number);
    host::Difference difference = host::compare(drawn, expected, kTolerance);
    EXPECT_LE(difference.share(), 0.001) << "frame " << number << ": " << difference.apart << " pixels";
    EXPECT_LE(unexplained(drawn, expected), kWidth * kHeight / 5000) << "frame " << number;
  }
  Picture first = read_png(file("frame-00.png")), last = read_png(file("frame-03.png"));
  EXPECT_GT(host::compare(first, last, kTolerance).share(), 0.005) << "it moves";
}

TEST_P(Render, OneSeedOnePictureAndAnotherSeedTheSame) {
  ASSERT_EQ(draw("a.png", {"--seed", "7"}).exit_code, 0);
  ASSERT_EQ(draw("b.png", {"--seed", "7"}).exit_code, 0);
  ASSERT_EQ(draw("c.png", {"--seed", "8"}).exit_code, 0);
  EXPECT_TRUE(read_text(file("a.png")) == read_text(file("b.png")));
  EXPECT_TRUE(read_text(file("a.png")) == read_text(file("c.png"))) << "who runs when is not seen";
}

TEST(RenderFilm, IsAHeaderAndItsFrames) {
  TemporaryFolder folder;
  std::string film = folder.path() + "/film.y4m";
  Outcome outcome = render("solid", "softgpu", film, {"--frames", "3"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out;
  std::string bytes = read_text(film), header = "YUV4MPEG2 W320 H240 F30:1 Ip A1:1 C444\n", mark = "FRAME\n";
  ASSERT_EQ(bytes.substr(0, header.size()), header);
  const size_t frame = mark.size() + 3 * kWidth * kHeight;
  ASSERT_EQ(bytes.size(), header.size() + 3 * frame);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(bytes.substr(header.size() + i * frame, mark.size()), mark);
  EXPECT_TRUE(bytes.substr(header.size(), frame) != bytes.substr(header.size() + frame, frame)) << "it moves";

  Outcome piped = render("solid", "softgpu", "-", {"--frames", "3"});
  EXPECT_EQ(piped.exit_code, 0);
  EXPECT_EQ(piped.out.find(bytes), 0u) << "the same to standard output, and what is said comes after it";
}

TEST(RenderCommand, ListsScenes) {
  Outcome outcome = drydock({"render", "--list"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const host::SceneKind& kind : host::scene_kinds()) EXPECT_THAT(outcome.out, HasSubstr(kind.story));
}

TEST(RenderCommand, FindsItsOwnDrivers) {
  TemporaryFolder folder;
  std::string picture = folder.path() + "/small.png";
  Outcome outcome = drydock({"render", "--size", "31x17", "-o", picture});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_EQ(read_png(picture).width, 31u);
}

// One clear sentence and exit code 2.
void expect_refused(std::vector<std::string> arguments, const std::string& sentence) {
  arguments.insert(arguments.begin(), "render");
  Outcome outcome = drydock(arguments);
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr(sentence));
}

TEST(RenderCommand, RefusesBadInputInOneSentence) {
  TemporaryFolder folder;
  std::string good = folder.path() + "/out.png", text = folder.path() + "/text.so";
  write_text(text, "this is no driver\n");
  expect_refused({}, "-o");
  expect_refused({"--scene", "nothing", "-o", good}, "there is no scene 'nothing'");
  for (const char* size : {"0x10", "10", "10x", "axb", "5000x10", "10x10x10", "-1x5", "99999x99999"}) {
    expect_refused({std::string("--size=") + size, "-o", good}, "WIDTHxHEIGHT");
  }
  expect_refused({"--frames", "0", "-o", good}, "--frames");
  expect_refused({"--frames", "2", "-o", good}, "one file cannot hold 2 frames");
  expect_refused({"-o", folder.path() + "/out.jpg"}, "out.jpg: pictures are written as .png");
  for (const char* name : {"a%.png", "a%s.png", "a%d%d.png", "a%5d.png", "a%n.png"}) {
    expect_refused({"-o", folder.path() + "/" + name}, "one number in it");
  }
  expect_refused({"--size", "8x8", "-o", "/no/such/folder/a.png"}, "/no/such/folder/a.png: No such file or directory");
  expect_refused({"--size", "8x8", "-o", "/no/such/folder/a.y4m"}, "/no/such/folder/a.y4m: No such file or directory");
  expect_refused({"--umd", text, "-o", good}, "text.so");
  expect_refused({"--umd", folder.path() + "/missing.so", "-o", good}, "missing.so");
  expect_refused({"--umd", driver("softgpu/softgpu"), "-o", good}, "no user-mode display driver");
  expect_refused({"--kmd", driver("mill"), "-o", good}, "mill.so: no display driver");
  expect_refused({"--kmd", driver("softgpu/softgpu_umd"), "-o", good}, "no DriverEntry");
  EXPECT_FALSE(std::filesystem::exists(good));
}

}  // namespace
}  // namespace tests
