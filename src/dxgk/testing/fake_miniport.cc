#include "dxgk/testing/fake_miniport.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "base/check.h"

namespace dxgk::testing {
namespace {

// DxgkDdiAddDevice and DxgkDdiUnload are told nothing that leads back to a driver's own data.
FakeMiniport* g_current = nullptr;

uint32_t version_of(Model model) {
  switch (model) {
    case Model::Wddm13:
    case Model::RenderOnly:
      return static_cast<uint32_t>(InterfaceVersion::Wddm1_3);
    case Model::Wddm20:
      return static_cast<uint32_t>(InterfaceVersion::Wddm2_0);
    case Model::ComputeOnly:
      return static_cast<uint32_t>(InterfaceVersion::Wddm2_6);
    case Model::DisplayOnly:
      return static_cast<uint32_t>(InterfaceVersion::Win8);
  }
  return 0;
}

DriverKind kind_of(Model model) {
  switch (model) {
    case Model::RenderOnly:
      return DriverKind::RenderOnly;
    case Model::ComputeOnly:
      return DriverKind::ComputeOnly;
    case Model::DisplayOnly:
      return DriverKind::DisplayOnly;
    default:
      return DriverKind::Full;
  }
}

template <typename Out>
NTSTATUS put(const DXGKARG_QUERYADAPTERINFO& args, const Out& value) {
  if (args.OutputDataSize < sizeof(value)) return STATUS_INVALID_PARAMETER;
  std::memcpy(args.pOutputData, &value, sizeof(value));
  return STATUS_SUCCESS;
}

DXGK_SEGMENTDESCRIPTOR4 segment(bool aperture, uint64_t base, uint64_t bytes) {
  DXGK_SEGMENTDESCRIPTOR4 descriptor{};
  descriptor.Flags.Aperture = aperture;
  descriptor.Flags.CpuVisible = aperture;
  descriptor.BaseAddress.QuadPart = static_cast<LONGLONG>(base);
  descriptor.Size = descriptor.CommitLimit = bytes;
  return descriptor;
}

// As a descriptor of an older version.
template <typename Descriptor>
Descriptor older(const DXGK_SEGMENTDESCRIPTOR4& from) {
  Descriptor to{};
  to.Flags = from.Flags;
  to.BaseAddress = from.BaseAddress;
  to.CpuTranslatedAddress = from.CpuTranslatedAddress;
  to.Size = from.Size;
  to.CommitLimit = from.CommitLimit;
  return to;
}

}  // namespace

FakeMiniport::FakeMiniport(Model its_model) : model(its_model) {
  CHECK_MSG(!g_current, "one fake driver at a time");
  g_current = this;
  table.Version = version_of(model);
  describe_itself();
  fill_table();
}

FakeMiniport::~FakeMiniport() { g_current = nullptr; }

HANDLE FakeMiniport::context() { return g_current; }

void FakeMiniport::describe_itself() {
  DriverKind kind = kind_of(model);
  bool display = kind == DriverKind::Full || kind == DriverKind::DisplayOnly;
  bool graphics = kind == DriverKind::Full || kind == DriverKind::RenderOnly;
  bool mmu_model = model == Model::Wddm20 || model == Model::ComputeOnly;
  sources = display ? 1 : 0;
  children = display ? 1 : 0;
  caps.HighestAcceptableAddress.QuadPart = INT64_MAX;
  caps.WDDMVersion = model == Model::Wddm20        ? DXGKDDI_WDDMv2
                     : model == Model::ComputeOnly ? DXGKDDI_WDDMv2_6
                     : model == Model::DisplayOnly ? DXGKDDI_WDDMv1_2
                                                   : DXGKDDI_WDDMv1_3;
  caps.SupportNonVGA = caps.SupportSmoothRotation = display;
  if (kind == DriverKind::DisplayOnly) return;
  caps.PreemptionCaps.ComputePreemptionGranularity = D3DKMDT_COMPUTE_PREEMPTION_DMA_BUFFER_BOUNDARY;
  if (graphics) {
    caps.PreemptionCaps.GraphicsPreemptionGranularity = D3DKMDT_GRAPHICS_PREEMPTION_DMA_BUFFER_BOUNDARY;
    caps.FlipCaps.FlipOnVSyncMmIo = 1;
    caps.FlipCaps.FlipIndependent = 1;
    caps.PresentationCaps.SupportKernelModeCommandBuffer = 1;
    caps.PresentationCaps.AlignmentShift = 2;
  }
  caps.SupportPerEngineTDR = TRUE;
  caps.SupportDirectFlip = kind == DriverKind::Full;
  caps.SchedulingCaps.MultiEngineAware = 1;
  caps.SchedulingCaps.PreemptionAware = 1;
  caps.GpuEngineTopology.NbAsymetricProcessingNodes = nodes;
  caps.MiscCaps.ComputeOnly = kind == DriverKind::ComputeOnly;
  segments = {segment(true, 0, 0x1000'0000), segment(false, 0, 0x0400'0000)};
  if (!mmu_model) return;
  caps.MemoryManagementCaps.VirtualAddressingSupported = 1;
  caps.MemoryManagementCaps.GpuMmuSupported = 1;
  mmu.PageTableUpdateMode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
  mmu.VirtualAddressBitCount = 48;
  mmu.PageTableLevelCount = 4;
  levels.assign(4, DXGK_PAGE_TABLE_LEVEL_DESC{9, 2, 2, 4096, 4096});
}

void FakeMiniport::fail(Ddi ddi, NTSTATUS status, uint32_t nth_call) { failing_[ddi] = {status, nth_call}; }

size_t FakeMiniport::calls(Ddi ddi) const {
  auto found = calls_.find(ddi);
  return found == calls_.end() ? 0 : found->second;
}

bool FakeMiniport::empty() const { return objects_.empty(); }

std::optional<NTSTATUS> FakeMiniport::enter(Ddi ddi, const std::string& detail) {
  std::string name = row(ddi).name;
  name.erase(0, std::strlen("DxgkDdi"));
  {
    // Calls of two processes overlap in a driver, on two real threads of a live machine too.
    static std::mutex lock;
    std::lock_guard<std::mutex> guard(lock);
    log.push_back(detail.empty() ? name : fmt::format("{}({})", name, detail));
    ++calls_[ddi];
  }
  auto hook = at.find(ddi);
  if (hook != at.end()) hook->second();
  auto failing = failing_.find(ddi);
  if (failing == failing_.end() || --failing->second.calls_left != 0) return std::nullopt;
  NTSTATUS status = failing->second.status;
  failing_.erase(failing);
  return status;
}

// --- Its objects ---

HANDLE FakeMiniport::make(const std::string& kind, HANDLE parent, HANDLE device) {
  bool own = make_handle && (kind == "allocation" || kind == "resource");
  HANDLE handle = own ? make_handle() : reinterpret_cast<HANDLE>(next_handle_ += 0x10);
  objects_[handle] = {kind, parent, device};
  return handle;
}

void FakeMiniport::renamed(HANDLE before, HANDLE now) {
  auto moved = objects_.extract(before);
  moved.key() = now;
  objects_.insert(std::move(moved));
  for (auto& [handle, object] : objects_) {
    if (object.parent == before) object.parent = now;
  }
}

FakeMiniport::Object* FakeMiniport::find(HANDLE handle, const std::string& kind, Ddi ddi) {
  auto found = objects_.find(handle);
  if (found != objects_.end() && found->second.kind == kind) return &found->second;
  complaints.push_back(fmt::format("{}: {} is no {} of mine", row(ddi).name, handle, kind));
  return nullptr;
}

bool FakeMiniport::has_child(HANDLE handle) const {
  return std::any_of(objects_.begin(), objects_.end(),
                     [&](const auto& each) { return each.second.parent == handle || each.second.device == handle; });
}

void FakeMiniport::destroy(HANDLE handle, const std::string& kind, Ddi ddi) {
  if (!find(handle, kind, ddi)) return;
  if (has_child(handle)) complaints.push_back(fmt::format("{}: the {} is still in use", row(ddi).name, kind));
  objects_.erase(handle);
}

void FakeMiniport::release_handle_data() {
  for (HANDLE held : held_) interface.DxgkCbReleaseHandleData({held, DXGK_HANDLE_ALLOCATION});
  held_.clear();
}

// The kernel's handle of an allocation, resolved as a driver of its version does.
HANDLE FakeMiniport::own_allocation(D3DKMT_HANDLE handle, Ddi ddi) {
  DXGKARGCB_GETHANDLEDATA wanted{};
  wanted.hObject = handle;
  wanted.Type = DXGK_HANDLE_ALLOCATION;
  HANDLE data = nullptr;
  if (table.Version >= static_cast<uint32_t>(InterfaceVersion::Wddm2_0)) {
    HANDLE release = nullptr;
    data = interface.DxgkCbAcquireHandleData(&wanted, &release);
    if (hold_handle_data && release) {
      held_.push_back(release);
    } else if (release) {
      interface.DxgkCbReleaseHandleData({release, DXGK_HANDLE_ALLOCATION});
    }
  } else {
    data = interface.DxgkCbGetHandleData(&wanted);
  }
  return find(data, "allocation", ddi) ? data : nullptr;
}

NTSTATUS FakeMiniport::answer(const DXGKARG_QUERYADAPTERINFO& args) {
  auto instead = query_status.find(args.Type);
  if (instead != query_status.end()) return instead->second;
  auto describe_paging = [this](auto& out) {
    out.NbSegment = static_cast<UINT>(segments.size());
    out.PagingBufferSegmentId = paging_segment;
    out.PagingBufferSize = paging_buffer_bytes;
    out.PagingBufferPrivateDataSize = paging_private_bytes;
    return STATUS_SUCCESS;
  };
  // A fuzzer may have changed the number that the first query gave: the kernel has room for that many.
  auto described = [this](const auto& out) { return std::min<size_t>(out.NbSegment, segments.size()); };
  switch (args.Type) {
    case DXGKQAITYPE_DRIVERCAPS:
      std::memcpy(args.pOutputData, &caps, std::min<size_t>(args.OutputDataSize, sizeof(caps)));
      return STATUS_SUCCESS;
    case DXGKQAITYPE_PHYSICALADAPTERCAPS: {
      auto& out = *static_cast<DXGK_PHYSICALADAPTERCAPS*>(args.pOutputData);
      out.NumExecutionNodes = static_cast<WORD>(nodes);
      out.PagingNodeIndex = static_cast<WORD>(caps.MemoryManagementCaps.PagingNode);
      return STATUS_SUCCESS;
    }
    case DXGKQAITYPE_GPUMMUCAPS:
      return put(args, mmu);
    case DXGKQAITYPE_PAGETABLELEVELDESC:
      return put(args, levels.at(static_cast<DXGK_QUERYPAGETABLELEVELDESCIN*>(args.pInputData)->LevelIndex));
    case DXGKQAITYPE_HISTORYBUFFERPRECISION:
      return put(args, DXGKARG_HISTORYBUFFERPRECISION{64});
    case DXGKQAITYPE_QUERYSEGMENT: {
      auto& out = *static_cast<DXGK_QUERYSEGMENTOUT*>(args.pOutputData);
      for (size_t i = 0; out.pSegmentDescriptor && i < described(out); ++i) {
        out.pSegmentDescriptor[i] = older<DXGK_SEGMENTDESCRIPTOR>(segments[i]);
      }
      return describe_paging(out);
    }
    case DXGKQAITYPE_QUERYSEGMENT3: {
      auto& out = *static_cast<DXGK_QUERYSEGMENTOUT3*>(args.pOutputData);
      for (size_t i = 0; out.pSegmentDescriptor && i < described(out); ++i) {
        out.pSegmentDescriptor[i] = older<DXGK_SEGMENTDESCRIPTOR3>(segments[i]);
      }
      return describe_paging(out);
    }
    case DXGKQAITYPE_QUERYSEGMENT4: {
      auto& out = *static_cast<DXGK_QUERYSEGMENTOUT4*>(args.pOutputData);
      for (size_t i = 0; out.pSegmentDescriptor && i < described(out); ++i) {
        std::memcpy(out.pSegmentDescriptor + i * out.SegmentDescriptorStride, &segments[i], sizeof(segments[i]));
      }
      return describe_paging(out);
    }
    default:
      return STATUS_NOT_SUPPORTED;
  }
}

// --- Its functions ---

struct FakeMiniport::Ddis {
  static FakeMiniport& self() { return *g_current; }

  // For a slot that is only there to be there.
  template <Ddi ddi, typename Function>
  struct Plain {
    static void fill(Function&) {}  // no signature is documented
  };
  template <Ddi ddi, typename R, typename... Params>
  struct Plain<ddi, R (*)(Params...)> {
    static R call(Params...) {
      auto status = self().enter(ddi);
      if constexpr (std::is_same_v<R, NTSTATUS>) {
        return status.value_or(STATUS_SUCCESS);
      } else if constexpr (!std::is_void_v<R>) {
        return R{};
      }
    }
    static void fill(R (*&slot)(Params...)) { slot = &call; }
  };

  static NTSTATUS add_device(const PDEVICE_OBJECT, PVOID* context) {
    if (auto status = self().enter(Ddi::AddDevice)) return *status;
    *context = FakeMiniport::context();
    return STATUS_SUCCESS;
  }

  static NTSTATUS start_device(const PVOID context, PDXGK_START_INFO, PDXGKRNL_INTERFACE interface, PULONG sources,
                               PULONG children) {
    FakeMiniport& fake = self();
    if (context != FakeMiniport::context()) fake.complaints.push_back("DxgkDdiStartDevice: not my context");
    fake.interface = {};
    std::memcpy(&fake.interface, interface, std::min<size_t>(interface->Size, sizeof(fake.interface)));
    if (auto status = fake.enter(Ddi::StartDevice)) return *status;
    *sources = fake.sources;
    *children = fake.children;
    return STATUS_SUCCESS;
  }

  static NTSTATUS query_interface(const PVOID, PQUERY_INTERFACE) {
    return self().enter(Ddi::QueryInterface).value_or(STATUS_NOT_SUPPORTED);
  }

  static NTSTATUS query_child_relations(const PVOID, PDXGK_CHILD_DESCRIPTOR descriptors, ULONG bytes) {
    FakeMiniport& fake = self();
    auto status = fake.enter(Ddi::QueryChildRelations, std::to_string(bytes / sizeof(DXGK_CHILD_DESCRIPTOR)));
    if (status) return *status;
    for (ULONG i = 0; i < fake.children; ++i) {
      descriptors[i].ChildDeviceType = TypeVideoOutput;
      descriptors[i].ChildUid = i + 1;
    }
    return STATUS_SUCCESS;
  }

  static BOOLEAN interrupt_routine(const PVOID, ULONG) {
    self().enter(Ddi::InterruptRoutine);
    return TRUE;
  }

  static NTSTATUS set_power_state(const PVOID, ULONG, DEVICE_POWER_STATE state, POWER_ACTION) {
    auto status = self().enter(Ddi::SetPowerState, fmt::format("D{}", static_cast<int>(state) - PowerDeviceD0));
    return status.value_or(STATUS_SUCCESS);
  }

  static NTSTATUS query_adapter_info(IN_CONST_HANDLE, IN_CONST_PDXGKARG_QUERYADAPTERINFO args) {
    auto status = self().enter(Ddi::QueryAdapterInfo, std::to_string(args->Type));
    return status ? *status : self().answer(*args);
  }

  static NTSTATUS get_node_metadata(IN_CONST_HANDLE, UINT node, OUT_PDXGKARG_GETNODEMETADATA metadata) {
    if (auto status = self().enter(Ddi::GetNodeMetadata, std::to_string(node))) return *status;
    if (node >= self().nodes) return STATUS_INVALID_PARAMETER;
    metadata->EngineType = self().engine(node);
    return STATUS_SUCCESS;
  }

  static NTSTATUS create_process(IN_CONST_HANDLE, INOUT_PDXGKARG_CREATEPROCESS args) {
    auto status = self().enter(Ddi::CreateProcess, args->Flags.SystemProcess ? "system" : "");
    if (status) return *status;
    args->hKmdProcess = self().make("process");
    return STATUS_SUCCESS;
  }
  static NTSTATUS destroy_process(IN_CONST_HANDLE, IN_CONST_HANDLE process) {
    auto status = self().enter(Ddi::DestroyProcess);
    self().destroy(process, "process", Ddi::DestroyProcess);
    return status.value_or(STATUS_SUCCESS);
  }

  static NTSTATUS create_device(IN_CONST_HANDLE, INOUT_PDXGKARG_CREATEDEVICE args) {
    auto status = self().enter(Ddi::CreateDevice, args->Flags.SystemDevice ? "system" : "");
    if (status) return *status;
    if (args->hKmdProcess) self().find(args->hKmdProcess, "process", Ddi::CreateDevice);
    args->hDevice = self().make("device", args->hKmdProcess);
    return STATUS_SUCCESS;
  }
  static NTSTATUS destroy_device(IN_CONST_HANDLE device) {
    auto status = self().enter(Ddi::DestroyDevice);
    self().destroy(device, "device", Ddi::DestroyDevice);
    return status.value_or(STATUS_SUCCESS);
  }

  static NTSTATUS create_context(IN_CONST_HANDLE device, INOUT_PDXGKARG_CREATECONTEXT args) {
    FakeMiniport& fake = self();
    auto status = fake.enter(Ddi::CreateContext, fmt::format("{:#x} node {}", args->Flags.Value, args->NodeOrdinal));
    if (status) return *status;
    fake.find(device, "device", Ddi::CreateContext);
    if (fake.create_context && !args->Flags.SystemContext) {
      NTSTATUS refused = fake.create_context(*args);
      if (refused < 0) return refused;
    }
    args->hContext = fake.make("context", nullptr, device);
    args->ContextInfo = fake.context_info;
    return STATUS_SUCCESS;
  }
  static NTSTATUS destroy_context(IN_CONST_HANDLE context) {
    auto status = self().enter(Ddi::DestroyContext);
    if (self().destroy_context) self().destroy_context(context);
    self().destroy(context, "context", Ddi::DestroyContext);
    return status.value_or(STATUS_SUCCESS);
  }

  static NTSTATUS submit_command_virtual(IN_CONST_HANDLE, IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL args) {
    FakeMiniport& fake = self();
    if (auto status = fake.enter(Ddi::SubmitCommandVirtual, fmt::format("{}", args->SubmissionFenceId))) return *status;
    return fake.submit_virtual ? fake.submit_virtual(*args) : STATUS_SUCCESS;
  }

  static NTSTATUS create_allocation(IN_CONST_HANDLE, INOUT_PDXGKARG_CREATEALLOCATION args) {
    FakeMiniport& fake = self();
    if (auto status = fake.enter(Ddi::CreateAllocation, std::to_string(args->NumAllocations))) return *status;
    if (args->Flags.Resource && !args->hResource) args->hResource = fake.make("resource");
    if (args->Flags.Resource) fake.find(args->hResource, "resource", Ddi::CreateAllocation);
    for (UINT i = 0; i < args->NumAllocations; ++i) {
      DXGK_ALLOCATIONINFO& info = args->pAllocationInfo[i];
      uint64_t bytes = fake.allocation_bytes;
      if (info.PrivateDriverDataSize >= sizeof(bytes)) std::memcpy(&bytes, info.pPrivateDriverData, sizeof(bytes));
      info.Size = bytes ? bytes : fake.allocation_bytes;
      info.Flags.CpuVisible = 1;
      info.SupportedWriteSegmentSet = 1;
      info.SupportedReadSegmentSet = 1;
      info.PreferredSegment.SegmentId0 = 1;
      info.AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
      info.hAllocation = fake.make("allocation", args->Flags.Resource ? args->hResource : nullptr);
      if (fake.describe) fake.describe(info, i);
    }
    return STATUS_SUCCESS;
  }

  static NTSTATUS destroy_allocation(IN_CONST_HANDLE, IN_CONST_PDXGKARG_DESTROYALLOCATION args) {
    FakeMiniport& fake = self();
    auto status = fake.enter(Ddi::DestroyAllocation,
                             std::to_string(args->NumAllocations) + (args->Flags.DestroyResource ? ", resource" : ""));
    for (UINT i = 0; i < args->NumAllocations; ++i) {
      fake.destroy(args->pAllocationList[i], "allocation", Ddi::DestroyAllocation);
    }
    if (args->Flags.DestroyResource) fake.destroy(args->hResource, "resource", Ddi::DestroyAllocation);
    if (fake.destroyed) fake.destroyed(*args);
    return status.value_or(STATUS_SUCCESS);
  }

  static NTSTATUS open_allocation(IN_CONST_HANDLE device, IN_CONST_PDXGKARG_OPENALLOCATION args) {
    FakeMiniport& fake = self();
    if (auto status = fake.enter(Ddi::OpenAllocation, std::to_string(args->NumAllocations))) return *status;
    fake.find(device, "device", Ddi::OpenAllocation);
    for (UINT i = 0; i < args->NumAllocations; ++i) {
      DXGK_OPENALLOCATIONINFO& info = args->pOpenAllocation[i];
      HANDLE allocation = fake.own_allocation(info.hAllocation, Ddi::OpenAllocation);
      info.hDeviceSpecificAllocation = fake.make("view", allocation, device);
      if (fake.scribble_on_open && info.PrivateDriverDataSize) ++*static_cast<uint8_t*>(info.pPrivateDriverData);
    }
    return STATUS_SUCCESS;
  }

  static NTSTATUS close_allocation(IN_CONST_HANDLE device, IN_CONST_PDXGKARG_CLOSEALLOCATION args) {
    FakeMiniport& fake = self();
    auto status = fake.enter(Ddi::CloseAllocation, std::to_string(args->NumAllocations));
    fake.find(device, "device", Ddi::CloseAllocation);
    for (UINT i = 0; i < args->NumAllocations; ++i) {
      Object* view = fake.find(args->pOpenHandleList[i], "view", Ddi::CloseAllocation);
      if (view && view->device != device) {
        fake.complaints.push_back(fmt::format("{}: a view of another device", row(Ddi::CloseAllocation).name));
      }
      fake.destroy(args->pOpenHandleList[i], "view", Ddi::CloseAllocation);
    }
    return status.value_or(STATUS_SUCCESS);
  }

  static NTSTATUS build_paging_buffer(IN_CONST_HANDLE, IN_PDXGKARG_BUILDPAGINGBUFFER args) {
    FakeMiniport& fake = self();
    if (auto status = fake.enter(Ddi::BuildPagingBuffer, std::to_string(args->Operation))) return *status;
    return fake.build_paging ? fake.build_paging(*args) : STATUS_SUCCESS;
  }

  // One block of private data, which begins with the size of the surface.
  static NTSTATUS standard_allocation(IN_CONST_HANDLE, INOUT_PDXGKARG_GETSTANDARDALLOCATIONDRIVERDATA args) {
    FakeMiniport& fake = self();
    bool sizes = !args->pAllocationPrivateDriverData;
    if (auto status = fake.enter(Ddi::GetStandardAllocationDriverData, sizes ? "sizes" : "data")) return *status;
    args->AllocationPrivateDriverDataSize = fake.standard_data_bytes;
    uint64_t bytes = args->pCreateGdiSurfaceData->Width;
    if (!sizes) std::memcpy(args->pAllocationPrivateDriverData, &bytes, std::min<size_t>(8, fake.standard_data_bytes));
    args->pCreateGdiSurfaceData->Pitch = args->pCreateGdiSurfaceData->Width;
    return STATUS_SUCCESS;
  }
};

// A plain function for each slot that its kind needs, then those that do something.
void FakeMiniport::fill_table() {
  DriverKind kind = kind_of(model);
  auto wanted = [&](Ddi ddi) {
    return row(ddi).needed.has(kind) && static_cast<uint32_t>(row(ddi).since) <= table.Version;
  };
  struct : DRIVER_INITIALIZATION_DATA {
    PDXGKDDI_PRESENTDISPLAYONLY DxgkDdiPresentDisplayOnly;
  } all{};
#define DDI(name, ...) \
  if (wanted(Ddi::name)) Ddis::Plain<Ddi::name, decltype(all.DxgkDdi##name)>::fill(all.DxgkDdi##name);
#include "dxgk/ddi/ddi.def"
  all.Version = table.Version;
  table = all;
  table.DxgkDdiAddDevice = &Ddis::add_device;
  table.DxgkDdiStartDevice = &Ddis::start_device;
  table.DxgkDdiQueryInterface = &Ddis::query_interface;
  table.DxgkDdiQueryChildRelations = &Ddis::query_child_relations;
  table.DxgkDdiInterruptRoutine = &Ddis::interrupt_routine;
  table.DxgkDdiSetPowerState = &Ddis::set_power_state;
  table.DxgkDdiQueryAdapterInfo = &Ddis::query_adapter_info;
  if (kind == DriverKind::DisplayOnly) return;
  table.DxgkDdiGetNodeMetadata = &Ddis::get_node_metadata;
  table.DxgkDdiCreateDevice = &Ddis::create_device;
  table.DxgkDdiDestroyDevice = &Ddis::destroy_device;
  table.DxgkDdiCreateContext = &Ddis::create_context;
  table.DxgkDdiDestroyContext = &Ddis::destroy_context;
  table.DxgkDdiCreateAllocation = &Ddis::create_allocation;
  table.DxgkDdiDestroyAllocation = &Ddis::destroy_allocation;
  table.DxgkDdiOpenAllocation = &Ddis::open_allocation;
  table.DxgkDdiCloseAllocation = &Ddis::close_allocation;
  table.DxgkDdiBuildPagingBuffer = &Ddis::build_paging_buffer;
  table.DxgkDdiGetStandardAllocationDriverData = &Ddis::standard_allocation;
#define PLAIN(name) Ddis::Plain<Ddi::name, decltype(table.DxgkDdi##name)>::fill(table.DxgkDdi##name)
  if (kind != DriverKind::ComputeOnly) {
    PLAIN(RenderKm);
    fill_presenting();
  }
  if (caps.MemoryManagementCaps.GpuMmuSupported) {
    table.DxgkDdiCreateProcess = &Ddis::create_process;
    table.DxgkDdiDestroyProcess = &Ddis::destroy_process;
    PLAIN(SetRootPageTable);
    table.DxgkDdiSubmitCommandVirtual = &Ddis::submit_command_virtual;
    PLAIN(GetRootPageTableSize);
  } else {
    fill_rendering();
  }
#undef PLAIN
}

}  // namespace dxgk::testing
