#include "client/adapter_facts.h"

#include "client/call.h"
#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/adapter_hardware.h"
#include "dxgk/adapter/kernel.h"

namespace client {
namespace {

constexpr uint32_t kVendor = 0x00, kDevice = 0x02, kRevision = 0x08, kSubvendor = 0x2C, kSubsystem = 0x2E;  // PCI

void add_hardware(AdapterFacts& facts, dxgk::Adapter& adapter) {
  nt::Device* device = adapter.hardware().device;
  if (!device) return;
  facts.vendor = device->config_read(kVendor, 2);
  facts.device = device->config_read(kDevice, 2);
  facts.revision = device->config_read(kRevision, 1);
  facts.subvendor = device->config_read(kSubvendor, 2);
  facts.subsystem = device->config_read(kSubsystem, 2);
}

AdapterFacts facts_of(dxgk::Adapter& adapter) {
  AdapterFacts facts;
  facts.luid_low = adapter.luid().LowPart;
  facts.luid_high = adapter.luid().HighPart;
  facts.description = adapter.name();
  add_hardware(facts, adapter);
  for (const dxgk::Segment& segment : adapter.caps().segments) {
    (segment.aperture ? facts.shared_system_memory : facts.dedicated_adapter_memory) += segment.size;
  }
  dxgk::DriverKind kind = adapter.caps().kind;
  facts.graphics = kind == dxgk::DriverKind::Full || kind == dxgk::DriverKind::RenderOnly;
  facts.compute = facts.graphics || kind == dxgk::DriverKind::ComputeOnly;
  return facts;
}

}  // namespace

std::vector<AdapterFacts> adapter_facts() {
  std::vector<AdapterFacts> all;
  Call call;
  if (!call) return all;
  for (dxgk::Adapter* adapter : call.client().kernel().adapters()) {
    if (adapter->started()) all.push_back(facts_of(*adapter));
  }
  return all;
}

}  // namespace client
