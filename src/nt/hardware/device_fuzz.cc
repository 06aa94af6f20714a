// A device model that describes itself wrongly, returns whatever, and calls its host's services with whatever: lines
// that it does not have, addresses that are not mapped, times that have passed or never come. A small driver maps its
// registers, touches them, and gives it memory to reach.
#include <cstring>

#include "base/testing/fuzz_input.h"
#include "nt/dma/dma_adapters.h"
#include "nt/hardware/device.h"
#include "nt/io/device_objects.h"
#include "nt/mm/pool.h"
#include "nt/testing/fuzz_machine.h"

namespace nt::testing {
namespace {

using base::testing::FuzzInput;

constexpr ULONG kTag = 0x7A7A7546;  // "Fuzz"
constexpr int kMostSteps = 40;

FuzzInput* g_input = nullptr;  // a model's functions get only its instance, and there is only one
uint64_t g_reachable = 0;      // an address that the driver gave to the device
const DRYDOCK_DEVICE_HOST* g_host = nullptr;
int g_depth = 0;

uint64_t any_address(FuzzInput& input) {
  return input.rarely(2) ? g_reachable + input.below(9000) - 400 : input.odd_number();
}

// What hardware may do in every call.
void use_services() {
  FuzzInput& input = *g_input;
  const DRYDOCK_DEVICE_HOST& host = *g_host;
  if (g_depth > 0) return;  // of the calls that a service leads to, none goes on
  ++g_depth;
  uint8_t bytes[512] = {};
  for (uint32_t times = input.below(3); times; --times) {
    switch (input.below(7)) {
      case 0:
        host.raise_interrupt(host.host, input.rarely(8) ? static_cast<uint32_t>(input.odd_number()) : 0);
        break;
      case 1:
        host.lower_interrupt(host.host, input.rarely(8) ? static_cast<uint32_t>(input.odd_number()) : 0);
        break;
      case 2:
        host.dma_read(host.host, any_address(input), bytes, input.below(sizeof(bytes) + 1));
        break;
      case 3:
        host.dma_write(host.host, any_address(input), bytes, input.below(sizeof(bytes) + 1));
        break;
      case 4:
        host.wake_at(host.host, input.rarely(4) ? input.odd_number() : host.now(host.host) + input.take<uint16_t>());
        break;
      case 5:
        host.wake_at(host.host, DRYDOCK_DEVICE_NEVER);
        break;
      default:
        host.log(host.host, "…");
    }
  }
  --g_depth;
}

DRYDOCK_DEVICE* create(const DRYDOCK_DEVICE_HOST* host) {
  g_host = host;
  use_services();
  static char instance;
  return g_input->rarely(24) ? nullptr : reinterpret_cast<DRYDOCK_DEVICE*>(&instance);
}
void destroy(DRYDOCK_DEVICE*) {}
void reset(DRYDOCK_DEVICE*) { use_services(); }
uint64_t mmio_read(DRYDOCK_DEVICE*, uint32_t, uint64_t, uint32_t) {
  use_services();
  return g_input->odd_number();
}
void mmio_write(DRYDOCK_DEVICE*, uint32_t, uint64_t, uint32_t, uint64_t) { use_services(); }
uint32_t config_read(DRYDOCK_DEVICE*, uint32_t, uint32_t) {
  use_services();
  return static_cast<uint32_t>(g_input->odd_number());
}
void config_write(DRYDOCK_DEVICE*, uint32_t, uint32_t, uint32_t) { use_services(); }
void step(DRYDOCK_DEVICE*, uint64_t) { use_services(); }
int32_t bar_memory(DRYDOCK_DEVICE*, uint32_t, uint64_t, uint64_t, DRYDOCK_DEVICE_MEMORY* memory) {
  use_services();
  if (memory) *memory = {static_cast<int32_t>(g_input->odd_number()), 0, g_input->odd_number()};
  return static_cast<int32_t>(g_input->below(2)) - 1;
}

// Two bars and a line; sometimes with a wrong number in it. Its functions and its name are there or are not.
DRYDOCK_DEVICE_MODEL describe(FuzzInput& input) {
  DRYDOCK_DEVICE_MODEL model{};
  model.size = sizeof(model);
  model.version = DRYDOCK_DEVICE_VERSION;
  model.name = "fuzzed";
  model.bars[0] = {4096, DRYDOCK_DEVICE_BAR_MEMORY32, 0};
  model.bars[2] = {uint64_t{4096} << input.below(4), DRYDOCK_DEVICE_BAR_MEMORY64, 0};
  model.interrupt_lines = 1;
  if (input.rarely(2)) {
    auto& bar = model.bars[input.below(DRYDOCK_DEVICE_BARS)];
    bar = {input.odd_number(), input.below(4), 0};
  }
  if (input.rarely(4)) {
    // Everything behind the name and before the functions.
    input.corrupt(&model.identity, offsetof(DRYDOCK_DEVICE_MODEL, create) - offsetof(DRYDOCK_DEVICE_MODEL, identity));
  }
  if (input.rarely(8)) input.corrupt(&model, offsetof(DRYDOCK_DEVICE_MODEL, name));
  if (input.rarely(32)) model.name = input.rarely(2) ? "" : nullptr;
  auto there = [&] { return !input.rarely(40); };
  if (there()) model.create = &create;
  if (there()) model.destroy = &destroy;
  if (there()) model.reset = &reset;
  if (there()) model.mmio_read = &mmio_read;
  if (there()) model.mmio_write = &mmio_write;
  if (there()) model.config_read = &config_read;
  if (there()) model.config_write = &config_write;
  if (there()) model.step = &step;
  if (input.rarely(2)) model.bar_memory = &bar_memory;
  return model;
}

// --- The driver ---

BOOLEAN isr(PKINTERRUPT, PVOID) { return TRUE; }

class Driver {
 public:
  Driver(Machine& machine, Device& device, FuzzInput& input) : machine_(machine), device_(device), input_(input) {}

  void run() {
    void* memory = ExAllocatePool2(POOL_FLAG_NON_PAGED, 8192, kTag);
    if (!memory) return;
    g_reachable = static_cast<uint64_t>(MmGetPhysicalAddress(memory).QuadPart);
    if (input_.rarely(2)) use_bus_addresses();
    PKINTERRUPT interrupt = nullptr;
    if (auto line = device_.line()) {
      IoConnectInterrupt(&interrupt, &isr, nullptr, nullptr, line->vector, line->irql, line->irql, LevelSensitive,
                         FALSE, 1, FALSE);
    }
    for (uint32_t i = 0; i < 3; ++i) map(2 * i);
    for (uint32_t i = 0; i < DRYDOCK_DEVICE_BARS; ++i) {
      if (auto range = device_.bar(i); range && device_.has_memory(*range)) static_cast<void>(device_.memory(*range));
    }
    for (int steps = 0; steps < kMostSteps && !input_.empty(); ++steps) step();
    for (Mapped& each : mapped_) MmUnmapIoSpace(each.at, each.bytes);
    if (interrupt) IoDisconnectInterrupt(interrupt);
    if (common_) adapter_->DmaOperations->FreeCommonBuffer(adapter_, 8192, logical_, common_, FALSE);
    if (adapter_) adapter_->DmaOperations->PutDmaAdapter(adapter_);
    ExFreePoolWithTag(memory, kTag);
  }

 private:
  struct Mapped {
    UCHAR* at;
    size_t bytes;
  };

  // From now on the device knows memory by the addresses of a DMA adapter.
  void use_bus_addresses() {
    void* memory = machine_.pool().allocate(sizeof(DRIVER_OBJECT), 0, PoolKind::Internal, PoolFill::Zero);
    auto pdo = machine_.devices().create({*new (memory) DRIVER_OBJECT{}, 0, u"", FILE_DEVICE_UNKNOWN, 0, false});
    if (!pdo.ok()) return;
    device_.attach_to(*pdo.value());
    DEVICE_DESCRIPTION description{};
    description.Version = DEVICE_DESCRIPTION_VERSION;
    description.Master = description.ScatterGather = description.Dma64BitAddresses = TRUE;
    description.InterfaceType = PCIBus;
    description.MaximumLength = 65536;
    ULONG registers = 0;
    adapter_ = IoGetDmaAdapter(pdo.value(), &description, &registers);
    if (!adapter_) return;
    common_ = adapter_->DmaOperations->AllocateCommonBuffer(adapter_, 8192, &logical_, FALSE);
    if (common_) g_reachable = static_cast<uint64_t>(logical_.QuadPart);
  }
  void map(uint32_t bar) {
    auto range = device_.bar(bar);
    if (!range) return;
    PHYSICAL_ADDRESS physical;
    physical.QuadPart = static_cast<LONGLONG>(range->physical);
    size_t bytes = range->bytes < 65536 ? range->bytes : 65536;
    auto* at = static_cast<UCHAR*>(MmMapIoSpace(physical, bytes, MmNonCached));
    if (at) mapped_.push_back({at, bytes});
  }
  UCHAR* a_register(uint32_t width) {
    if (mapped_.empty()) return nullptr;
    const Mapped& one = mapped_[input_.below(static_cast<uint32_t>(mapped_.size()))];
    return one.at + input_.take<uint16_t>() % one.bytes / width * width;
  }
  void step() {
    uint32_t width = 1u << input_.below(4), at = input_.take<uint8_t>();
    uint32_t small = width > 4 ? 4 : width;
    switch (input_.below(8)) {
      case 0:
      case 1:
        if (UCHAR* place = a_register(width)) read(place, width);
        break;
      case 2:
      case 3:
        if (UCHAR* place = a_register(width)) write(place, width);
        break;
      case 4:
        device_.config_read(at / small * small, small);
        break;
      case 5:
        device_.config_write(at / small * small, small, input_.take<uint32_t>());
        break;
      case 6:
        device_.reset();
        break;
      default: {
        LARGE_INTEGER interval;
        interval.QuadPart = -static_cast<LONGLONG>(1 + input_.take<uint16_t>());
        KeDelayExecutionThread(KernelMode, FALSE, &interval);
      }
    }
  }
  static void read(UCHAR* place, uint32_t width) {
    if (width == 1) READ_REGISTER_UCHAR(place);
    if (width == 2) READ_REGISTER_USHORT(reinterpret_cast<volatile USHORT*>(place));
    if (width == 4) READ_REGISTER_ULONG(reinterpret_cast<volatile ULONG*>(place));
    if (width == 8) READ_REGISTER_ULONG64(reinterpret_cast<volatile ULONG64*>(place));
  }
  void write(UCHAR* place, uint32_t width) {
    if (width == 1) WRITE_REGISTER_UCHAR(place, input_.take<UCHAR>());
    if (width == 2) WRITE_REGISTER_USHORT(reinterpret_cast<volatile USHORT*>(place), input_.take<USHORT>());
    if (width == 4) WRITE_REGISTER_ULONG(reinterpret_cast<volatile ULONG*>(place), input_.take<ULONG>());
    if (width == 8) WRITE_REGISTER_ULONG64(reinterpret_cast<volatile ULONG64*>(place), input_.take<ULONG64>());
  }

  Machine& machine_;
  Device& device_;
  FuzzInput& input_;
  PDMA_ADAPTER adapter_ = nullptr;
  PVOID common_ = nullptr;
  PHYSICAL_ADDRESS logical_{};
  std::vector<Mapped> mapped_;
};

void fuzz(FuzzInput& input) {
  g_input = &input;
  g_host = nullptr;
  g_depth = 0;
  FuzzMachine machine;
  machine.may_get_stuck = true;  // by a device that asks to be woken without end
  machine.options().seed = input.take<uint8_t>();
  DRYDOCK_DEVICE_MODEL description = describe(input);
  std::string message;
  auto model = DeviceModel::of(description, &message);
  CHECK(model.ok() == message.empty());
  if (!model.ok()) return;
  std::unique_ptr<Device> device;
  machine.run([&](Machine& its) {
    auto made = Device::create(its, model.value(), input.below(3));
    if (!made.ok()) return;
    device = made.take();
    Driver(its, *device, input).run();
    device = nullptr;
  });
}

}  // namespace
}  // namespace nt::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  base::testing::FuzzInput input(data, size);
  nt::testing::fuzz(input);
  return 0;
}
