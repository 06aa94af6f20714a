#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/scenarios/kmd/scenario_environment.h"
#include "host/scenarios/umd/umd_image.h"
#include "umd/common/hresult.h"
#include "umd/common/runtime.h"
#include "umd/d3d9/adapter9.h"

namespace host {

// The environment of a scenario for user-mode display drivers: the kernel-mode driver started, and the Direct3D runtime
// with the user-mode driver loaded. Used like a ScenarioEnvironment; its programs end before it does.
class UmdEnvironment : public ScenarioEnvironment {
 public:
  // Which of the driver's entries the scenario is about.
  enum class Ddi : uint8_t { D3d9, D3d10 };

  UmdEnvironment(ScenarioContext& context, Ddi ddi, EnvironmentMemory memory = {});

  // False when there is nothing to play: the kernel-mode driver refused, there is no user-mode driver, or it has not
  // that entry. The outcome says which.
  bool ready() const { return ready_; }
  umd::Runtime& runtime() { return *runtime_; }

  // Whether the kernel-mode driver is softgpu, whose hardware misbehaves on demand.
  bool speaks() const { return speaks_; }
  // Whether both drivers are softgpu's, by what they declare: then it is known what a picture looks like.
  bool known() const { return known_; }
  // Whether the driver lists the format (D3DDDICAPS_GETFORMATDATA) for programs of Direct3D 9, which use no other.
  bool has_format(D3DDDIFORMAT format) const;
  void learn_formats(std::vector<FORMATOP> formats) { formats_ = std::move(formats); }
  // Whether nothing was made to fail that a driver may fail with.
  bool undisturbed() const { return !context_.failing && !context_.machine.broken(); }

 private:
  std::string load(Ddi ddi);
  bool ask_driver();

  ScenarioContext& context_;
  std::optional<umd::Runtime> runtime_;
  bool ready_ = false;
  bool speaks_ = false;
  bool known_ = false;
  std::vector<FORMATOP> formats_;
};

// A process with the adapter opened in the kernel, and what can be expected of the driver in it. Used on one thread at
// a time, but for what says otherwise.
class UmdProcess {
 public:
  UmdProcess(UmdEnvironment& environment, const std::string& name);
  UmdProcess(const UmdProcess&) = delete;
  UmdProcess& operator=(const UmdProcess&) = delete;

  UmdEnvironment& environment() { return environment_; }
  kmt::Client& client() { return process_.client(); }
  D3DKMT_HANDLE kernel_adapter() const { return adapter_; }
  // SOFTGPU_ESCAPE_…: how the render engine misbehaves. Of another driver nothing is asked.
  void escape(uint32_t code, uint64_t argument);

  // Something is going to fail that is not the driver's doing; or not any more.
  void allow_failures(bool allowed = true) { failures_allowed_ = allowed; }
  // What holds for softgpu while nothing went wrong: what its pictures look like. Any thread.
  bool reliable() const { return environment_.known() && undisturbed(); }
  // The fact. Where nothing disturbs the driver and it does not hold, softgpu is at fault, which is ours; the scenario
  // of any other driver is incomplete. Any thread.
  bool expect(bool fact, base::Here where = base::Here::now()) const;
  // The same for a function of the driver. A driver may answer that it does not support what it is asked for; what it
  // did without that is left to the scenario's floor.
  bool succeeds(HRESULT result, base::Here where = base::Here::now()) const;
  // The driver did not open, or made no device: a finding, unless it has an excuse or is found guilty already. Where
  // the kernel-mode driver below refused it something, the scenario is incomplete.
  void refused(const std::string& why);

 protected:
  ~UmdProcess() = default;
  bool open_kernel_adapter();
  void end_process() { process_.end(); }

 private:
  bool undisturbed() const { return environment_.undisturbed() && !failures_allowed_; }
  // What the kernel-mode driver below refused to the process, in a sentence; empty: nothing.
  std::string failure_below() const;
  void fail_expectation(const char* what, const std::string& answer, base::Here where) const;

  UmdEnvironment& environment_;
  EmbeddedClient process_;
  const dxgk::Ledger& ledger_;  // of the process
  D3DKMT_HANDLE adapter_ = 0;
  bool failures_allowed_ = false;
};

// A program that uses Direct3D 9: its process, and an adapter and a device of the driver. Owned by the scenario.
class UmdProgram : public UmdProcess {
 public:
  using UmdProcess::UmdProcess;
  // end()
  ~UmdProgram();

  // The adapter and a device. False when the driver refused.
  bool open();
  bool open_device();
  // A device more, of which the program knows nothing; it goes before the program does. Any thread.
  std::unique_ptr<umd::Device9> make_device();
  void close_device();
  // The device with everything it has, the adapter, the process.
  void end();

  umd::Adapter9& adapter() { return *driver_; }
  umd::Device9& device() { return *device_; }

 private:
  void ask_formats();

  std::unique_ptr<umd::Adapter9> driver_;
  std::unique_ptr<umd::Device9> device_;
};

}  // namespace host
