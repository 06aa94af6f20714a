#include "host/render/render_session.h"

#include <fmt/format.h>

#include <memory>

#include "base/debug/module_map.h"
#include "host/render/scene_player9.h"
#include "host/scenarios/kmd/graphics.h"
#include "host/scenarios/umd/umd_image.h"
#include "kmt/client/thunks.h"
#include "nt/fault/fault.h"
#include "trace/writer.h"
#include "umd/d3d9/adapter9.h"
#include "verifier/watch/verifier.h"

namespace host {
namespace {

// A program that shows a scene. Lives on the machine's first thread, while the kernel-mode driver runs.
class Show9 {
 public:
  Show9(const RenderOptions& options, const ShowPicture& show, RenderResult& result)
      : options_(options), show_(show), result_(result), scene_(options.scene->make()) {}

  void run(Graphics& graphics, const UmdImage& image) {
    umd::Runtime runtime(graphics.machine(), image.exports(), image.name());
    EmbeddedClient client(graphics.kernel(), "render");
    D3DKMT_OPENADAPTERFROMLUID opened{};
    opened.AdapterLuid = graphics.adapter().luid();
    if (kmt::OpenAdapterFromLuid(client, &opened) < 0) {
      result_.incomplete = "the graphics kernel did not open its adapter";
      return;
    }
    auto adapter = umd::Adapter9::open(runtime, client, opened.hAdapter);
    if (!adapter.ok()) return refuse(adapter.error());
    auto device = adapter.value()->create_device();
    if (!device.ok()) return refuse(device.error());
    play(*device.value());
  }

 private:
  void refuse(const std::string& why) { result_.usage_error = fmt::format("{}: {}", options_.umd, why); }
  void play(umd::Device9& device) {
    ScenePlayer9 player(device, *scene_, options_.width, options_.height);
    if (!player.prepare()) {
      result_.incomplete = fmt::format("before the first frame {}", player.failure());
      return;
    }
    for (uint32_t number = 0; number < options_.frames; ++number) {
      Frame frame = scene_->frame(number, options_.width, options_.height);
      Picture picture;
      if (!player.play(frame, &picture)) {
        result_.incomplete = fmt::format("in frame {} {}", number, player.failure());
        return;
      }
      result_.usage_error = show_(picture);
      if (!result_.usage_error.empty()) return;
    }
  }

  const RenderOptions& options_;
  const ShowPicture& show_;
  RenderResult& result_;
  const std::unique_ptr<Scene> scene_;
};

void run_on_machine(nt::Machine& machine, const DriverImage& kernel, const UmdImage& user, const RenderOptions& options,
                    const ShowPicture& show, RenderResult& result) {
  Graphics graphics(machine, kernel, {});
  if (!graphics.start().ok()) {
    result.usage_error = fmt::format("{}: {}", options.kmd, graphics.refusal());
    return;
  }
  Show9(options, show, result).run(graphics, user);
  graphics.stop();
}

}  // namespace

RenderResult render(const RenderOptions& options, const ShowPicture& show) {
  RenderResult result;
  auto user = UmdImage::load(options.umd);
  if (!user.ok()) {
    result.usage_error = user.error();
    return result;
  }
  auto kernel = DriverImage::load(options.kmd);
  if (!kernel.ok()) {
    result.usage_error = kernel.error();
    return result;
  }
  if (!kernel.value().is_graphics()) {
    result.usage_error = fmt::format("{}: no display driver: it never calls DxgkInitialize", options.kmd);
    return result;
  }
  nt::install_fault_handlers();
  base::ModuleMap modules;
  verifier::Verifier judge({.drivers = {user.value().file_name(), kernel.value().file_name()}}, modules);
  judge.reset({.driver = options.umd,
               .scenario = fmt::format("render/{}", options.scene->name),
               .seed = options.seed,
               .policy = to_string(nt::policy_for_seed(options.seed)),
               .schedule = {},
               .processors = 0});
  trace::Writer writer;
  writer.turn_off();
  nt::MachineOptions machine_options;
  machine_options.seed = options.seed;
  machine_options.policy = nt::policy_for_seed(options.seed);
  machine_options.stack_bytes = 0;
  nt::Machine machine(machine_options, judge, writer);
  judge.attach(&machine);
  auto ended = machine.run([&] { run_on_machine(machine, kernel.value(), user.value(), options, show, result); });
  if (ended != nt::Machine::Ended::Returned && result.incomplete.empty()) result.incomplete = "the machine stopped";
  result.findings = judge.findings();
  judge.attach(nullptr);
  return result;
}

}  // namespace host
