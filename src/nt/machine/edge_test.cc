#include "nt/machine/edge.h"

#include <cstring>

#include "nt/boundary/driver_call.h"
#include "nt/testing/machine_fixture.h"

// What the compiler calls at each edge, and once per module.
extern "C" {
void __sanitizer_cov_trace_pc_guard(uint32_t* guard);
void __sanitizer_cov_trace_pc_guard_init(uint32_t* first, uint32_t* last);
void __sanitizer_cov_pcs_init(const uintptr_t* first, const uintptr_t* last);
}

namespace nt {
namespace {

using Strings = std::vector<std::string>;

// A module as the compiler lays it out: guards, and the code each of them stands for.
template <size_t N>
struct Module {
  uint32_t guards[N] = {};
  uintptr_t pcs[2 * N] = {};

  explicit Module(uintptr_t code) {
    for (size_t i = 0; i < N; ++i) pcs[2 * i] = code + i * 16;
  }
  void load() {
    __sanitizer_cov_trace_pc_guard_init(guards, guards + N);
    __sanitizer_cov_pcs_init(pcs, pcs + 2 * N);
  }
  uintptr_t lo() const { return reinterpret_cast<uintptr_t>(this); }
  uintptr_t hi() const { return lo() + sizeof(*this); }
};

TEST(EdgeTest, OutsideOfAMachineAnEdgeIsNothing) {
  uint32_t guard = 2;
  for (int i = 0; i < 1000; ++i) __sanitizer_cov_trace_pc_guard(&guard);
}

TEST(EdgeTest, MarksTheGuardsOfPagedCode) {
  static Module<4> module(0x1000);
  static Module<4> other(0x1000);
  module.load();
  other.load();
  EXPECT_EQ(module.guards[0], 1u);
  mark_paged_code(module.lo(), module.hi(), 0x1010, 0x1030);
  EXPECT_EQ(std::vector<uint32_t>(module.guards, module.guards + 4), (std::vector<uint32_t>{1, 2, 2, 1}));
  EXPECT_EQ(std::vector<uint32_t>(other.guards, other.guards + 4), (std::vector<uint32_t>{1, 1, 1, 1}));
}

TEST(EdgeTest, AModuleLoadedTwiceKeepsItsGuards) {
  static Module<2> module(0x1000);
  module.load();
  mark_paged_code(module.lo(), module.hi(), 0x1000, 0x1010);
  module.load();  // each translation unit's constructor calls for the whole module
  EXPECT_EQ(module.guards[0], 2u);
}

// Another driver may be loaded where one was unloaded; what was known of the first must be forgotten.
TEST(EdgeTest, AModuleTakesThePlaceOfAnUnloadedOne) {
  static Module<8> old(0x1000);
  old.load();
  memset(old.guards, 0, sizeof(old.guards));
  __sanitizer_cov_trace_pc_guard_init(old.guards, old.guards + 2);
  mark_paged_code(old.lo(), old.hi(), 0x1000, 0x2000);
  EXPECT_EQ(std::vector<uint32_t>(old.guards, old.guards + 8), (std::vector<uint32_t>{1, 1, 0, 0, 0, 0, 0, 0}));
}

class EdgesOfADriver : public MachineTest {
 protected:
  static void edge(uint32_t kind = 1) {
    uint32_t guard = kind;
    __sanitizer_cov_trace_pc_guard(&guard);
  }
};

TEST_F(EdgesOfADriver, PagedCodeMayNotRunRaised) {
  observer.then = Then::GoOn;
  run([&] {
    edge(2);
    KIRQL old;
    KeRaiseIrql(APC_LEVEL, &old);
    edge(2);
    EXPECT_EQ(broken(), Strings{});
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    edge(1);
    EXPECT_EQ(broken(), Strings{});
    edge(2);
    edge(2);  // once is enough
    KeLowerIrql(PASSIVE_LEVEL);
    edge(2);
  });
  EXPECT_EQ(broken(), Strings{"PagedCodeRaised"});
  EXPECT_EQ(observer.violations.at(0).sentence, "code of the PAGE section runs at DISPATCH_LEVEL");
}

__attribute__((noinline)) int dive(int depth) {
  volatile char room[1024];
  room[depth * 32] = static_cast<char>(depth);
  uint32_t guard = 1;
  __sanitizer_cov_trace_pc_guard(&guard);
  return depth == 0 ? 0 : dive(depth - 1) + room[depth * 32];
}

TEST_F(EdgesOfADriver, ADeepStackIsFoundOncePerCall) {
  observer.then = Then::GoOn;
  options.stack_bytes = 16 * 1024;
  run([&] {
    call_driver(
        machine(), "Shallow", nullptr, +[](int depth) { (void)dive(depth); }, 4);
    EXPECT_EQ(broken(), Strings{});
    call_driver(
        machine(), "Deep", nullptr, +[](int depth) { (void)dive(depth); }, 30);
    EXPECT_EQ(broken(), Strings{"StackTooDeep"});
    call_driver(
        machine(), "DeepAgain", nullptr, +[](int depth) { (void)dive(depth); }, 30);
  });
  EXPECT_EQ(broken(), (Strings{"StackTooDeep", "StackTooDeep"}));
  EXPECT_EQ(observer.violations.at(0).sentence, "Deep uses more than 16384 bytes of stack");
  EXPECT_EQ(observer.violations.at(0).in_call, "Deep");
}

TEST_F(EdgesOfADriver, AnotherThreadsDepthIsItsOwn) {
  options.stack_bytes = 16 * 1024;
  run([&] {
    Thread& other = machine().create_thread("other", [&] {
      for (int i = 0; i < 5000; ++i) edge();
    });
    call_driver(
        machine(), "Shallow", nullptr, +[] {
          for (int i = 0; i < 5000; ++i) edge();
        });
    KeWaitForSingleObject(other.body, Executive, KernelMode, FALSE, nullptr);
  });
  EXPECT_EQ(broken(), Strings{});
}

TEST_F(EdgesOfADriver, TimePassesAtEveryEdge) {
  run([&] {
    base::TimeNs before = machine().executor().now();
    for (int i = 0; i < 100; ++i) edge();
    EXPECT_EQ(machine().executor().now() - before, 100 * SimulatedExecutor::kEdgeNs);
    for (int i = 0; i < 100'000; ++i) edge();
    EXPECT_EQ(machine().executor().now() - before, 100'100 * SimulatedExecutor::kEdgeNs);
  });
}

}  // namespace
}  // namespace nt
