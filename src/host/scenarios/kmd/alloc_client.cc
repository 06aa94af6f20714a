#include "host/scenarios/kmd/alloc_client.h"

#include <fmt/format.h>

#include <string_view>

#include "dxgk/object/device.h"
#include "kmt/client/thunks.h"
#include "trace/text.h"

namespace host {
namespace {

constexpr uint64_t kBytes = 64 * 1024;

}  // namespace

AllocClient::AllocClient(Graphics& graphics, const std::string& name)
    : name_(name), graphics_(graphics), process_(graphics.kernel(), name) {}

// --- Expectations ---

std::string place_of(base::Here where) {
  std::string_view path = where.file;
  return fmt::format("{}:{}", path.substr(path.rfind('/') + 1), where.line);
}

std::string words_of(NTSTATUS status) {
  std::string_view name = trace::status_name(status);
  std::string number = fmt::format("0x{:08X}", static_cast<uint32_t>(status));
  return name.empty() ? number : fmt::format("{} ({})", name, number);
}

NTSTATUS AllocClient::answered(const char* thunk, NTSTATUS status) {
  if (status < 0) last_refusal_ = fmt::format("D3DKMT{} answered {}", thunk, words_of(status));
  return status;
}

bool AllocClient::expect(bool fact, base::Here where) const {
  if (!fact && graphics_.undisturbed()) {
    graphics_.fall_short(fmt::format("expected: what {} asks for is done: {} ({})", name_,
                                     last_refusal_.empty() ? "it was not" : last_refusal_, place_of(where)));
  }
  return fact;
}

// --- Its device ---

bool AllocClient::open_device() {
  D3DKMT_OPENADAPTERFROMLUID adapter{};
  adapter.AdapterLuid = graphics_.adapter().luid();
  if (answered("OpenAdapterFromLuid", kmt::OpenAdapterFromLuid(client(), &adapter)) < 0) return false;
  adapter_ = adapter.hAdapter;
  D3DKMT_CREATEDEVICE device{};
  device.hAdapter = adapter_;
  if (answered("CreateDevice", kmt::CreateDevice(client(), &device)) < 0) return false;
  device_ = device.hDevice;
  return true;
}

const dxgk::StandardData& AllocClient::private_data() {
  if (!private_data_) {
    auto data = dxgk::standard_data(graphics_.adapter(), kBytes, dxgk::StandardKind::Staging);
    private_data_ = data.ok() ? data.take() : dxgk::StandardData{};
  }
  return *private_data_;
}

std::optional<AllocClient::Made> AllocClient::create(D3DKMT_CREATEALLOCATION args, const dxgk::StandardData& data,
                                                     uint32_t count, D3DDDI_ALLOCATIONINFO2 form) {
  std::vector<std::vector<uint8_t>> private_data(count, data.allocation);
  std::vector<D3DDDI_ALLOCATIONINFO2> infos(count, form);
  for (uint32_t i = 0; i < count; ++i) {
    infos[i].pPrivateDriverData = private_data[i].empty() ? nullptr : private_data[i].data();
    infos[i].PrivateDriverDataSize = static_cast<UINT>(private_data[i].size());
  }
  args.hDevice = device_;
  args.NumAllocations = count;
  args.pAllocationInfo2 = infos.data();
  if (args.Flags.CreateResource || args.hResource) {
    args.pPrivateDriverData = data.resource.data();
    args.PrivateDriverDataSize = static_cast<UINT>(data.resource.size());
  }
  if (answered("CreateAllocation2", kmt::CreateAllocation2(client(), &args)) < 0) return std::nullopt;
  Made made{args.hResource, args.hGlobalShare, {}};
  for (const auto& info : infos) made.allocations.push_back(info.hAllocation);
  return made;
}

std::optional<AllocClient::Made> AllocClient::create(Kind kind, uint32_t count) {
  D3DKMT_CREATEALLOCATION args{};
  args.Flags.CreateResource = kind != Kind::Alone;
  args.Flags.CreateShared = kind == Kind::SharedGlobal || kind == Kind::SharedNt;
  args.Flags.NtSecuritySharing = kind == Kind::SharedNt;
  return create(args, private_data(), count);
}

bool AllocClient::add_to(Made& made, uint32_t count) {
  D3DKMT_CREATEALLOCATION args{};
  args.hResource = made.resource;
  auto more = create(args, private_data(), count);
  if (!more) return false;
  made.allocations.insert(made.allocations.end(), more->allocations.begin(), more->allocations.end());
  return true;
}

std::optional<AllocClient::Made> AllocClient::create_system_surface(dxgk::StandardKind kind) {
  auto data = dxgk::standard_data(graphics_.adapter(), kBytes, kind);
  if (!data.ok()) return std::nullopt;
  D3DKMT_CREATEALLOCATION args{};
  args.Flags.CreateResource = args.Flags.CreateShared = 1;
  args.Flags.CrossAdapter = kind == dxgk::StandardKind::CrossAdapter;
  D3DDDI_ALLOCATIONINFO2 form{};
  form.Flags.Primary = kind == dxgk::StandardKind::Primary;
  return create(args, data.value(), 1, form);
}

NTSTATUS AllocClient::destroy_resource(const Made& made, D3DDDICB_DESTROYALLOCATION2FLAGS flags) {
  D3DKMT_DESTROYALLOCATION2 args{};
  args.hDevice = device_;
  args.hResource = made.resource;
  args.Flags = flags;
  return kmt::DestroyAllocation2(client(), &args);
}

NTSTATUS AllocClient::destroy_list(const std::vector<D3DKMT_HANDLE>& handles, D3DDDICB_DESTROYALLOCATION2FLAGS flags) {
  D3DKMT_DESTROYALLOCATION2 args{};
  args.hDevice = device_;
  args.phAllocationList = handles.data();
  args.AllocationCount = static_cast<UINT>(handles.size());
  args.Flags = flags;
  return kmt::DestroyAllocation2(client(), &args);
}

// What the two ways to open have in common: room for what the query told, then the call.
template <typename Query, typename Args>
std::optional<AllocClient::Made> AllocClient::open_as(const Query& query, Args args,
                                                      NTSTATUS (*thunk)(kmt::Client&, Args*)) {
  std::vector<uint8_t> driver_data(query.TotalPrivateDriverDataSize),
      resource_data(query.ResourcePrivateDriverDataSize);
  std::vector<D3DDDI_OPENALLOCATIONINFO2> infos(query.NumAllocations);
  args.hDevice = device_;
  args.NumAllocations = query.NumAllocations;
  args.pOpenAllocationInfo2 = infos.data();
  args.PrivateRuntimeDataSize = query.PrivateRuntimeDataSize;
  args.ResourcePrivateDriverDataSize = query.ResourcePrivateDriverDataSize;
  args.pResourcePrivateDriverData = resource_data.data();
  args.TotalPrivateDriverDataBufferSize = query.TotalPrivateDriverDataSize;
  args.pTotalPrivateDriverDataBuffer = driver_data.data();
  if (answered("OpenResource2", thunk(client(), &args)) < 0) return std::nullopt;
  Made made{args.hResource, 0, {}};
  for (const auto& info : infos) made.allocations.push_back(info.hAllocation);
  return made;
}

std::optional<AllocClient::Made> AllocClient::open(D3DKMT_HANDLE global_share) {
  D3DKMT_QUERYRESOURCEINFO query{};
  query.hDevice = device_;
  query.hGlobalShare = global_share;
  if (answered("QueryResourceInfo", kmt::QueryResourceInfo(client(), &query)) < 0) return std::nullopt;
  D3DKMT_OPENRESOURCE args{};
  args.hGlobalShare = global_share;
  return open_as(query, args, &kmt::OpenResource2);
}

std::optional<HANDLE> AllocClient::share(const Made& made) {
  D3DKMT_HANDLE resource = made.resource;
  OBJECT_ATTRIBUTES attributes{};
  attributes.Length = sizeof(attributes);
  HANDLE handle = nullptr;
  kmt::ShareObjectsArgs args{1, &resource, &attributes, READ_CONTROL | SHARED_ALLOCATION_WRITE, &handle};
  if (answered("ShareObjects", kmt::ShareObjects(client(), &args)) < 0) return std::nullopt;
  return handle;
}

std::optional<AllocClient::Made> AllocClient::open(HANDLE nt_handle) {
  D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE query{};
  query.hDevice = device_;
  query.hNtHandle = nt_handle;
  if (answered("QueryResourceInfoFromNtHandle", kmt::QueryResourceInfoFromNtHandle(client(), &query)) < 0)
    return std::nullopt;
  D3DKMT_OPENRESOURCEFROMNTHANDLE args{};
  args.hNtHandle = nt_handle;
  return open_as(query, args, &kmt::OpenResourceFromNtHandle);
}

NTSTATUS AllocClient::lose_device() {
  D3DKMT_MARKDEVICEASERROR args{};
  args.hDevice = device_;
  args.Reason = D3DKMT_DEVICE_ERROR_REASON_GENERIC;
  return kmt::MarkDeviceAsError(client(), &args);
}

void AllocClient::destroy_device() {
  D3DKMT_DESTROYDEVICE args{std::exchange(device_, 0)};
  static_cast<void>(kmt::DestroyDevice(client(), &args));
}

dxgk::Device* AllocClient::device_object() {
  auto found = client().process().handles().get<dxgk::Device>(device_);
  return found.ok() ? &*found.take() : nullptr;  // the handle keeps it
}

}  // namespace host
