// D3DKMTQueryAdapterInfo: a table of the known queries, each with the size of its answer and the function that makes
// it.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "dxgk/adapter/adapter_hardware.h"
#include "dxgk/ddi/call_buffer.h"
#include "dxgk/ddi/thread_context.h"
#include "kmt/adapter/driver_version.h"
#include "kmt/adapter/open_adapter.h"
#include "kmt/client/raw_enum.h"
#include "kmt/client/scratch.h"
#include "kmt/client/thunks.h"
#include "kmt/memory/memory_groups.h"

namespace kmt {
namespace {

// One query about a started adapter.
struct Query {
  Client& client;
  dxgk::Adapter& adapter;
  const dxgk::AdapterCaps& caps() const { return adapter.caps(); }
};

base::Failure refuse(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

template <size_t N>
void put(WCHAR (&to)[N], std::string_view text) {
  std::fill(std::begin(to), std::end(to), WCHAR{0});
  std::copy_n(text.begin(), std::min(text.size(), N - 1), to);
}

// Adapters have no identity beyond a run: they are told apart by their LUID.
GUID guid_of(const dxgk::Adapter& adapter) {
  GUID guid{adapter.luid().LowPart, static_cast<USHORT>(adapter.luid().HighPart), 0, {}};
  std::memcpy(guid.Data4, "drydock", sizeof(guid.Data4));
  return guid;
}

base::Result<> check_physical_index(UINT index) {
  if (index != 0) return refuse("there is one physical adapter");
  return {};
}

base::Result<> umd_name(Query& query, D3DKMT_UMDFILENAMEINFO& answer) {
  const auto& names = query.adapter.hardware().user_mode_drivers;
  if (raw(answer.Version) >= names.size()) return refuse("no user-mode driver for this version of Direct3D");
  put(answer.UmdFileName, names[raw(answer.Version)]);
  return {};
}

base::Result<> segment_size(Query& query, D3DKMT_SEGMENTSIZEINFO& answer) {
  MemoryGroups groups = memory_groups(query.caps());
  answer = {.DedicatedVideoMemorySize = groups.local,
            .DedicatedSystemMemorySize = 0,
            .SharedSystemMemorySize = groups.non_local};
  return {};
}

base::Result<> segment_group_size(Query& query, D3DKMT_SEGMENTGROUPSIZEINFO& answer) {
  TRY(check_physical_index(answer.PhysicalAdapterIndex));
  TRY(segment_size(query, answer.LegacyInfo));
  MemoryGroups groups = memory_groups(query.caps());
  answer.LocalMemory = groups.local;
  answer.NonLocalMemory = groups.non_local;
  answer.NonBudgetMemory = 0;
  return {};
}

base::Result<> adapter_guid(Query& query, GUID& answer) {
  answer = guid_of(query.adapter);
  return {};
}

base::Result<> unique_guid(Query& query, D3DKMT_QUERY_ADAPTER_UNIQUE_GUID& answer) {
  GUID guid = guid_of(query.adapter);
  const UCHAR* d = guid.Data4;
  put(answer.AdapterUniqueGUID,
      fmt::format("{{{:08X}-{:04X}-{:04X}-{:02X}{:02X}-{:02X}{:02X}{:02X}{:02X}{:02X}{:02X}}}", guid.Data1, guid.Data2,
                  guid.Data3, d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]));
  return {};
}

base::Result<> registry_info(Query& query, D3DKMT_ADAPTERREGISTRYINFO& answer) {
  put(answer.AdapterString, query.adapter.name());
  put(answer.BiosString, "");
  put(answer.DacType, "");
  put(answer.ChipType, query.adapter.name());
  return {};
}

base::Result<> description(Query& query, D3DKMT_DRIVER_DESCRIPTION& answer) {
  put(answer.DriverDescription, query.adapter.name());
  return {};
}

base::Result<> no(Query&, BOOL& answer) {
  answer = FALSE;
  return {};
}

base::Result<> virtual_address_info(Query& query, D3DKMT_VIRTUALADDRESSINFO& answer) {
  answer.VirtualAddressFlags = {};
  answer.VirtualAddressFlags.VirtualAddressSupported = query.caps().gpu_mmu || query.caps().io_mmu;
  return {};
}

base::Result<> version(Query& query, UINT& answer) {
  answer = driver_version(query.caps().version);
  return {};
}

base::Result<> adapter_type(Query& query, D3DKMT_ADAPTERTYPE& answer) {
  using dxgk::DriverKind;
  const dxgk::AdapterCaps& caps = query.caps();
  answer.Value = 0;
  answer.RenderSupported = caps.kind != DriverKind::DisplayOnly;
  answer.DisplaySupported = caps.sources != 0;
  answer.PostDevice = query.adapter.hardware().post_device;
  answer.HybridDiscrete = caps.driver.HybridDiscrete != 0;
  answer.HybridIntegrated = caps.driver.HybridIntegrated != 0;
  answer.Paravirtualized = query.client.like_wsl();
  answer.Detachable = caps.driver.MiscCaps.Detachable;
  answer.ComputeOnly = caps.kind == DriverKind::ComputeOnly;
  return {};
}

base::Result<> caps_1_2(Query& query, D3DKMT_WDDM_1_2_CAPS& answer) {
  const DXGK_DRIVERCAPS& driver = query.caps().driver;
  answer.PreemptionCaps = driver.PreemptionCaps;
  answer.Value = 0;
  answer.SupportNonVGA = driver.SupportNonVGA != 0;
  answer.SupportSmoothRotation = driver.SupportSmoothRotation != 0;
  answer.SupportPerEngineTDR = driver.SupportPerEngineTDR != 0;
  answer.SupportSurpriseRemovalInHibernation = driver.SupportSurpriseRemovalInHibernation != 0;
  return {};
}

base::Result<> caps_1_3(Query& query, D3DKMT_WDDM_1_3_CAPS& answer) {
  answer.Value = 0;
  answer.IsHybridIntegratedGPU = query.caps().driver.HybridIntegrated != 0;
  answer.IsHybridDiscreteGPU = query.caps().driver.HybridDiscrete != 0;
  return {};
}

base::Result<> caps_2_0(Query& query, D3DKMT_WDDM_2_0_CAPS& answer) {
  answer.Value = 0;
  answer.GpuMmuSupported = query.caps().gpu_mmu;
  answer.IoMmuSupported = query.caps().io_mmu;
  answer.SupportContextlessPresent = query.caps().driver.MiscCaps.SupportContextlessPresent;
  answer.SupportSurpriseRemoval = query.caps().driver.SupportSurpriseRemoval != 0;
  return {};
}

base::Result<> caps_2_7(Query& query, D3DKMT_WDDM_2_7_CAPS& answer) {
  answer.Value = 0;
  answer.IndependentVidPnVSyncControl = query.caps().driver.MiscCaps.IndependentVidPnVSyncControl;
  return {};
}

base::Result<> caps_3_0(Query& query, D3DKMT_WDDM_3_0_CAPS& answer) {
  answer.Value = 0;
  answer.DisplayableSupported = query.caps().driver.MiscCaps.DisplayableSupport;
  return {};
}

base::Result<> no_caps(Query&, UINT& answer) {
  answer = 0;
  return {};
}

base::Result<> gpu_mmu_caps(Query& query, D3DKMT_QUERY_GPUMMU_CAPS& answer) {
  TRY(check_physical_index(answer.PhysicalAdapterIndex));
  answer.Caps = {};
  if (!query.caps().gpu_mmu) return {};
  answer.Caps.Flags.ReadOnlyMemorySupported = query.caps().mmu.ReadOnlyMemorySupported;
  answer.Caps.Flags.NoExecuteMemorySupported = query.caps().mmu.NoExecuteMemorySupported;
  answer.Caps.Flags.CacheCoherentMemorySupported = query.caps().mmu.CacheCoherentMemorySupported;
  answer.Caps.VirtualAddressBitCount = query.caps().mmu.VirtualAddressBitCount;
  return {};
}

// The driver's answer. NodeOrdinalAndAdapterIndex: the node in the lower half, the adapter in the upper.
base::Result<> node_metadata(Query& query, D3DKMT_NODEMETADATA& answer) {
  UINT node = answer.NodeOrdinalAndAdapterIndex & 0xFFFF;
  TRY(check_physical_index(answer.NodeOrdinalAndAdapterIndex >> 16));
  if (node >= query.caps().nodes) return refuse("no such node");
  dxgk::Miniport& miniport = query.adapter.miniport();
  if (!miniport.has(&DRIVER_INITIALIZATION_DATA::DxgkDdiGetNodeMetadata)) {
    return base::Failure(STATUS_NOT_SUPPORTED, "the driver has no DxgkDdiGetNodeMetadata");
  }
  auto on_adapter = TRY(query.client.process().on(query.adapter));
  dxgk::ParkingLock lock(on_adapter->mutex());
  dxgk::ThreadContext context(&query.client.process());
  DXGKARG_GETNODEMETADATA data{};
  NTSTATUS status =
      miniport.call(dxgk::Ddi::GetNodeMetadata, &DRIVER_INITIALIZATION_DATA::DxgkDdiGetNodeMetadata,
                    &query.adapter.scope(), query.adapter.context(), answer.NodeOrdinalAndAdapterIndex, &data);
  if (status < 0) return base::Failure(status, "the driver does not describe the node (DxgkDdiGetNodeMetadata)");
  answer.NodeData = data;
  return {};
}

base::Result<> physical_count(Query&, D3DKMT_PHYSICAL_ADAPTER_COUNT& answer) {
  answer.Count = 1;
  return {};
}

// From the header of the configuration space, where a bus would look.
base::Result<> device_ids(Query& query, D3DKMT_QUERY_DEVICE_IDS& answer) {
  constexpr UINT kBusTypePci = 5;  // PCIBus of INTERFACE_TYPE
  TRY(check_physical_index(answer.PhysicalAdapterIndex));
  nt::Device* device = query.adapter.hardware().device;
  if (!device) return base::Failure(STATUS_NOT_SUPPORTED, "the adapter is on no bus that could be asked");
  answer.DeviceIds = {.VendorID = device->config_read(0x00, 2),
                      .DeviceID = device->config_read(0x02, 2),
                      .SubVendorID = device->config_read(0x2C, 2),
                      .SubSystemID = device->config_read(0x2E, 2),
                      .RevisionID = device->config_read(0x08, 1),
                      .BusType = kBusTypePci};
  return {};
}

// There is no registry: no value is found in it.
base::Result<> registry(Query&, D3DDDI_QUERYREGISTRY_INFO& answer) {
  if (raw(answer.QueryType) >= D3DDDI_QUERYREGISTRY_MAX) return refuse("a key of the registry that does not exist");
  TRY(check_physical_index(answer.PhysicalAdapterIndex));
  answer.OutputValueSize = 0;
  answer.Status = D3DDDI_QUERYREGISTRY_STATUS_FAIL;
  return {};
}

struct Row {
  uint32_t type;
  UINT bytes;
  base::Result<> (*fill)(Query& query, void* answer);
};

template <typename T, base::Result<> (*fill)(Query&, T&)>
constexpr Row row(KMTQUERYADAPTERINFOTYPE type) {
  return {static_cast<uint32_t>(type), sizeof(T),
          [](Query& query, void* answer) { return fill(query, *static_cast<T*>(answer)); }};
}

constexpr Row kRows[] = {
    row<D3DKMT_UMDFILENAMEINFO, umd_name>(KMTQAITYPE_UMDRIVERNAME),
    row<D3DKMT_SEGMENTSIZEINFO, segment_size>(KMTQAITYPE_GETSEGMENTSIZE),
    row<GUID, adapter_guid>(KMTQAITYPE_ADAPTERGUID),
    row<D3DKMT_ADAPTERREGISTRYINFO, registry_info>(KMTQAITYPE_ADAPTERREGISTRYINFO),
    row<BOOL, no>(KMTQAITYPE_CHECKDRIVERUPDATESTATUS),
    row<D3DKMT_VIRTUALADDRESSINFO, virtual_address_info>(KMTQAITYPE_VIRTUALADDRESSINFO),
    row<UINT, version>(KMTQAITYPE_DRIVERVERSION),
    row<D3DKMT_ADAPTERTYPE, adapter_type>(KMTQAITYPE_ADAPTERTYPE),
    row<D3DKMT_WDDM_1_2_CAPS, caps_1_2>(KMTQAITYPE_WDDM_1_2_CAPS),
    row<BOOL, no>(KMTQAITYPE_DIRECTFLIP_SUPPORT),
    row<BOOL, no>(KMTQAITYPE_MULTIPLANEOVERLAY_SUPPORT),
    row<D3DKMT_WDDM_1_3_CAPS, caps_1_3>(KMTQAITYPE_WDDM_1_3_CAPS),
    row<D3DKMT_WDDM_2_0_CAPS, caps_2_0>(KMTQAITYPE_WDDM_2_0_CAPS),
    row<D3DKMT_NODEMETADATA, node_metadata>(KMTQAITYPE_NODEMETADATA),
    row<D3DKMT_PHYSICAL_ADAPTER_COUNT, physical_count>(KMTQAITYPE_PHYSICALADAPTERCOUNT),
    row<D3DKMT_QUERY_DEVICE_IDS, device_ids>(KMTQAITYPE_PHYSICALADAPTERDEVICEIDS),
    row<D3DKMT_QUERY_GPUMMU_CAPS, gpu_mmu_caps>(KMTQAITYPE_QUERY_GPUMMU_CAPS),
    row<D3DKMT_SEGMENTGROUPSIZEINFO, segment_group_size>(KMTQAITYPE_GETSEGMENTGROUPSIZE),
    row<D3DDDI_QUERYREGISTRY_INFO, registry>(KMTQAITYPE_QUERYREGISTRY),
    row<GUID, adapter_guid>(KMTQAITYPE_ADAPTERGUID_RENDER),
    row<D3DKMT_ADAPTERREGISTRYINFO, registry_info>(KMTQAITYPE_ADAPTERREGISTRYINFO_RENDER),
    row<BOOL, no>(KMTQAITYPE_CHECKDRIVERUPDATESTATUS_RENDER),
    row<UINT, version>(KMTQAITYPE_DRIVERVERSION_RENDER),
    row<D3DKMT_ADAPTERTYPE, adapter_type>(KMTQAITYPE_ADAPTERTYPE_RENDER),
    row<D3DKMT_WDDM_1_2_CAPS, caps_1_2>(KMTQAITYPE_WDDM_1_2_CAPS_RENDER),
    row<D3DKMT_WDDM_1_3_CAPS, caps_1_3>(KMTQAITYPE_WDDM_1_3_CAPS_RENDER),
    row<D3DKMT_QUERY_ADAPTER_UNIQUE_GUID, unique_guid>(KMTQAITYPE_QUERY_ADAPTER_UNIQUE_GUID),
    row<D3DKMT_DRIVER_DESCRIPTION, description>(KMTQAITYPE_DRIVER_DESCRIPTION),
    row<D3DKMT_DRIVER_DESCRIPTION, description>(KMTQAITYPE_DRIVER_DESCRIPTION_RENDER),
    row<D3DKMT_WDDM_2_7_CAPS, caps_2_7>(KMTQAITYPE_WDDM_2_7_CAPS),
    row<UINT, no_caps>(KMTQAITYPE_WDDM_2_9_CAPS),
    row<D3DKMT_WDDM_3_0_CAPS, caps_3_0>(KMTQAITYPE_WDDM_3_0_CAPS),
    row<UINT, no_caps>(KMTQAITYPE_WDDM_3_1_CAPS),
};

// The driver's own answer to its user-mode half, in the buffer that came with the question.
base::Result<> ask_driver(Query& query, const D3DKMT_QUERYADAPTERINFO& args) {
  ByteScratch data;
  TRY(data.make(args.PrivateDriverDataSize));
  TRY(query.client.memory().read(data.span(), args.pPrivateDriverData));
  auto on_adapter = TRY(query.client.process().on(query.adapter));
  dxgk::ParkingLock lock(on_adapter->mutex());
  dxgk::ConstCallBuffer input(query.adapter.machine(), data.span());
  ByteScratch answer;
  TRY(answer.make(data.size()));
  std::copy(data.begin(), data.end(), answer.begin());
  dxgk::CallBuffer output(query.adapter.machine(), answer.span());
  DXGKARG_QUERYADAPTERINFO ddi{};
  ddi.Type = DXGKQAITYPE_UMDRIVERPRIVATE;
  ddi.pInputData = input.data();
  ddi.InputDataSize = static_cast<UINT>(data.size());
  ddi.pOutputData = output.data();
  ddi.OutputDataSize = static_cast<UINT>(data.size());
  ddi.hKmdProcessHandle = on_adapter->driver_process();
  dxgk::ThreadContext context(&query.client.process());
  NTSTATUS status =
      query.adapter.miniport().call(dxgk::Ddi::QueryAdapterInfo, &DRIVER_INITIALIZATION_DATA::DxgkDdiQueryAdapterInfo,
                                    &query.adapter.scope(), query.adapter.context(), &ddi);
  input.check_unchanged("DxgkDdiQueryAdapterInfo");
  if (status < 0) return base::Failure(status, "the driver refused the question (DxgkDdiQueryAdapterInfo)");
  output.copy_back(answer.span());
  return query.client.memory().write(args.pPrivateDriverData, std::span<const uint8_t>(answer.span()));
}

}  // namespace

Answer serve::QueryAdapterInfo(Client& client, D3DKMT_QUERYADAPTERINFO* user) {
  auto args = TRY(client.memory().read(user));
  base::Ref<OpenAdapter> open = TRY(client.find<OpenAdapter>(args.hAdapter));
  if (!open->adapter().started()) return base::Failure(STATUS_DEVICE_REMOVED, "the adapter has been stopped");
  if (!args.pPrivateDriverData) return refuse("there is no room for the answer");
  Query query{client, open->adapter()};
  if (raw(args.Type) == KMTQAITYPE_UMDRIVERPRIVATE) return ask_driver(query, args);
  auto* found =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.type == raw(args.Type); });
  if (found == std::end(kRows)) return refuse("a question that is not known here");
  if (args.PrivateDriverDataSize < found->bytes) return refuse("the room for the answer is too small");
  Scratch<uint64_t, 128> answer;  // aligned for all of them
  TRY(answer.make((found->bytes + 7) / 8));
  auto* bytes = reinterpret_cast<uint8_t*>(answer.data());
  TRY(client.memory().read(std::span<uint8_t>(bytes, found->bytes), args.pPrivateDriverData));
  TRY(found->fill(query, answer.data()));
  return client.memory().write(args.pPrivateDriverData, std::span<const uint8_t>(bytes, found->bytes));
}

}  // namespace kmt
