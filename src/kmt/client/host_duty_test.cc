// What the documents promise a driver of the kernel around it, seen from a client: the rows of the catalogue
// (verifier/catalogue/catalogue.def) that no test of a single call has in mind.
#include <algorithm>
#include <initializer_list>
#include <vector>

#include "kmt/testing/memory_fixture.h"

namespace kmt {
namespace {

using dxgk::Ddi;
using testing::CreateArgs;
using testing::Program;

class HostDuty : public testing::MemoryTest {
 protected:
  void SetUp() override {
    if (base::kSanitizer == base::Sanitizer::Thread) {
      GTEST_SKIP() << "calls overlap in the driver, and the fake one takes no locks";
    }
  }

  // Counts the threads in these functions of the driver; each lets others run meanwhile if its IRQL allows.
  void watch(std::initializer_list<Ddi> ddis) {
    for (Ddi ddi : ddis) {
      auto before = driver.at[ddi];
      driver.at[ddi] = [this, before] {
        most_inside = std::max(most_inside, ++inside);
        for (int i = 0; i < 8 && machine().self().irql == PASSIVE_LEVEL; ++i) {
          machine().executor().yield(base::Point::Yield);
        }
        if (before) before();
        --inside;
      };
    }
  }
  // All at once, each on a thread of its own; returns when they have.
  void together(const std::vector<std::function<void()>>& bodies) {
    size_t done = 0;
    for (const auto& body : bodies) {
      machine().create_thread("together", [&] {
        body();
        ++done;
      });
    }
    while (done < bodies.size()) machine().executor().yield(base::Point::Yield);
  }

  int inside = 0;
  int most_inside = 0;
};

// TH-01
TEST_F(HostDuty, AProcessIsInTheDriverOnce) {
  watch({Ddi::CreateAllocation, Ddi::OpenAllocation, Ddi::CloseAllocation, Ddi::DestroyAllocation});
  run_adapter([&](dxgk::Adapter& its) {
    Program a(kernel(), "a"), b(kernel(), "b");
    a.start(its);
    b.start(its);
    auto come_and_go = [](Program& program) {
      return [&program] { EXPECT_EQ(destroy_list(program, {make(program)}), STATUS_SUCCESS); };
    };
    together({come_and_go(a), come_and_go(a), come_and_go(a)});
    EXPECT_EQ(most_inside, 1);
    together({come_and_go(a), come_and_go(b)});
    EXPECT_EQ(most_inside, 2) << "another process is not kept waiting";
  });
}

// TH-02
TEST_F(HostDuty, OneThreadInAllPagesAndSubmits) {
  watch({Ddi::BuildPagingBuffer, Ddi::SubmitCommandVirtual, Ddi::SetRootPageTable});
  run_adapter([&](dxgk::Adapter& its) {
    Program a(kernel(), "a"), b(kernel(), "b");
    a.start(its);
    b.start(its);
    auto page = [](Program& program) {
      return [&program] {
        auto queue = make_queue(program);
        D3DKMT_HANDLE allocation = make(program);
        EXPECT_EQ(make_resident(program, queue, {allocation}), STATUS_SUCCESS);
        auto args = map_args(queue, allocation);
        EXPECT_EQ(map(program, queue, args), STATUS_SUCCESS);
        EXPECT_EQ(evict(program, {allocation}), STATUS_SUCCESS);
      };
    };
    together({page(a), page(b), page(a)});
  });
  EXPECT_EQ(most_inside, 1);
  EXPECT_GT(driver.calls(Ddi::BuildPagingBuffer), 0u);
}

// TH-03
TEST_F(HostDuty, TheStopIsAlone) {
  watch({Ddi::CreateAllocation, Ddi::OpenAllocation, Ddi::BuildPagingBuffer});
  int others = -1;
  driver.at[Ddi::StopDevice] = [&] { others = inside; };
  run_program([&](Program& program) {
    together({[&] {
                CreateArgs create = CreateArgs::driver(program.device);
                NTSTATUS status = create.create(program);
                EXPECT_TRUE(status == STATUS_SUCCESS || status == STATUS_DEVICE_REMOVED) << std::hex << status;
              },
              [&] {
                while (!inside) machine().executor().yield(base::Point::Yield);
                adapter().stop();
              }});
  });
  EXPECT_EQ(others, 0);
}

// RS-17
TEST_F(HostDuty, PageTablesAreNoAllocationsOfTheDrivers) {
  size_t tables = 0;
  driver.build_paging = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    tables += args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE;
    return STATUS_SUCCESS;
  };
  run_program([&](Program& program) {
    auto queue = make_queue(program);
    D3DKMT_HANDLE allocation = make(program);
    ASSERT_EQ(make_resident(program, queue, {allocation}), STATUS_SUCCESS);
    size_t created = driver.calls(Ddi::CreateAllocation), before = tables;
    auto args = map_args(queue, allocation);
    ASSERT_EQ(map(program, queue, args), STATUS_SUCCESS);
    EXPECT_GT(tables, before);
    EXPECT_EQ(driver.calls(Ddi::CreateAllocation), created);
  });
}

// AB-05, AB-06
TEST(HostWidths, AreThoseOfWindows) {
  EXPECT_EQ(sizeof(D3DKMT_HANDLE), 4u);
  EXPECT_EQ(sizeof(HANDLE), sizeof(void*));
  EXPECT_EQ(sizeof(ULONG), 4u);
  EXPECT_EQ(sizeof(LONG), 4u);
  EXPECT_EQ(sizeof(NTSTATUS), 4u);
  EXPECT_LT(STATUS_INVALID_PARAMETER, 0) << "errors are negative";
}

}  // namespace
}  // namespace kmt
