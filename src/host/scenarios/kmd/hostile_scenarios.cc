#include "host/scenarios/kmd/hostile_scenarios.h"

#include "dxgk/adapter/adapter.h"
#include "dxgk/work/gpu.h"
#include "host/workload/gpu_model.h"
#include "host/workload/submission_mutator.h"

namespace host {
namespace {

using Place = GpuClient::Place;

constexpr uint64_t kBytes = 16 * 1024;

// A client that changes valid submissions and private data before it sends them. Nothing is expected of what it gets;
// when its device is lost it makes another.
class Hostile {
 public:
  explicit Hostile(ScenarioEnvironment& environment)
      : environment_(environment), mutator_(environment), client_(environment.graphics(), "hostile") {}

  bool open() {
    client_.client().process().distrust_private_data();
    return client_.expect(client_.open());
  }
  bool begin();
  // Something wrong; false when nothing more can be tried.
  bool attack();
  GpuClient& client() { return client_; }

 private:
  GpuCommands some_work();
  void submit_wrong();
  void create_wrong();
  // What it submitted may never end: it waits no longer than this.
  void rest() { environment_.rest(kMicrosecond << environment_.choose(12)); }

  ScenarioEnvironment& environment_;
  SubmissionMutator mutator_;
  GpuClient client_;
  std::unique_ptr<GpuContext> context_;
  std::optional<GpuBuffer> one_, other_;
};

bool Hostile::begin() {
  context_ = GpuContext::create(client_, environment_.choose(client_.nodes()));
  one_ = client_.make_buffer(kBytes, Place::Video);
  other_ = client_.make_buffer(kBytes, Place::Readback);
  return context_ && one_ && other_;
}

GpuCommands Hostile::some_work() {
  GpuCommands commands;
  for (uint32_t i = 1 + environment_.choose(3); i > 0; --i) {
    if (environment_.perhaps()) {
      commands.fill(*one_, 0, kBytes, i);
    } else {
      commands.copy(*one_, 0, *other_, kBytes / 2, kBytes / 4);
    }
  }
  return commands;
}

void Hostile::submit_wrong() {
  auto submission = context_->prepare(some_work());
  if (!submission) return;
  mutator_.change(*submission);
  if (context_->submit(*submission) >= 0) rest();
}

// What the driver accepts is used, and destroyed again.
void Hostile::create_wrong() {
  auto data = client_.describe(GpuClient::memory_of(kBytes, environment_.perhaps() ? Place::Video : Place::Readback));
  if (!data) return;
  mutator_.change(*data);
  auto buffer = client_.create_from(std::move(*data), kBytes);
  if (!buffer) return;
  if (client_.prepare(*buffer)) {
    GpuCommands commands;
    commands.fill(*buffer, 0, kBytes, 1);
    if (context_->submit(commands) >= 0) rest();
  }
  static_cast<void>(client_.destroy_buffer(*buffer));
}

bool Hostile::attack() {
  if (environment_.choose(3) == 0) {
    create_wrong();
  } else {
    submit_wrong();
  }
  if (!client_.lost()) return true;
  client_.destroy_device();
  return client_.open_again() && begin();
}

// One client submits what is wrong, another works: the driver stays whole, and the work of the other comes out right
// unless the whole adapter had to be reset.
void submit_wrong(ScenarioContext& context) {
  ScenarioEnvironment environment(context);
  if (!environment.started()) return;
  Hostile hostile(environment);
  GpuClient innocent(environment.graphics(), "innocent");
  if (!hostile.open() || !innocent.expect(innocent.open())) return;
  if (!innocent.has_workload()) return environment.skip(kNoCommands);
  auto oracle = Oracle::make(innocent, kBytes);
  auto gpu = GpuContext::create(innocent, environment.choose(innocent.nodes()));
  GpuCommands first;
  auto model = ModelBuffer::make(innocent, first, kBytes, environment.choose(0x7FFFFFFF));
  if (!innocent.expect(oracle && gpu && model)) return;
  innocent.succeeds(gpu->submit(first));
  if (!hostile.client().expect(hostile.begin())) return;
  // Commands that are wrong may hang the engine or make it fault: that is not the driver's doing.
  environment.graphics().adapter().gpu().distrust_hardware();
  for (uint32_t round = 0; round < 12; ++round) {
    if (!hostile.attack()) break;
    GpuCommands commands;
    model->scribble(commands, environment);
    if (gpu->submit(commands) < 0) break;
  }
  hostile.client().end();
  if (!innocent.lost()) static_cast<void>(oracle->check(*gpu, *model));
}

}  // namespace

std::vector<Scenario> hostile_scenarios() {
  return {{"vidsch/hostile", "submissions and private data that are wrong on purpose", &submit_wrong,
           Scenario::Needs::Graphics}};
}

}  // namespace host
