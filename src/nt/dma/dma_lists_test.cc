#include <algorithm>

#include "nt/testing/dma_fixture.h"

namespace nt {
namespace {

class DmaListTest : public DmaAdapterTest {};

TEST_F(DmaListTest, AListDescribesTheBufferForTheDevice) {
  run_seeds(20, [&] {
    routine = {};
    pdo = make_pdo();
    adapter = get(describe_device());
    operations = adapter->DmaOperations;
    PMDL mdl = make_mdl(4);
    ASSERT_EQ(get_list(mdl, 3 * PAGE_SIZE, FALSE, 100), STATUS_SUCCESS);
    ASSERT_EQ(routine.lists.size(), 1u);
    EXPECT_EQ(routine.irqls[0], DISPATCH_LEVEL);
    PSCATTER_GATHER_LIST list = routine.lists[0];
    char next = 'a';
    for (ULONG i = 0; i < list->NumberOfElements; ++i, ++next) {
      std::vector<char> from(list->Elements[i].Length, next);
      ASSERT_FALSE(bus().write(bits(list->Elements[i].Address), from.data(), from.size()));
    }
    EXPECT_TRUE(std::is_sorted(memory + 100, memory + 100 + 3 * PAGE_SIZE));
    EXPECT_EQ(memory[100], 'a');
    EXPECT_EQ(memory[99 + 3 * PAGE_SIZE], next - 1);
    EXPECT_EQ(memory[100 + 3 * PAGE_SIZE], 0);
    uint64_t first = bits(list->Elements[0].Address);
    put_list(list, FALSE);
    EXPECT_FALSE(device_writes(first, 1));
    operations->PutDmaAdapter(adapter);
    free_mdl(mdl);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(DmaListTest, AChainOfMdlsIsOneTransfer) {
  with_adapter([&] {
    PMDL first = make_mdl(1), second = make_mdl(2, 50);
    first->Next = second;
    ASSERT_EQ(get_list(first, PAGE_SIZE + 200, FALSE, 10), STATUS_SUCCESS);
    PSCATTER_GATHER_LIST list = routine.lists[0];
    ULONG bytes = 0;
    for (ULONG i = 0; i < list->NumberOfElements; ++i) {
      EXPECT_TRUE(device_writes(bits(list->Elements[i].Address), list->Elements[i].Length));
      bytes += list->Elements[i].Length;
    }
    EXPECT_EQ(bytes, PAGE_SIZE + 200u);
    EXPECT_EQ(std::count(memory, memory + 2 * PAGE_SIZE, 'd'), 210);
    EXPECT_EQ(memory[50], 'd');
    put_list(list, FALSE);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(DmaListTest, ADeviceThatCannotGatherGetsOneElement) {
  DEVICE_DESCRIPTION description = describe_device();
  description.ScatterGather = FALSE;
  with_adapter(description, [&] {
    PMDL mdl = make_mdl(8);
    ASSERT_EQ(get_list(mdl, 8 * PAGE_SIZE), STATUS_SUCCESS);
    EXPECT_EQ(routine.lists[0]->NumberOfElements, 1u);
    EXPECT_EQ(routine.lists[0]->Elements[0].Length, 8u * PAGE_SIZE);
    put_list(routine.lists[0]);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(DmaListTest, AListIsRefusedForWhatTheDocumentationSays) {
  options.map_registers = 2;
  with_adapter([&] {
    PMDL mdl = make_mdl(3);
    EXPECT_EQ(get_list(mdl, 3 * PAGE_SIZE), STATUS_INSUFFICIENT_RESOURCES);
    EXPECT_EQ(get_list(mdl, PAGE_SIZE, TRUE, 2 * PAGE_SIZE + 1), STATUS_BUFFER_TOO_SMALL);
    observer.failing_allocations = 1;
    EXPECT_EQ(get_list(mdl, PAGE_SIZE), STATUS_INSUFFICIENT_RESOURCES);
    EXPECT_TRUE(routine.lists.empty());
    EXPECT_EQ(get_list(mdl, 2 * PAGE_SIZE), STATUS_SUCCESS);
    put_list(routine.lists[0]);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(DmaListTest, ARequestWithoutFreeMapRegistersWaits) {
  options.map_registers = 3;
  with_adapter([&] {
    PMDL mdl = make_mdl(3);
    for (ULONG pages : {2, 3, 1}) ASSERT_EQ(get_list(mdl, pages * PAGE_SIZE), STATUS_SUCCESS);
    ASSERT_EQ(routine.lists.size(), 1u);  // and the last one does not overtake
    put_list(routine.lists[0]);
    ASSERT_EQ(routine.lists.size(), 2u);
    put_list(routine.lists[1]);
    ASSERT_EQ(routine.lists.size(), 3u);
    put_list(routine.lists[2]);
    EXPECT_EQ(routine.irqls, std::vector<KIRQL>(3, DISPATCH_LEVEL));
    operations->PutDmaAdapter(adapter);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(DmaListTest, AListIsPutOnceAndForItsDirection) {
  observer.then = Then::GoOn;
  with_adapter([&] {
    PMDL mdl = make_mdl(1);
    ASSERT_EQ(get_list(mdl, 100), STATUS_SUCCESS);
    put_list(routine.lists[0], FALSE);
    put_list(routine.lists[0]);
    SCATTER_GATHER_LIST none{};
    put_list(&none);
  });
  EXPECT_EQ(broken(), std::vector<std::string>(3, "DmaListMismatch"));
  EXPECT_NE(observer.violations[1].sentence.find("that was put before"), std::string::npos);
  EXPECT_EQ(observer.violations[1].stacks.back().role, "put before");
}

TEST_F(DmaListTest, PagesAreLockedBeforeTheyAreMapped) {
  observer.then = Then::GoOn;
  with_adapter([&] {
    char buffer[10];
    PMDL mdl = IoAllocateMdl(buffer, sizeof(buffer), FALSE, FALSE, nullptr);
    EXPECT_EQ(get_list(mdl, 10), STATUS_INVALID_PARAMETER);
    IoFreeMdl(mdl);
  });
  EXPECT_EQ(broken(), std::vector<std::string>{"MdlLockMismatch"});
}

TEST_F(DmaListTest, ADriverMayBringTheMemoryOfItsList) {
  with_adapter([&] {
    PMDL mdl = make_mdl(3);
    ULONG bytes = 0, registers = 0;
    PVOID start = MmGetMdlVirtualAddress(mdl);
    ASSERT_EQ(operations->CalculateScatterGatherList(adapter, mdl, start, 3 * PAGE_SIZE, &bytes, &registers),
              STATUS_SUCCESS);
    EXPECT_EQ(registers, 3u);
    EXPECT_EQ(bytes, sizeof(SCATTER_GATHER_LIST) + 3 * sizeof(SCATTER_GATHER_ELEMENT));
    ULONG without_mdl = 0;
    ASSERT_EQ(operations->CalculateScatterGatherList(adapter, nullptr, start, 3 * PAGE_SIZE, &without_mdl, nullptr),
              STATUS_SUCCESS);
    EXPECT_EQ(without_mdl, bytes);
    EXPECT_EQ(operations->CalculateScatterGatherList(adapter, mdl, start, 4 * PAGE_SIZE, &bytes, nullptr),
              STATUS_BUFFER_TOO_SMALL);
    EXPECT_EQ(operations->CalculateScatterGatherList(adapter, nullptr, start, 40 * PAGE_SIZE, &bytes, nullptr),
              STATUS_INSUFFICIENT_RESOURCES);
    void* room = ExAllocatePool2(POOL_FLAG_NON_PAGED, bytes, kDmaTestTag);
    auto build = [&](ULONG size) {
      return at_dispatch([&] {
        return operations->BuildScatterGatherList(adapter, pdo, mdl, start, 3 * PAGE_SIZE, &DmaRoutine::list_control,
                                                  &routine, TRUE, room, size);
      });
    };
    EXPECT_EQ(build(bytes - 1), STATUS_BUFFER_TOO_SMALL);
    ASSERT_EQ(build(bytes), STATUS_SUCCESS);
    EXPECT_EQ(routine.lists, std::vector<PSCATTER_GATHER_LIST>{static_cast<PSCATTER_GATHER_LIST>(room)});
    PMDL target = nullptr;
    EXPECT_EQ(operations->BuildMdlFromScatterGatherList(adapter, routine.lists[0], mdl, &target), STATUS_SUCCESS);
    EXPECT_EQ(target, mdl);
    EXPECT_EQ(operations->BuildMdlFromScatterGatherList(adapter, routine.lists[0], nullptr, &target),
              STATUS_INVALID_PARAMETER);
    put_list(routine.lists[0]);
    ExFreePool(room);
  });
  EXPECT_TRUE(broken().empty());
}

TEST_F(DmaListTest, ListsAreGotAndPutAtDispatchLevel) {
  observer.then = Then::GoOn;
  with_adapter([&] {
    PMDL mdl = make_mdl(1);
    operations->GetScatterGatherList(adapter, pdo, mdl, MmGetMdlVirtualAddress(mdl), 10, &DmaRoutine::list_control,
                                     &routine, TRUE);
    operations->PutScatterGatherList(adapter, routine.lists.at(0), TRUE);
    operations->AllocateAdapterChannel(adapter, pdo, 1, &DmaRoutine::control, &routine);
    EXPECT_EQ(routine.irqls, std::vector<KIRQL>(2, DISPATCH_LEVEL));
    EXPECT_EQ(KeGetCurrentIrql(), PASSIVE_LEVEL);
  });
  EXPECT_EQ(broken(), std::vector<std::string>(3, "IrqlTooLow"));
}

}  // namespace
}  // namespace nt
