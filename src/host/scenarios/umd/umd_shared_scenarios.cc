#include "host/scenarios/umd/umd_shared_scenarios.h"

#include "host/scenarios/kmd/alloc_client.h"
#include "host/scenarios/umd/umd_model.h"

namespace host {
namespace {

using umd::ResourceDesc;

constexpr UINT kSize = 32;

// One resource that two programs have, each on a device of its own.
struct Common {
  std::unique_ptr<UmdResource> made;
  std::unique_ptr<UmdResource> opened;
};

// One program makes resources and shares them, the other one opens them.
class Partners {
 public:
  explicit Partners(UmdEnvironment& environment)
      : environment_(environment), maker_(environment, "maker"), opener_(environment, "opener") {}

  bool begin();
  // Each program makes a resource that no other opens, with the same description.
  void make_alike();
  void share_one();
  // One of the two writes, and both see it.
  void work();
  // The same resource twice on one device.
  void open_twice();
  // A resource that is not shared is destroyed in one program while the other one works.
  void work_privately();
  // A third process has it open, and ends with it open.
  void die_with_it();
  void let_go();
  // The programs end in an order that the seed chooses, with whatever they have.
  void end();

 private:
  ResourceDesc desc();
  Common& any() { return commons_[environment_.choose(static_cast<uint32_t>(commons_.size()))]; }
  void write(UmdResource& to);

  UmdEnvironment& environment_;
  UmdProgram maker_;
  UmdProgram opener_;
  std::vector<Common> commons_;
};

bool Partners::begin() { return maker_.open() && opener_.open(); }

ResourceDesc Partners::desc() {
  if (environment_.perhaps()) return ResourceDesc::render_target(kSize, kSize, D3DDDIFMT_A8R8G8B8).shared();
  return ResourceDesc::group(1 + environment_.choose(3), kSize, kSize, D3DDDIFMT_A8R8G8B8).shared();
}

void Partners::make_alike() {
  for (UmdProgram* each : {&maker_, &opener_}) {
    auto made = UmdResource::make(*each, each->device(),
                                  ResourceDesc::render_target(kSize, kSize, D3DDDIFMT_A8R8G8B8).shared());
    if (made) made->destroy();
  }
}

// The other program sees it when it has been drawn, which the check waits for.
void Partners::share_one() {
  auto made = UmdResource::make(maker_, maker_.device(), desc());
  if (!made) return;
  for (UINT i = 0; i < made->surfaces(); ++i) made->fill(i, made->whole(i), any_color(environment_));
  made->check_all();
  auto opened = UmdResource::open(opener_, opener_.device(), *made);
  if (opened) opened->check_all();
  commons_.push_back({std::move(made), std::move(opened)});
}

void Partners::write(UmdResource& to) {
  UINT surface = environment_.choose(to.surfaces());
  switch (environment_.choose(3)) {
    case 0:
      to.write(surface, any_color(environment_));
      break;
    case 1:
      to.clear(surface, any_color(environment_));
      break;
    default:
      to.fill(surface, any_part(environment_, to.whole(surface)), any_color(environment_));
  }
  to.check_all();
}

void Partners::work() {
  if (commons_.empty()) return;
  Common& common = any();
  if (!common.made || !common.opened) return;
  bool made_here = environment_.perhaps();
  UmdResource& writer = made_here ? *common.made : *common.opened;
  UmdResource& reader = made_here ? *common.opened : *common.made;
  write(writer);
  reader.take_over(writer);
  reader.check_all();
}

void Partners::open_twice() {
  if (commons_.empty()) return;
  const UmdResource& made = *commons_.front().made;
  auto first = UmdResource::open(opener_, opener_.device(), made);
  auto second = UmdResource::open(opener_, opener_.device(), made);
  for (auto* view : {&first, &second}) {
    if (*view) (*view)->check_all();
  }
  if (environment_.perhaps()) std::swap(first, second);
  for (auto* view : {&first, &second}) {
    if (*view) (*view)->destroy();
  }
}

void Partners::work_privately() {
  auto own = UmdResource::make(maker_, maker_.device(), ResourceDesc::texture(kSize, kSize, D3DDDIFMT_A8R8G8B8));
  auto target =
      UmdResource::make(opener_, opener_.device(), ResourceDesc::render_target(kSize, kSize, D3DDDIFMT_A8R8G8B8));
  if (own) own->write(0, any_color(environment_));
  if (target) target->clear(0, any_color(environment_));
  if (own) own->destroy();
  opener_.succeeds(opener_.device().flush());
  if (target) target->destroy();
}

void Partners::die_with_it() {
  AllocClient third(environment_.graphics(), "third");
  if (!third.open_device()) return;
  for (const Common& common : commons_) {
    if (common.made) third.open(common.made->get()->global_share);
  }
}

void Partners::let_go() {
  if (commons_.empty()) return;
  Common& common = any();
  std::unique_ptr<UmdResource>& one = environment_.perhaps() ? common.made : common.opened;
  std::unique_ptr<UmdResource>& other = &one == &common.made ? common.opened : common.made;
  if (one) one->destroy();
  one.reset();
  if (other) other->check_all();
}

void Partners::end() {
  bool maker_first = environment_.perhaps();
  (maker_first ? maker_ : opener_).end();
  for (Common& common : commons_) {
    auto& left = maker_first ? common.opened : common.made;
    if (left) left->check_all();
  }
  (maker_first ? opener_ : maker_).end();
}

void share(ScenarioContext& context) {
  UmdEnvironment environment(context, UmdEnvironment::Ddi::D3d9);
  if (!environment.ready()) return;
  Partners partners(environment);
  if (!partners.begin()) return;
  partners.share_one();
  partners.open_twice();
  partners.work_privately();
  partners.make_alike();
  for (uint32_t steps = 8 + environment.choose(12); steps > 0; --steps) {
    switch (environment.choose(8)) {
      case 0:
        partners.share_one();
        break;
      case 1:
        partners.let_go();
        break;
      case 2:
        partners.die_with_it();
        break;
      default:
        partners.work();
    }
  }
  partners.end();
}

}  // namespace

std::vector<Scenario> umd_shared_scenarios() {
  return {
      {"umd/shared", "two programs share, draw, and let go in any order", &share, Scenario::Needs::Umd},
  };
}

}  // namespace host
