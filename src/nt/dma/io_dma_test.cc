#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "nt/dma/dma_adapters.h"
#include "nt/hardware/device.h"
#include "nt/testing/dma_fixture.h"

namespace nt {
namespace {

class IoDmaTest : public DmaAdapterTest {};

// --- Adapters ---

TEST_F(IoDmaTest, AnAdapterHasTheFunctionsOfItsVersion) {
  run([&] {
    pdo = make_pdo();
    struct {
      ULONG version;
      size_t size;
    } expected[] = {{DEVICE_DESCRIPTION_VERSION, offsetof(DMA_OPERATIONS, CalculateScatterGatherList)},
                    {DEVICE_DESCRIPTION_VERSION1, offsetof(DMA_OPERATIONS, CalculateScatterGatherList)},
                    {DEVICE_DESCRIPTION_VERSION2, offsetof(DMA_OPERATIONS, GetDmaAdapterInfo)},
                    {DEVICE_DESCRIPTION_VERSION3, sizeof(DMA_OPERATIONS)}};
    for (const auto& each : expected) {
      adapter = get(describe_device(each.version));
      ASSERT_NE(adapter, nullptr);
      EXPECT_EQ(adapter->Version, 1);
      EXPECT_EQ(adapter->Size, sizeof(DMA_ADAPTER));
      // Within Size every slot has something, beyond it none.
      auto* slots = reinterpret_cast<void**>(adapter->DmaOperations);
      EXPECT_EQ(adapter->DmaOperations->Size, each.size);
      for (size_t i = 1; i < sizeof(DMA_OPERATIONS) / sizeof(void*); ++i) {
        EXPECT_EQ(slots[i] != nullptr, i < each.size / sizeof(void*)) << each.version << ' ' << i;
      }
      adapter->DmaOperations->PutDmaAdapter(adapter);
    }
    EXPECT_EQ(get(describe_device(4)), nullptr);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(IoDmaTest, UnsupportedOperationsReturnFailure) {
  with_adapter(describe_device(DEVICE_DESCRIPTION_VERSION3), [&] {
    EXPECT_EQ(operations->GetDmaAdapterInfo(adapter, nullptr), STATUS_NOT_IMPLEMENTED);
    EXPECT_EQ(operations->AllocateCommonBufferEx(adapter, nullptr, 1, nullptr, FALSE, 0), nullptr);
    EXPECT_EQ(operations->CancelAdapterChannel(adapter, pdo, nullptr), FALSE);
    EXPECT_EQ(operations->ReadDmaCounter(adapter), 0u);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(IoDmaTest, DevicesThatAreNotHereGetNoAdapter) {
  run([&] {
    pdo = make_pdo();
    auto without = [&](auto&& spoil) {
      DEVICE_DESCRIPTION description = describe_device();
      spoil(description);
      return get(description) == nullptr;
    };
    EXPECT_TRUE(without([](auto& d) { d.Master = FALSE; }));
    EXPECT_TRUE(without([](auto& d) {
      d.Dma64BitAddresses = FALSE;
      d.ScatterGather = FALSE;
    }));
    // PCI devices that can gather have 32 bits, whatever they say.
    EXPECT_FALSE(without([](auto& d) { d.Dma64BitAddresses = FALSE; }));
    pdo = reinterpret_cast<PDEVICE_OBJECT>(&driver);
    EXPECT_TRUE(without([](auto&) {}));
    pdo = nullptr;
    EXPECT_TRUE(without([](auto&) {}));
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(IoDmaTest, ADescriptionThatIsForbiddenIsAFinding) {
  observer.then = Then::GoOn;
  run([&] {
    pdo = make_pdo();
    DEVICE_DESCRIPTION description = describe_device();
    description.Reserved1 = TRUE;
    EXPECT_EQ(get(description), nullptr);
    for (ULONG width : {0, 65}) {
      description = describe_device(DEVICE_DESCRIPTION_VERSION3);
      description.DmaAddressWidth = width;
      EXPECT_EQ(get(description), nullptr);
    }
  });
  EXPECT_EQ(broken(), std::vector<std::string>(3, "DmaDescriptionInvalid"));
}

TEST_F(IoDmaTest, MapRegistersAreForTheLongestTransferAndNoMoreThanThereAre) {
  options.map_registers = 40;
  run([&] {
    pdo = make_pdo();
    DEVICE_DESCRIPTION description = describe_device();
    ASSERT_NE(get(description), nullptr);
    EXPECT_EQ(map_registers, 17u);
    description.MaximumLength = 1;
    ASSERT_NE(get(description), nullptr);
    EXPECT_EQ(map_registers, 2u);
    description.MaximumLength = ~ULONG{0};
    ASSERT_NE(get(description), nullptr);
    EXPECT_EQ(map_registers, 40u);
  });
}

TEST_F(IoDmaTest, WithoutMemoryThereIsNoAdapter) {
  run([&] {
    pdo = make_pdo();
    observer.failing_allocations = 1;
    EXPECT_EQ(get(describe_device()), nullptr);
    IoDeleteDevice(pdo);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(IoDmaTest, MoreDevicesThanSlicesCanComeAndGo) {
  run([&] {
    std::vector<PDEVICE_OBJECT> pdos;
    for (uint32_t i = 0; i < Iommu::kMostDevices; ++i) {
      pdos.push_back(pdo = make_pdo());
      ASSERT_NE(adapter = get(describe_device()), nullptr);
      adapter->DmaOperations->PutDmaAdapter(adapter);
    }
    pdo = make_pdo();
    EXPECT_EQ(get(describe_device()), nullptr);
    IoDeleteDevice(pdos[3]);
    EXPECT_NE(get(describe_device()), nullptr);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(IoDmaTest, AnAdapterThatIsNotPutBackIsALeak) {
  observer.then = Then::GoOn;
  with_adapter([&] {
    Scope scope(ScopeKind::Device, "cam", &machine().root_scope());
    Scope* outer = std::exchange(machine().self().scope, &scope);
    PDMA_ADAPTER kept = get(describe_device()), put = get(describe_device());
    PHYSICAL_ADDRESS logical;
    ASSERT_NE(operations->AllocateCommonBuffer(kept, 100, &logical, TRUE), nullptr);
    operations->PutDmaAdapter(put);
    machine().self().scope = outer;
    EXPECT_EQ(machine().end_scope(scope), 2u);
  });
  ASSERT_EQ(broken(), std::vector<std::string>(2, "Leak"));
  EXPECT_NE(observer.violations[0].sentence.find("a DMA adapter obtained in device cam"), std::string::npos);
  EXPECT_NE(observer.violations[1].sentence.find("a common buffer obtained in device cam"), std::string::npos);
}

TEST_F(IoDmaTest, AnAdapterThatWasPutBackIsNotUsed) {
  observer.then = Then::GoOn;
  with_adapter([&] {
    operations->PutDmaAdapter(adapter);
    PHYSICAL_ADDRESS logical;
    EXPECT_EQ(operations->AllocateCommonBuffer(adapter, 100, &logical, TRUE), nullptr);
    operations->PutDmaAdapter(adapter);
    DMA_ADAPTER none{};
    operations->PutDmaAdapter(&none);
  });
  EXPECT_EQ(broken(), std::vector<std::string>(3, "DmaAdapterNotLive"));
  EXPECT_NE(
      observer.violations[0].sentence.find("AllocateCommonBuffer was called with a DMA adapter that was put back"),
      std::string::npos);
  ASSERT_EQ(observer.violations[0].stacks.size(), 3u);
  EXPECT_EQ(observer.violations[0].stacks[2].role, "put back");
}

TEST_F(IoDmaTest, AnAdapterIsPutBackAfterWhatItGave) {
  observer.then = Then::GoOn;
  with_adapter([&] {
    PHYSICAL_ADDRESS logical;
    ASSERT_NE(operations->AllocateCommonBuffer(adapter, 100, &logical, TRUE), nullptr);
    operations->PutDmaAdapter(adapter);
  });
  EXPECT_EQ(broken(), std::vector<std::string>{"DmaAdapterInUse"});
}

// --- Common buffers ---

TEST_F(IoDmaTest, ACommonBufferIsSharedWithTheDevice) {
  with_adapter([&] {
    PHYSICAL_ADDRESS logical;
    auto* buffer = static_cast<char*>(operations->AllocateCommonBuffer(adapter, 2 * PAGE_SIZE + 10, &logical, TRUE));
    ASSERT_NE(buffer, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer) % PAGE_SIZE, 0u);
    EXPECT_GE(bits(logical), uint64_t{1} << 32);
    EXPECT_NE(bits(logical), bits(MmGetPhysicalAddress(buffer)));
    EXPECT_TRUE(device_writes(bits(logical), 2 * PAGE_SIZE + 10));
    EXPECT_EQ(std::count(buffer, buffer + 2 * PAGE_SIZE + 10, 'd'), 2 * PAGE_SIZE + 10);
    EXPECT_FALSE(device_writes(bits(logical), 2 * PAGE_SIZE + 11));
    operations->FreeCommonBuffer(adapter, 2 * PAGE_SIZE + 10, logical, buffer, TRUE);
    EXPECT_FALSE(device_writes(bits(logical), 1));
    operations->PutDmaAdapter(adapter);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(IoDmaTest, ACommonBufferIsFreedOnceAndAsItWasAllocated) {
  observer.then = Then::GoOn;
  with_adapter([&] {
    for (int wrong : {0, 1}) {
      PHYSICAL_ADDRESS logical;
      void* buffer = operations->AllocateCommonBuffer(adapter, 100, &logical, TRUE);
      PHYSICAL_ADDRESS told = logical;
      told.QuadPart += wrong;
      operations->FreeCommonBuffer(adapter, 100 + 1 - static_cast<ULONG>(wrong), told, buffer, TRUE);
      operations->FreeCommonBuffer(adapter, 100, logical, buffer, TRUE);
    }
  });
  EXPECT_EQ(broken(), std::vector<std::string>(4, "DmaCommonBufferMismatch"));
}

TEST_F(IoDmaTest, WithoutMemoryThereIsNoCommonBuffer) {
  with_adapter([&] {
    PHYSICAL_ADDRESS logical;
    observer.failing_allocations = 1;
    EXPECT_EQ(operations->AllocateCommonBuffer(adapter, 100, &logical, TRUE), nullptr);
    EXPECT_EQ(operations->AllocateCommonBuffer(adapter, 0, &logical, TRUE), nullptr);
    EXPECT_EQ(operations->AllocateCommonBuffer(adapter, Iommu::kPages * PAGE_SIZE, &logical, TRUE), nullptr);
    operations->PutDmaAdapter(adapter);
  });
  EXPECT_TRUE(broken().empty());
}

// --- For class drivers ---

TEST_F(IoDmaTest, AClassDriverMapsWithinTheBudget) {
  options.map_registers = 4;
  with_adapter([&] {
    DmaAdapters& dma = machine().dma();
    PMDL mdl = make_mdl(4);
    std::vector<DmaAdapters::Piece> pieces;
    auto first = dma.map(*adapter, *mdl, 10, 2 * PAGE_SIZE, false, 1000, pieces);
    ASSERT_TRUE(first.ok());
    for (const auto& piece : pieces) EXPECT_LE(piece.bytes, 1000u);
    EXPECT_TRUE(device_writes(pieces[0].bus, pieces[0].bytes));
    EXPECT_EQ(dma.map(*adapter, *mdl, 0, 2 * PAGE_SIZE, false, 0, pieces).status(), STATUS_INSUFFICIENT_RESOURCES);
    EXPECT_EQ(dma.map(*adapter, *mdl, 0, 5 * PAGE_SIZE, false, 0, pieces).status(), STATUS_BUFFER_TOO_SMALL);
    ASSERT_EQ(get_list(mdl, 2 * PAGE_SIZE), STATUS_SUCCESS);
    EXPECT_TRUE(routine.lists.empty());
    dma.unmap(*adapter, first.take());
    ASSERT_EQ(routine.lists.size(), 1u);
    EXPECT_EQ(KeGetCurrentIrql(), PASSIVE_LEVEL);
    put_list(routine.lists[0]);
    auto later = dma.map(*adapter, *mdl, 0, 10, true, 0, pieces);
    ASSERT_TRUE(later.ok());
    operations->PutDmaAdapter(adapter);
    dma.unmap(*adapter, later.take());
  });
  EXPECT_TRUE(broken().empty());
}

// --- The device ---

constexpr ULONG kDma = 0x10, kDmaAddress = 0x20, kDmaBytes = 0x28, kDmaRead = 1, kDmaWrite = 2, kBadAddress = 2;

class AttachedDeviceTest : public DmaAdapterTest {
 protected:
  // `body` runs with a sample device (testing/sample_device.c) and its adapter.
  void with_device(const std::function<void()>& body) {
    static const DeviceModel sample = DeviceModel::load(SAMPLE_DEVICE).take();
    run([&] {
      device = Device::create(machine(), sample).take();
      PHYSICAL_ADDRESS physical;
      physical.QuadPart = static_cast<LONGLONG>(device->bar(0)->physical);
      registers = static_cast<UCHAR*>(MmMapIoSpace(physical, PAGE_SIZE, MmNonCached));
      pdo = make_pdo();
      device->attach_to(*pdo);
      body();
    });
  }
  ULONG transfer(ULONG command, uint64_t address, ULONG bytes) {
    WRITE_REGISTER_ULONG64(reinterpret_cast<volatile ULONG64*>(registers + kDmaAddress), address);
    WRITE_REGISTER_ULONG(reinterpret_cast<volatile ULONG*>(registers + kDmaBytes), bytes);
    WRITE_REGISTER_ULONG(reinterpret_cast<volatile ULONG*>(registers + kDma), command);
    return READ_REGISTER_ULONG(reinterpret_cast<volatile ULONG*>(registers + kDma));
  }

  std::unique_ptr<Device> device;
  UCHAR* registers = nullptr;
};

TEST_F(AttachedDeviceTest, GoesByPhysicalAddressesUntilThereIsAnAdapter) {
  observer.then = Then::GoOn;
  with_device([&] {
    void* block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, kDmaTestTag);
    uint64_t address = bits(MmGetPhysicalAddress(block));
    EXPECT_EQ(transfer(kDmaWrite, address, 64), 0u);
    adapter = get(describe_device());
    EXPECT_EQ(transfer(kDmaWrite, address, 64), kBadAddress);
    ExFreePool(block);
  });
  ASSERT_EQ(broken(), std::vector<std::string>{"DmaNeverMapped"});
  const std::string& sentence = observer.violations[0].sentence;
  EXPECT_NE(sentence.find("device sample writes 64 byte(s) at bus address 0x4"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("which is a physical address, and was never mapped for it"), std::string::npos) << sentence;
}

TEST_F(AttachedDeviceTest, ReachesWhatItsAdapterMapped) {
  observer.then = Then::GoOn;
  with_device([&] {
    adapter = get(describe_device());
    operations = adapter->DmaOperations;
    PHYSICAL_ADDRESS logical;
    auto* buffer = static_cast<char*>(operations->AllocateCommonBuffer(adapter, PAGE_SIZE, &logical, TRUE));
    std::memset(buffer, 'x', PAGE_SIZE);
    EXPECT_EQ(transfer(kDmaRead, bits(logical), PAGE_SIZE), 0u);
    std::memset(buffer, 0, PAGE_SIZE);
    EXPECT_EQ(transfer(kDmaWrite, bits(logical), PAGE_SIZE), 0u);
    EXPECT_EQ(std::count(buffer, buffer + PAGE_SIZE, 'x'), PAGE_SIZE);
    operations->FreeCommonBuffer(adapter, PAGE_SIZE, logical, buffer, TRUE);
    EXPECT_EQ(transfer(kDmaWrite, bits(logical), 4), kBadAddress);
  });
  ASSERT_EQ(broken(), std::vector<std::string>{"DmaUnmapped"});
  ASSERT_EQ(observer.violations[0].stacks.size(), 3u);
  EXPECT_EQ(observer.violations[0].stacks[1].role, "mapped");
  EXPECT_EQ(observer.violations[0].stacks[2].role, "unmapped");
}

TEST_F(AttachedDeviceTest, DoesNotReachWhatIsAnothers) {
  observer.then = Then::GoOn;
  with_device([&] {
    adapter = get(describe_device());
    pdo = make_pdo();
    PDMA_ADAPTER other = get(describe_device());
    PHYSICAL_ADDRESS logical;
    ASSERT_NE(other->DmaOperations->AllocateCommonBuffer(other, 100, &logical, TRUE), nullptr);
    EXPECT_EQ(transfer(kDmaRead, bits(logical), 4), kBadAddress);
  });
  EXPECT_EQ(broken(), std::vector<std::string>{"DmaForeign"});
}

}  // namespace
}  // namespace nt
