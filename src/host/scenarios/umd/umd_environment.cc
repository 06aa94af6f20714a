#include "host/scenarios/umd/umd_environment.h"

#include <fmt/format.h>

#include <algorithm>

#include "drivers/softgpu/proto/softgpu_regs.h"
#include "drivers/softgpu/proto/softgpu_user.h"
#include "host/scenarios/kmd/alloc_client.h"
#include "kmt/client/thunks.h"

namespace host {
namespace {

// Reports why a scenario does nothing.
void explain(nt::Machine& machine, const std::string& reason) {
  machine.note(trace::Refusal{.status = STATUS_NOT_SUPPORTED, .reason = reason, .file = __FILE__, .line = __LINE__});
}

bool is_lack_of_support(HRESULT result) {
  return result == D3DERR_NOTAVAILABLE || result == E_NOTIMPL || result == DXGI_ERROR_UNSUPPORTED ||
         result == DXGI_DDI_ERR_UNSUPPORTED;
}

// Whether the kernel-mode driver itself refused, whose function the graphics kernel names in its sentence, or something
// that the runtime asks for by itself. An escape is a question of the user-mode driver's own.
bool refused_below(const dxgk::Ledger::Refusal& refusal) {
  if (refusal.function == "D3DKMTCreateDevice") return true;
  return refusal.reason.find("(DxgkDdi") != std::string::npos &&
         refusal.reason.find("(DxgkDdiEscape)") == std::string::npos;
}

D3DKMT_HANDLE open_adapter(kmt::Client& client, dxgk::Adapter& adapter) {
  D3DKMT_OPENADAPTERFROMLUID args{};
  args.AdapterLuid = adapter.luid();
  return kmt::OpenAdapterFromLuid(client, &args) < 0 ? 0 : args.hAdapter;
}

}  // namespace

// --- The environment ---

UmdEnvironment::UmdEnvironment(ScenarioContext& context, Ddi ddi, EnvironmentMemory memory)
    : ScenarioEnvironment(context, memory), context_(context) {
  if (!started()) return;
  std::string unfit = load(ddi);
  if (!unfit.empty()) {
    explain(context.machine, unfit);
    context.skip(unfit);
  }
  ready_ = unfit.empty();
  if (!ready_) return;
  speaks_ = ask_driver();
  known_ = speaks_ && context.umd->is_softgpu();
}

// Empty, or why the scenario cannot run.
std::string UmdEnvironment::load(Ddi ddi) {
  if (!context_.umd) return "no user-mode driver was given";
  umd::Exports exports = context_.umd->exports();
  runtime_.emplace(context_.machine, exports, context_.umd->name());
  bool has_entry = ddi == Ddi::D3d9 ? exports.open_adapter != nullptr
                                    : exports.open_adapter10 != nullptr || exports.open_adapter10_2 != nullptr;
  if (has_entry) return {};
  const char* entry = ddi == Ddi::D3d9 ? "OpenAdapter" : "OpenAdapter10_2 and no OpenAdapter10";
  return fmt::format("{} exports no {}", context_.umd->name(), entry);
}

bool UmdEnvironment::ask_driver() {
  EmbeddedClient client(graphics().kernel(), "question");
  SOFTGPU_ADAPTER answer{};
  D3DKMT_QUERYADAPTERINFO args{};
  args.hAdapter = open_adapter(client, graphics().adapter());
  args.Type = KMTQAITYPE_UMDRIVERPRIVATE;
  args.pPrivateDriverData = &answer;
  args.PrivateDriverDataSize = sizeof(answer);
  return kmt::QueryAdapterInfo(client, &args) >= 0 && answer.magic == SOFTGPU_USER_MAGIC &&
         answer.version == SOFTGPU_USER_VERSION;
}

bool UmdEnvironment::has_format(D3DDDIFORMAT format) const {
  return std::ranges::any_of(formats_, [format](const FORMATOP& listed) { return listed.Format == format; });
}

// --- A process ---

UmdProcess::UmdProcess(UmdEnvironment& environment, const std::string& name)
    : environment_(environment),
      process_(environment.graphics().kernel(), name),
      ledger_(process_.client().process().ledger()) {}

bool UmdProcess::open_kernel_adapter() {
  if (!adapter_) adapter_ = open_adapter(client(), environment_.graphics().adapter());
  return adapter_ != 0;
}

void UmdProcess::escape(uint32_t code, uint64_t argument) {
  if (!environment_.speaks()) return;
  SOFTGPU_ESCAPE data = softgpu_escape(code, SOFTGPU_ENGINE_RENDER, argument);
  D3DKMT_ESCAPE args{};
  args.hAdapter = adapter_;
  args.Type = D3DKMT_ESCAPE_DRIVERPRIVATE;
  args.pPrivateDriverData = &data;
  args.PrivateDriverDataSize = sizeof(data);
  expect(kmt::Escape(client(), &args) >= 0);
}

std::string UmdProcess::failure_below() const {
  for (const dxgk::Ledger::Refusal& each : ledger_.refusals()) {
    if (!refused_below(each)) continue;
    return fmt::format("below the user-mode driver, {} answered {}: {}", each.function, words_of(each.status),
                       each.reason);
  }
  return {};
}

void UmdProcess::fail_expectation(const char* what, const std::string& answer, base::Here where) const {
  std::string below = failure_below();
  if (environment_.known() && below.empty()) base::check_failed(what, answer.c_str(), where);
  environment_.leave_incomplete(fmt::format("{}{}expected: {}{}{} ({})", below, below.empty() ? "" : "; ", what,
                                            answer.empty() ? "" : ": ", answer, place_of(where)));
}

bool UmdProcess::expect(bool fact, base::Here where) const {
  if (!fact && undisturbed()) fail_expectation("what a scenario expects", "", where);
  return fact;
}

bool UmdProcess::succeeds(HRESULT result, base::Here where) const {
  if (SUCCEEDED(result)) return true;
  if (undisturbed() && (environment_.known() || !is_lack_of_support(result))) {
    fail_expectation("a function of the driver succeeds",
                     fmt::format("it answered {} (0x{:08X})", umd::name_of(result), static_cast<uint32_t>(result)),
                     where);
  }
  return false;
}

void UmdProcess::refused(const std::string& why) {
  if (!undisturbed()) return;
  if (std::string below = failure_below(); !below.empty()) {
    environment_.leave_incomplete(fmt::format("{}; {}", below, why));
  } else {
    environment_.machine().report_violation(nt::Violation::UmdRefused, why);
  }
}

// --- A program of Direct3D 9 ---

UmdProgram::~UmdProgram() { end(); }

bool UmdProgram::open() {
  if (!expect(open_kernel_adapter())) return false;
  auto opened = umd::Adapter9::open(environment().runtime(), client(), kernel_adapter());
  if (!opened.ok()) {
    refused(opened.error());
    return false;
  }
  driver_ = opened.take();
  ask_formats();
  return open_device();
}

void UmdProgram::ask_formats() {
  UINT count = 0;
  if (!succeeds(driver_->get_caps(D3DDDICAPS_GETFORMATCOUNT, &count, sizeof(count)))) return;
  std::vector<FORMATOP> formats(count);
  UINT bytes = static_cast<UINT>(formats.size() * sizeof(FORMATOP));
  if (!succeeds(driver_->get_caps(D3DDDICAPS_GETFORMATDATA, formats.data(), bytes))) return;
  environment().learn_formats(std::move(formats));
}

bool UmdProgram::open_device() {
  device_ = make_device();
  return device_ != nullptr;
}

std::unique_ptr<umd::Device9> UmdProgram::make_device() {
  auto device = driver_->create_device();
  if (device.ok()) return device.take();
  refused(device.error());
  return nullptr;
}

void UmdProgram::close_device() {
  if (device_) succeeds(device_->destroy());
  device_.reset();
}

void UmdProgram::end() {
  close_device();
  driver_.reset();
  end_process();
}

}  // namespace host
