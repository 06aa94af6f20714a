#include "host/scenarios/kmd/vidmm_buffer_scenarios.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/align.h"
#include "host/workload/gpu_model.h"
#include "kmt/client/thunks.h"

namespace host {
namespace {

using Place = GpuClient::Place;

constexpr uint64_t kBytes = 64 * 1024;
constexpr EnvironmentMemory kLittle = {.local_bytes = 512 * 1024, .aperture_bytes = 512 * 1024};
constexpr uint64_t kRival = kLittle.local_bytes / 4 * 3;

// --- GPU addresses ---

// A reserved range with room for some buffers, and what is mapped where. Each change is made when the GPU has nothing
// to do with the range.
class Slots {
 public:
  Slots(ScenarioEnvironment& environment, GpuClient& client, GpuContext& gpu, Oracle& oracle)
      : environment_(environment), client_(client), gpu_(gpu), oracle_(oracle) {}

  bool begin();
  void step();
  // Nothing of the range can be reached any more.
  void end();

 private:
  static constexpr uint32_t kSlots = 4, kBuffers = 3;

  uint64_t address(uint32_t slot) const { return base_ + slot * kBytes; }
  GpuBuffer at(uint32_t slot) const { return {0, models_[*mapped_[slot]].buffer.allocation, 0, kBytes, address(slot)}; }
  void map(uint32_t slot, uint32_t buffer);
  void update(uint32_t slot, uint32_t buffer);
  void copy(uint32_t slot, uint32_t from);
  void unmap(uint32_t slot);
  void update(const D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION& operation);
  void write(uint32_t slot);

  ScenarioEnvironment& environment_;
  GpuClient& client_;
  GpuContext& gpu_;
  Oracle& oracle_;
  uint64_t base_ = 0;
  std::vector<ModelBuffer> models_;
  std::array<std::optional<uint32_t>, kSlots> mapped_;  // the number of the buffer
  GpuFence fence_;
  uint64_t updates_ = 0;
};

bool Slots::begin() {
  GpuCommands commands;
  for (uint32_t i = 0; i < kBuffers; ++i) {
    auto model = ModelBuffer::make(client_, commands, kBytes, environment_.choose(0x7FFFFFFF));
    if (!client_.expect(model.has_value())) return false;
    models_.push_back(std::move(*model));
  }
  auto fence = client_.make_fence();
  D3DDDI_RESERVEGPUVIRTUALADDRESS args{};
  args.hAdapter = client_.adapter();
  args.Size = kSlots * kBytes;
  if (!client_.expect(fence.has_value()) || !client_.succeeds(kmt::ReserveGpuVirtualAddress(client_.client(), &args))) {
    return false;
  }
  fence_ = *fence;
  base_ = args.VirtualAddress;
  return client_.succeeds(gpu_.submit(commands)) && client_.succeeds(gpu_.finish());
}

void Slots::map(uint32_t slot, uint32_t buffer) {
  D3DDDI_MAPGPUVIRTUALADDRESS args{};
  args.hPagingQueue = client_.paging_queue();
  args.BaseAddress = address(slot);
  args.hAllocation = models_[buffer].buffer.allocation;
  args.SizeInPages = kBytes / base::kPageBytes;
  args.Protection.Write = 1;
  NTSTATUS status = kmt::MapGpuVirtualAddress(client_.client(), &args);
  if (!client_.succeeds(status)) return;
  if (status == STATUS_PENDING) client_.expect_paging(args.PagingFenceValue);
  client_.succeeds(client_.wait_for_paging());
  mapped_[slot] = buffer;
}

// In the context's own order: after what is queued, before what comes.
void Slots::update(const D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION& operation) {
  D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION operations[] = {operation};
  client_.succeeds(gpu_.signal(fence_.object, updates_ + 1));
  D3DKMT_UPDATEGPUVIRTUALADDRESS args{};
  args.hDevice = client_.device();
  args.hContext = gpu_.handle();
  args.hFenceObject = fence_.object;
  args.NumOperations = 1;
  args.Operations = operations;
  args.FenceValue = updates_ + 1;
  client_.succeeds(kmt::UpdateGpuVirtualAddress(client_.client(), &args));
  updates_ += 2;
  client_.succeeds(gpu_.wait(fence_.object, updates_));
}

void Slots::update(uint32_t slot, uint32_t buffer) {
  D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION operation{};
  operation.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP;
  operation.Map.BaseAddress = address(slot);
  operation.Map.SizeInBytes = kBytes;
  operation.Map.hAllocation = models_[buffer].buffer.allocation;
  operation.Map.AllocationSizeInBytes = kBytes;
  update(operation);
  mapped_[slot] = buffer;
}

void Slots::copy(uint32_t slot, uint32_t from) {
  D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION operation{};
  operation.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_COPY;
  operation.Copy.SourceAddress = address(from);
  operation.Copy.DestAddress = address(slot);
  operation.Copy.SizeInBytes = kBytes;
  update(operation);
  mapped_[slot] = mapped_[from];
}

void Slots::unmap(uint32_t slot) {
  D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION operation{};
  operation.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_UNMAP;
  operation.Unmap.BaseAddress = address(slot);
  operation.Unmap.SizeInBytes = kBytes;
  operation.Unmap.Protection.NoAccess = 1;
  update(operation);
  mapped_[slot].reset();
}

// Through one of a buffer's addresses; it is compared through another.
void Slots::write(uint32_t slot) {
  if (!mapped_[slot]) return;
  ModelBuffer& model = models_[*mapped_[slot]];
  GpuBuffer own = std::exchange(model.buffer, at(slot));
  GpuCommands commands;
  model.scribble(commands, environment_);
  client_.succeeds(gpu_.submit(commands));
  model.buffer = own;
  client_.expect(oracle_.check(gpu_, model));
}

void Slots::step() {
  uint32_t slot = environment_.choose(kSlots), from = environment_.choose(kSlots),
           buffer = environment_.choose(kBuffers);
  switch (environment_.choose(6)) {
    case 0:
      client_.succeeds(gpu_.finish());
      return map(slot, buffer);
    case 1:
      return update(slot, buffer);
    case 2:
      return slot != from ? copy(slot, from) : void();
    case 3:
      return unmap(slot);
    default:
      return write(slot);
  }
}

void Slots::end() {
  client_.succeeds(gpu_.finish());
  D3DKMT_FREEGPUVIRTUALADDRESS args{client_.adapter(), base_, kSlots * kBytes};
  client_.succeeds(kmt::FreeGpuVirtualAddress(client_.client(), &args));
  if (!gpu_.knows(DRYDOCK_WORK_FAULT)) return;
  GpuCommands commands;
  commands.write_unmapped(address(environment_.choose(kSlots)), base::kPageBytes);
  client_.succeeds(gpu_.submit(commands));
  client_.expect(gpu_.finish() == STATUS_DEVICE_REMOVED);
  client_.expect(client_.lost());
}

void use_addresses(ScenarioContext& context) {
  ScenarioEnvironment environment(context, kLittle);
  if (!environment.started()) return;
  ThreadGroup threads(environment.machine());
  threads.add("rival", [&environment] { crowd_out(environment, "rival", kRival, 6); });
  GpuClient client(environment.graphics(), "client");
  if (!client.expect(client.open())) return;
  if (!client.has_addresses()) return environment.skip("the driver has no GPU virtual addresses");
  auto gpu = GpuContext::create(client, environment.choose(client.nodes()));
  auto oracle = Oracle::make(client, kBytes);
  if (!client.expect(gpu && oracle)) return;
  Slots slots(environment, client, *gpu, *oracle);
  if (!slots.begin()) return;
  for (uint32_t i = 0; i < 20; ++i) slots.step();
  slots.end();
}

// --- Offers ---

bool offer(GpuClient& client, const GpuBuffer& buffer, uint32_t priority) {
  D3DKMT_OFFERALLOCATIONS args{};
  args.hDevice = client.device();
  args.HandleList = &buffer.allocation;
  args.NumAllocations = 1;
  args.Priority = static_cast<D3DKMT_OFFER_PRIORITY>(D3DKMT_OFFER_PRIORITY_LOW + priority);
  return client.succeeds(kmt::OfferAllocations(client.client(), &args));
}

// Whether the content is still there.
bool reclaim(GpuClient& client, const GpuBuffer& buffer) {
  if (!client.has_residency()) {
    BOOL discarded = FALSE;
    D3DKMT_RECLAIMALLOCATIONS args{client.device(), nullptr, &buffer.allocation, &discarded, 1};
    client.succeeds(kmt::ReclaimAllocations(client.client(), &args));
    return !discarded;
  }
  D3DDDI_RECLAIM_RESULT result{};
  D3DKMT_RECLAIMALLOCATIONS2 args{};
  args.hPagingQueue = client.paging_queue();
  args.NumAllocations = 1;
  args.HandleList = &buffer.allocation;
  args.pResults = &result;
  NTSTATUS status = kmt::ReclaimAllocations2(client.client(), &args);
  client.succeeds(status);
  if (status == STATUS_PENDING) client.expect_paging(args.PagingFenceValue);
  client.succeeds(client.wait_for_paging());
  return result == D3DDDI_RECLAIM_RESULT_OK;
}

// Calls play(environment, client, gpu, oracle, model) with a client whose buffer's bytes are known, while a rival needs
// the memory. place(environment) says where the buffer may be.
template <typename ChoosePlace, typename Play>
void beside_a_rival(ScenarioContext& context, ChoosePlace&& place, Play&& play) {
  ScenarioEnvironment environment(context, kLittle);
  if (!environment.started()) return;
  ThreadGroup threads(environment.machine());
  threads.add("rival", [&environment] { crowd_out(environment, "rival", kRival, 8); });
  GpuClient client(environment.graphics(), "client");
  if (!client.expect(client.open())) return;
  auto gpu = GpuContext::create(client, environment.choose(client.nodes()));
  auto oracle = Oracle::make(client, kBytes);
  GpuCommands first;
  auto model = ModelBuffer::make(client, first, kBytes, 1, place(environment));
  if (!client.expect(gpu && oracle && model)) return;
  client.succeeds(gpu->submit(first));
  play(environment, client, *gpu, *oracle, *model);
}

// Offered memory may be discarded. What was not discarded is unchanged.
void offer_and_reclaim(ScenarioContext& context) {
  beside_a_rival(
      context, [](ScenarioEnvironment&) { return Place::Video; },
      [](ScenarioEnvironment& environment, GpuClient& client, GpuContext& gpu, Oracle& oracle, ModelBuffer& model) {
        for (uint32_t round = 0; round < 8; ++round) {
          GpuCommands commands;
          model.scribble(commands, environment);
          client.succeeds(gpu.submit(commands));
          client.succeeds(gpu.finish());
          if (!offer(client, model.buffer, environment.choose(4))) return;
          environment.rest(kMicrosecond << environment.choose(8));
          if (!reclaim(client, model.buffer)) {
            GpuCommands anew;
            model.fill(anew, 0, kBytes, round);
            client.succeeds(gpu.submit(anew));
          }
          client.expect(oracle.check(gpu, model));
        }
      });
}

// --- Locks ---

// The CPU keeps one half of a buffer locked, the GPU writes to the other, and another client needs the memory.
void lock_for_long(ScenarioContext& context) {
  beside_a_rival(
      context,
      [](ScenarioEnvironment& environment) { return environment.perhaps() ? Place::Visible : Place::Readback; },
      [](ScenarioEnvironment& environment, GpuClient& client, GpuContext& gpu, Oracle& oracle, ModelBuffer& model) {
        client.succeeds(gpu.finish());
        for (uint32_t round = 0; round < 4; ++round) {
          uint8_t* bytes = nullptr;
          if (!client.succeeds(client.lock(model.buffer, &bytes))) return;
          for (uint32_t i = 0; i < 4; ++i) {
            std::memset(bytes, static_cast<int>(environment.choose(256)), kBytes / 2);
            std::memcpy(model.bytes.data(), bytes, kBytes / 2);
            GpuCommands commands;
            model.fill(commands, kBytes / 2, kBytes / 2, environment.choose(0x7FFFFFFF));
            client.succeeds(gpu.submit(commands));
            if (environment.perhaps()) environment.rest(kMicrosecond << environment.choose(8));
            client.succeeds(gpu.finish());
            if (client.has_workload()) client.expect(std::equal(model.bytes.begin(), model.bytes.end(), bytes));
          }
          client.succeeds(client.unlock(model.buffer));
          client.expect(oracle.check(gpu, model));
          oracle.check_locked(model);
        }
      });
}

// --- Sharing ---

// One of two processes that have a buffer open.
struct Sharer {
  Sharer(ScenarioEnvironment& environment, const std::string& name) : client(environment.graphics(), name) {}

  bool begin(ScenarioEnvironment& environment) {
    if (!client.expect(client.open())) return false;
    gpu = GpuContext::create(client, environment.choose(client.nodes()));
    oracle = Oracle::make(client, kBytes);
    return client.expect(gpu && oracle);
  }
  // Not on the device's list while the other one works.
  void put_away() {
    if (resident) client.succeeds(client.evict(buffer));
    resident = false;
  }
  bool take_out() {
    if (!resident) {
      NTSTATUS status = client.make_resident(buffer);
      if (status == STATUS_NO_MEMORY) status = client.make_resident(buffer, GpuClient::Trim::Cannot);
      resident = client.succeeds(status) && client.succeeds(client.wait_for_paging());
    }
    return resident;
  }

  GpuClient client;
  std::unique_ptr<GpuContext> gpu;
  std::unique_ptr<Oracle> oracle;
  GpuBuffer buffer;
  bool resident = false;
};

void share(ScenarioContext& context) {
  ScenarioEnvironment environment(context, kLittle);
  if (!environment.started()) return;
  ThreadGroup threads(environment.machine());
  threads.add("rival", [&environment] { crowd_out(environment, "rival", kRival, 8); });
  Sharer creator(environment, "creator"), opener(environment, "opener");
  if (!creator.begin(environment) || !opener.begin(environment)) return;
  auto made = creator.client.create_buffer(kBytes, Place::Video, GpuClient::Kind::SharedGlobal);
  if (!creator.client.expect(made.has_value())) return;
  auto opened = opener.client.open_buffer(made->global_share, kBytes);
  if (!opener.client.expect(opened.has_value())) return;
  creator.buffer = *made;
  opener.buffer = *opened;
  for (Sharer* sharer : {&creator, &opener}) {
    if (!sharer->client.succeeds(sharer->client.map(sharer->buffer))) return;
    if (!sharer->client.succeeds(sharer->client.wait_for_paging())) return;
  }
  GpuCommands first;
  ModelBuffer model(creator.client, creator.buffer, first, 1);
  if (!creator.take_out() || !creator.client.succeeds(creator.gpu->submit(first))) return;
  creator.client.succeeds(creator.gpu->finish());
  for (uint32_t round = 0; round < 12; ++round) {
    Sharer& sharer = environment.perhaps() ? creator : opener;
    if (!sharer.take_out()) return;
    model.buffer = sharer.buffer;
    GpuCommands commands;
    model.scribble(commands, environment);
    sharer.client.succeeds(sharer.gpu->submit(commands));
    sharer.client.expect(sharer.oracle->check(*sharer.gpu, model));
    if (environment.perhaps()) sharer.put_away();
  }
  // The other one keeps it.
  creator.client.succeeds(creator.client.destroy_buffer(creator.buffer));
  if (!opener.take_out()) return;
  model.buffer = opener.buffer;
  opener.client.expect(opener.oracle->check(*opener.gpu, model));
}

}  // namespace

std::vector<Scenario> vidmm_buffer_scenarios() {
  using Needs = Scenario::Needs;
  return {
      {"vidmm/gpu-va", "addresses mapped, aliased, updated, freed", &use_addresses, Needs::Graphics},
      {"vidmm/offer-reclaim", "offered memory is taken, or comes back whole", &offer_and_reclaim, Needs::Graphics},
      {"vidmm/lock", "locked while the GPU uses it and a rival wants it", &lock_for_long, Needs::Graphics},
      {"vidmm/shared", "a buffer of two processes, evicted by a third", &share, Needs::Graphics},
  };
}

}  // namespace host
