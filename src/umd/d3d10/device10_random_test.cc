// Programs at random against a correct driver, which complains when the runtime does not keep its own duties: what is
// bound is not destroyed, views go before resources, and nothing that the driver did is called a mistake.
#include <random>

#include "umd/testing/device10_fixture.h"

namespace umd::testing {
namespace {

class Device10RandomTest : public Device10Test, public ::testing::WithParamInterface<uint32_t> {
 protected:
  // What one thread of the program does; only the first uses the immediate context.
  class Player {
   public:
    Player(Device10& device, uint32_t seed, bool immediate) : device_(device), random_(seed), immediate_(immediate) {}

    void step() {
      switch (pick(immediate_ ? 9 : 4)) {
        case 0:
          return create();
        case 1:
          return destroy_resource();
        case 2:
          return create_view();
        case 3:
          return destroy_view();
        case 4:
          return bind_targets();
        case 5:
          return bind_views();
        case 6:
          return bind_vertices();
        case 7:
          device_.draw(3, 0);
          return;
        default:
          device_.flush();
      }
    }

   private:
    struct Owned {
      Resource* resource;
      std::vector<RenderTargetView*> targets;
      std::vector<ShaderResourceView*> views;
    };
    uint32_t pick(size_t below) { return static_cast<uint32_t>(random_() % below); }
    Owned* any() { return owned_.empty() ? nullptr : &owned_[pick(owned_.size())]; }

    void create() {
      if (owned_.size() > 8) return;
      ResourceDesc10 desc = target();
      desc.bind |= D3D10_DDI_BIND_VERTEX_BUFFER;
      if (pick(4) == 0) desc.shared();
      owned_.push_back({make(device_, desc), {}, {}});
    }
    void destroy_resource() {
      if (owned_.empty()) return;
      size_t which = pick(owned_.size());
      EXPECT_EQ(device_.destroy_resource(owned_[which].resource), S_OK);
      owned_.erase(owned_.begin() + static_cast<ptrdiff_t>(which));
    }
    void create_view() {
      Owned* owned = any();
      if (!owned) return;
      owned->targets.push_back(target_view(device_, owned->resource));
      ShaderResourceView* view;
      EXPECT_EQ(device_.create_shader_resource_view(owned->resource, &view), S_OK);
      owned->views.push_back(view);
    }
    void destroy_view() {
      Owned* owned = any();
      if (!owned || owned->targets.empty()) return;
      EXPECT_EQ(device_.destroy_child(owned->targets.back()), S_OK);
      EXPECT_EQ(device_.destroy_child(owned->views.back()), S_OK);
      owned->targets.pop_back();
      owned->views.pop_back();
    }
    void bind_targets() {
      Owned* owned = any();
      if (!owned || owned->targets.size() > 8) return;
      EXPECT_EQ(device_.set_render_targets(owned->targets, nullptr), S_OK);
    }
    void bind_views() {
      Owned* owned = any();
      if (!owned) return;
      EXPECT_EQ(device_.set_shader_resources(ShaderStage::Pixel, 0, owned->views), S_OK);
    }
    void bind_vertices() {
      Owned* owned = any();
      if (!owned) return;
      VertexBuffer buffers[] = {{owned->resource, 16, 0}, {any()->resource, 16, 0}};
      EXPECT_EQ(device_.set_vertex_buffers(0, buffers), S_OK);
    }

    Device10& device_;
    std::mt19937 random_;
    const bool immediate_;
    std::vector<Owned> owned_;
  };
};

TEST_P(Device10RandomTest, OneThread) {
  SCOPED_TRACE(GetParam());
  umd.threading = 0;
  run_device10([&](Device10& device) {
    Player player(device, GetParam(), true);
    for (int i = 0; i < 300; ++i) player.step();
  });
  expect_found({});
}

TEST_P(Device10RandomTest, FourThreads) {
  SCOPED_TRACE(GetParam());
  run_device10([&](Device10& device) {
    int running = 3;
    for (uint32_t thread = 1; thread <= 3; ++thread) {
      machine().create_thread("worker", [&, thread] {
        Player player(device, GetParam() * 4 + thread, false);
        for (int i = 0; i < 100; ++i) {
          player.step();
          machine().executor().yield(base::Point::Yield);
        }
        --running;
      });
    }
    Player player(device, GetParam() * 4, true);
    for (int i = 0; i < 300 || running; ++i) {
      player.step();
      machine().executor().yield(base::Point::Yield);
    }
  });
  expect_found({});
}

INSTANTIATE_TEST_SUITE_P(Seeds, Device10RandomTest, ::testing::Range(1u, 9u));

}  // namespace
}  // namespace umd::testing
