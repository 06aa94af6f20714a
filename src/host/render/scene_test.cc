#include "host/render/scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/render/reference_raster.h"

namespace host {
namespace {

constexpr uint32_t kWidth = 96, kHeight = 72;

class EveryScene : public ::testing::TestWithParam<SceneKind> {};

INSTANTIATE_TEST_SUITE_P(Scenes, EveryScene, ::testing::ValuesIn(scene_kinds().begin(), scene_kinds().end()),
                         [](const auto& each) { return std::string(each.param.name); });

void expect_whole(const Mesh& mesh) {
  const size_t count = mesh.positions.size();
  EXPECT_GE(count, 3u);
  EXPECT_LE(count, 0x10000u) << "what an index of 16 bits reaches";
  for (size_t other : {mesh.normals.size(), mesh.colors.size(), mesh.texcoords.size()}) {
    EXPECT_TRUE(other == 0 || other == count) << other << " of " << count;
  }
  for (uint16_t index : mesh.indices) EXPECT_LT(index, count);
  if (mesh.topology == Topology::Triangles) {
    EXPECT_EQ((mesh.indices.empty() ? count : mesh.indices.size()) % 3, 0u);
  }
}

void expect_whole(const Texture& texture) {
  EXPECT_GT(texture.width, 0u);
  EXPECT_EQ(texture.texels.size(), size_t{texture.width} * texture.height);
}

TEST_P(EveryScene, HasWhatItsDrawsUse) {
  std::unique_ptr<Scene> scene = GetParam().make();
  for (const Mesh& mesh : scene->meshes()) expect_whole(mesh);
  for (const Texture& texture : scene->textures()) expect_whole(texture);
  for (uint32_t number : {0u, 1u, 77u}) {
    Frame frame = scene->frame(number, kWidth, kHeight);
    EXPECT_FALSE(frame.draws.empty());
    for (const Mesh& mesh : frame.meshes) expect_whole(mesh);
    for (const Texture& texture : frame.textures) expect_whole(texture);
    for (const Draw& draw : frame.draws) {
      ASSERT_LT(draw.mesh.index, draw.mesh.life == Life::Lasting ? scene->meshes().size() : frame.meshes.size());
      const Mesh& mesh = scene->mesh(frame, draw.mesh);
      EXPECT_TRUE(!draw.lighting || !mesh.normals.empty());
      EXPECT_TRUE(!draw.diffuse_of_mesh || !mesh.colors.empty());
      if (!draw.texture) continue;
      ASSERT_LT(draw.texture->index,
                draw.texture->life == Life::Lasting ? scene->textures().size() : frame.textures.size());
      EXPECT_FALSE(mesh.texcoords.empty());
    }
  }
}

TEST_P(EveryScene, IsTheSameEachTimeAndMoves) {
  auto picture = [](uint32_t number) {
    std::unique_ptr<Scene> scene = GetParam().make();
    return reference_picture(*scene, scene->frame(number, kWidth, kHeight), kWidth, kHeight);
  };
  Picture first = picture(10);
  EXPECT_EQ(first, picture(10));
  EXPECT_GT(compare(first, picture(20), 3).share(), 0.01);
}

// Nothing stays unpainted, and there is something to see: more than a background of two colours.
TEST_P(EveryScene, FillsThePicture) {
  std::unique_ptr<Scene> scene = GetParam().make();
  for (auto [width, height] : {std::pair{kWidth, kHeight}, {160u, 60u}, {40u, 90u}}) {
    Frame frame = scene->frame(5, width, height);
    frame.clear_color = 0xFFFF00FF;
    Picture magenta = reference_picture(*scene, frame, width, height);
    frame.clear_color = 0xFF00FF00;
    EXPECT_EQ(compare(magenta, reference_picture(*scene, frame, width, height), 0).apart, 0u) << width << 'x' << height;
  }
}

TEST(Scenes, AreFoundByName) {
  EXPECT_STREQ(find_scene("quads")->name, "quads");
  EXPECT_EQ(find_scene("nothing"), nullptr);
  EXPECT_EQ(find_scene(""), nullptr);
}

// What makes it the scene of short lives.
TEST(Scenes, ConfettiHasATextureAndAMeshForEachPiece) {
  Frame frame = find_scene("confetti")->make()->frame(0, kWidth, kHeight);
  EXPECT_GE(frame.textures.size(), 300u);
  EXPECT_EQ(frame.textures.size(), frame.meshes.size());
}

}  // namespace
}  // namespace host
