#include "abi/shared/initguid.h"  // the interfaces' GUIDs are defined here
//
#include <fmt/format.h>

#include <cstring>

#include "base/raw_enum.h"
#include "dxgk/adapter/adapter_hardware.h"
#include "dxgk/adapter/adapter_interrupts.h"
#include "dxgk/adapter/adapter_start.h"
#include "dxgk/adapter/kernel.h"
#include "dxgk/adapter/system_devices.h"
#include "dxgk/ddi/call_buffer.h"
#include "dxgk/ddi/callbacks.h"
#include "dxgk/ddi/driver.h"
#include "dxgk/ddi/guarded_copy.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/work/gpu.h"

namespace dxgk {
namespace {

// How many DMA buffers a driver must be able to hold. Ours: Windows' number is not documented.
constexpr ULONG kRequiredDmaQueueEntries = 8;
constexpr ULONG kEdidBlockBytes = 128;
constexpr ULONG kMostChildren = 1024;  // ours

NTSTATUS status_of(CapsRule rule) {
  switch (rule) {
    case CapsRule::TableSlotMissing:
    case CapsRule::TableSlotBanned:
    case CapsRule::TableReservedSlot:
    case CapsRule::TableDisplayGroup:
      return STATUS_REVISION_MISMATCH;
    case CapsRule::RenderOnlyOnPostDevice:
      return STATUS_GRAPHICS_INVALID_DRIVER_MODEL;
    default:
      return STATUS_INVALID_PARAMETER;
  }
}

}  // namespace

base::Result<> Adapter::start() {
  CHECK_MSG(state() == State::Added || state() == State::Stopped, "only what is stopped can be started");
  return AdapterStart(*this).run();
}

// Undone in Windows' order. A device whose start failed is removed; it is not stopped when DxgkDdiStartDevice itself
// has failed.
base::Result<> AdapterStart::run() {
  adapter_.refused_by_rule_ = false;
  adapter_.system_ = std::make_unique<SystemDevices>(adapter_);
  adapter_.talks_.store(true, std::memory_order_release);
  base::Result<> started = start_device();
  if (started.ok()) {
    adapter_.refusal_.clear();
    adapter_.state_.store(Adapter::State::Started, std::memory_order_release);
    return {};
  }
  if (adapter_.refusal_.empty()) {
    adapter_.refusal_ = fmt::format("{}: 0x{:08X}", started.failure().why(), static_cast<uint32_t>(started.status()));
    if (!adapter_.hardware_->device) {
      adapter_.refusal_ += "; no model of the device's hardware is loaded: it has neither registers nor an interrupt";
    }
  }
  adapter_.machine().note(trace::Refusal{.status = started.status(),
                                         .reason = adapter_.refusal_,
                                         .file = started.failure().where().file,
                                         .line = started.failure().where().line});
  if (device_started_) {
    adapter_.quiesce();
  } else {
    adapter_.interrupts_->disconnect();
  }
  adapter_.remove();
  return started;
}

base::Result<> AdapterStart::start_device() {
  query_interfaces();
  TRY(call_start_device());
  TRY(query_children());
  query_child_status();
  TRY(query_driver_caps());
  TRY(start_kind());
  query_descriptors();
  return {};
}

base::Result<> AdapterStart::start_kind() {
  if (caps_.kind == DriverKind::DisplayOnly) return start_display_only();
  return caps_.wddm2() ? start_wddm2() : start_physical();
}

// Then come the calls about VidPNs, with the display.
base::Result<> AdapterStart::start_display_only() {
  query_64bit_only();
  return {};
}

// The system's device and context come before the segments, unlike later (observed, WDDM 1.3).
base::Result<> AdapterStart::start_physical() {
  SystemDevices& system = *adapter_.system_;
  query_64bit_only();
  TRY(query_nodes());
  TRY(system.create_devices());
  TRY(system.create_paging_context());
  TRY(query_segments());
  TRY(judge(check_paging_context(facts())));
  TRY(start_gpu());
  return query_history_precision();
}

// Work for the GPU begins here: first the memory manager's own (paging buffers, page tables of the paging process,
// DxgkDdiSetRootPageTable).
base::Result<> AdapterStart::start_gpu() {
  adapter_.gpu().start(adapter_.system_->context());
  return adapter_.memory().start();
}

base::Result<> AdapterStart::start_wddm2() {
  SystemDevices& system = *adapter_.system_;
  query_physical_adapter();
  query_64bit_only();
  TRY(query_page_tables());
  TRY(query_nodes());
  TRY(query_segments());
  TRY(query_history_precision());
  query_display_extension();
  TRY(system.create_process());
  TRY(system.create_devices());
  TRY(system.create_paging_context());
  TRY(judge(check_paging_context(facts())));
  return start_gpu();
}

// --- The device ---

// Windows asks for several interfaces, and a driver that has none says STATUS_NOT_SUPPORTED (observed). An interface
// that it gives is released at once: nothing here uses it yet.
void AdapterStart::query_interfaces() {
  Miniport& miniport = adapter_.miniport();
  if (!miniport.has(&DRIVER_INITIALIZATION_DATA::DxgkDdiQueryInterface)) return;
  struct {
    const GUID* type;
    USHORT bytes;
  } const wanted[] = {{&GUID_DEVINTERFACE_I2C, sizeof(DXGK_I2C_INTERFACE)},
                      {&GUID_DEVINTERFACE_BRIGHTNESS, sizeof(DXGK_BRIGHTNESS_INTERFACE)},
                      {&GUID_DEVINTERFACE_OPM, sizeof(DXGK_OPM_INTERFACE)}};
  for (const auto& one : wanted) {
    std::vector<uint8_t> bytes(one.bytes);
    CallBuffer buffer(adapter_.machine(), bytes);
    auto* interface = static_cast<INTERFACE*>(buffer.data());
    QUERY_INTERFACE args{one.type, one.bytes, 1, interface, nullptr};
    NTSTATUS status = miniport.call(Ddi::QueryInterface, &DRIVER_INITIALIZATION_DATA::DxgkDdiQueryInterface,
                                    &adapter_.scope(), adapter_.context(), &args);
    if (status < 0 || !interface->InterfaceDereference) continue;
    nt::call_driver(adapter_.machine(), "InterfaceDereference", &adapter_.scope(), interface->InterfaceDereference,
                    interface->Context);
  }
}

// An interrupt may come before DxgkDdiStartDevice has returned (observed).
base::Result<> AdapterStart::call_start_device() {
  nt::Machine& machine = adapter_.machine();
  uint32_t version = adapter_.hardware().interface_version ? adapter_.hardware().interface_version : caps_.version;
  std::vector<uint8_t> table(interface_bytes(version));
  fill_interface(*reinterpret_cast<DXGKRNL_INTERFACE*>(table.data()), version, adapter_.device_handle());
  // In blocks of exactly their size. This one is longer in a later Windows, and drivers copy too much of it.
  bool guarded = machine.options().pace == nt::Pace::Simulated;
  void* interface = guarded ? guarded_copy(adapter_.luid().LowPart, table) : table.data();
  DXGK_START_INFO info{};
  info.RequiredDmaQueueEntry = kRequiredDmaQueueEntries;
  info.AdapterLuid = adapter_.luid();
  info.AdapterGuid.Data1 = adapter_.luid().LowPart;
  CallBuffer start_info(machine, {reinterpret_cast<const uint8_t*>(&info), sizeof(info)});
  ULONG sources = 0, children = 0;
  adapter_.interrupts_->connect();
  NTSTATUS status =
      adapter_.miniport().call(Ddi::StartDevice, &DRIVER_INITIALIZATION_DATA::DxgkDdiStartDevice, &adapter_.scope(),
                               adapter_.context(), static_cast<DXGK_START_INFO*>(start_info.data()),
                               static_cast<DXGKRNL_INTERFACE*>(interface), &sources, &children);
  if (status < 0) return base::Failure(status, "the driver refused to start the device (DxgkDdiStartDevice)");
  device_started_ = true;
  caps_.sources = sources;
  caps_.children = children;
  return {};
}

// --- Children ---

// Room for one more: the last descriptor stays zero and ends the list.
base::Result<> AdapterStart::query_children() {
  children_.clear();
  if (caps_.children > kMostChildren) return refuse(CapsRule::ChildCount, fmt::format("it is {}", caps_.children));
  std::vector<uint8_t> bytes((caps_.children + size_t{1}) * sizeof(DXGK_CHILD_DESCRIPTOR));
  CallBuffer descriptors(adapter_.machine(), bytes);
  NTSTATUS status = adapter_.miniport().call(
      Ddi::QueryChildRelations, &DRIVER_INITIALIZATION_DATA::DxgkDdiQueryChildRelations, &adapter_.scope(),
      adapter_.context(), static_cast<DXGK_CHILD_DESCRIPTOR*>(descriptors.data()), static_cast<ULONG>(bytes.size()));
  // A driver without children has nothing to implement there (ours; the page names no status).
  if (status == STATUS_NOT_IMPLEMENTED && caps_.children == 0) return {};
  if (status < 0) return base::Failure(status, "the driver could not name its children (DxgkDdiQueryChildRelations)");
  descriptors.copy_back(bytes);
  auto* child = reinterpret_cast<const DXGK_CHILD_DESCRIPTOR*>(bytes.data());
  for (ULONG i = 0; i < caps_.children; ++i, ++child) children_.push_back({*child, false});
  const DXGK_CHILD_DESCRIPTOR zero{};
  if (std::memcmp(child, &zero, sizeof(zero)) != 0) return refuse(CapsRule::ChildListEnd);
  return {};
}

// Of those whose connection the driver can tell; whatever it answers, the start goes on.
void AdapterStart::query_child_status() {
  for (Child& child : children_) {
    uint32_t awareness = base::raw(child.descriptor.ChildCapabilities.HpdAwareness);
    child.connected = awareness == HpdAwarenessAlwaysConnected;
    if (awareness != HpdAwarenessPolled && awareness != HpdAwarenessInterruptible) continue;
    DXGK_CHILD_STATUS answer{};
    answer.Type = StatusConnection;
    answer.ChildUid = child.descriptor.ChildUid;
    NTSTATUS status =
        adapter_.miniport().call(Ddi::QueryChildStatus, &DRIVER_INITIALIZATION_DATA::DxgkDdiQueryChildStatus,
                                 &adapter_.scope(), adapter_.context(), &answer, BOOLEAN{TRUE});
    child.connected = status >= 0 && answer.HotPlug.Connected;
  }
}

// The first block of the monitor's EDID, where there is a monitor. A monitor without one is accepted.
void AdapterStart::query_descriptors() {
  for (const Child& child : children_) {
    if (base::raw(child.descriptor.ChildDeviceType) != TypeVideoOutput || !child.connected) continue;
    const std::vector<uint8_t> room(kEdidBlockBytes);
    CallBuffer block(adapter_.machine(), room);
    DXGK_DEVICE_DESCRIPTOR descriptor{};
    descriptor.DescriptorLength = kEdidBlockBytes;
    descriptor.DescriptorBuffer = block.data();
    static_cast<void>(
        adapter_.miniport().call(Ddi::QueryDeviceDescriptor, &DRIVER_INITIALIZATION_DATA::DxgkDdiQueryDeviceDescriptor,
                                 &adapter_.scope(), adapter_.context(), child.descriptor.ChildUid, &descriptor));
  }
}

// --- Nodes ---

// The query must succeed for each node and for no other.
base::Result<> AdapterStart::query_nodes() {
  if (caps_.nodes == 0) caps_.nodes = std::max<UINT>(1, caps_.driver.GpuEngineTopology.NbAsymetricProcessingNodes);
  TRY(judge(check_nodes(facts())));
  if (caps_.version < static_cast<uint32_t>(InterfaceVersion::Wddm1_3)) return {};
  for (uint32_t node = 0; node <= caps_.nodes; ++node) {
    DXGKARG_GETNODEMETADATA metadata{};
    NTSTATUS status =
        adapter_.miniport().call(Ddi::GetNodeMetadata, &DRIVER_INITIALIZATION_DATA::DxgkDdiGetNodeMetadata,
                                 &adapter_.scope(), adapter_.context(), node, &metadata);
    bool exists = node < caps_.nodes;
    if ((status >= 0) != exists) {
      return refuse(CapsRule::NodeMetadata,
                    fmt::format("0x{:08X} for ordinal {} of {}", static_cast<uint32_t>(status), node, caps_.nodes));
    }
  }
  return {};
}

base::Result<> AdapterStart::query_history_precision() {
  if (caps_.version < static_cast<uint32_t>(InterfaceVersion::Wddm1_3)) return {};
  DXGKARG_HISTORYBUFFERPRECISION precision{};
  if (query(DXGKQAITYPE_HISTORYBUFFERPRECISION, precision) == STATUS_NOT_SUPPORTED) {
    return refuse(CapsRule::HistoryBufferPrecision);
  }
  return {};
}

// --- Asking and refusing ---

NTSTATUS AdapterStart::query(DXGK_QUERYADAPTERINFOTYPE type, std::span<const uint8_t> input,
                             std::span<uint8_t> output) {
  CallBuffer in(adapter_.machine(), input);
  CallBuffer out(adapter_.machine(), output);
  DXGKARG_QUERYADAPTERINFO args{};
  args.Type = type;
  args.pInputData = in.data();
  args.InputDataSize = static_cast<UINT>(input.size());
  args.pOutputData = out.data();
  args.OutputDataSize = static_cast<UINT>(output.size());
  NTSTATUS status =
      adapter_.miniport().call(Ddi::QueryAdapterInfo, &DRIVER_INITIALIZATION_DATA::DxgkDdiQueryAdapterInfo,
                               &adapter_.scope(), adapter_.context(), &args);
  if (status >= 0) out.copy_back(output);
  return status;
}

base::Failure AdapterStart::refuse(CapsRule rule, const std::string& detail) {
  adapter_.refused_by_rule_ = true;
  adapter_.refusal_ = row(rule).sentence;
  if (!detail.empty()) adapter_.refusal_ += " (" + detail + ")";
  return base::Failure(status_of(rule), row(rule).sentence);
}

base::Result<> AdapterStart::judge(const std::optional<CapsViolation>& violation) {
  if (violation) return refuse(violation->rule, violation->detail);
  return {};
}

CapsFacts AdapterStart::facts() const {
  return {adapter_.caps_, adapter_.driver_.table(), *adapter_.hardware_, adapter_.system_->context_info()};
}

}  // namespace dxgk
