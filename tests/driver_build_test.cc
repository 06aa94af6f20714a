// Proves what cmake/DrydockDriver.cmake promises, on a driver built by it: this program is its host.
#include <dlfcn.h>
#include <fmt/format.h>

#include <climits>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "driver_build/probe.h"
#include "gtest/gtest.h"

namespace {

struct HostState {
  bool refuse_memory = false;
  int allocations = 0;
  int frees = 0;
  int pc_tables = 0;
  int edges = 0;
  int assertions = 0, prints = 0, paged_code = 0;
};
HostState host;

}  // namespace

extern "C" {

__attribute__((used)) void* probe_allocate(unsigned long long size) {
  if (host.refuse_memory) return nullptr;
  ++host.allocations;
  return std::malloc(size);
}

__attribute__((used)) void probe_free(void* memory) {
  ++host.frees;
  std::free(memory);
}

__attribute__((used)) void RtlAssert(void*, void*, uint32_t, char*) { ++host.assertions; }
__attribute__((used)) uint32_t DbgPrint(const char*, ...) { return static_cast<uint32_t>(++host.prints); }
__attribute__((used)) uint32_t DbgPrintEx(uint32_t, uint32_t, const char*, ...) {
  return static_cast<uint32_t>(++host.prints);
}
__attribute__((used)) void DrydockPagedCode() { ++host.paged_code; }

__attribute__((used)) void __sanitizer_cov_trace_pc_guard_init(uint32_t* first, uint32_t* last) {
  for (; first < last; ++first) *first = 1;
}
__attribute__((used)) void __sanitizer_cov_trace_pc_guard(uint32_t*) { ++host.edges; }
__attribute__((used)) void __sanitizer_cov_pcs_init(const uintptr_t* first, const uintptr_t* last) {
  if (first < last) ++host.pc_tables;
}
}

namespace {

class DriverBuild : public ::testing::Test {
 protected:
  // Loaded once: a driver's instrumentation announces itself when it is loaded, not when it is found again.
  static void SetUpTestSuite() {
    module_ = dlopen(DRYDOCK_PROBE_DRIVER, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(module_, nullptr) << dlerror();
    auto* entry = reinterpret_cast<int (*)(ProbeTable*)>(dlsym(module_, "DriverEntry"));
    ASSERT_NE(entry, nullptr) << dlerror();
    ASSERT_EQ(entry(&driver_), 0);
  }
  static void TearDownTestSuite() { dlclose(module_); }

  void SetUp() override {
    host.refuse_memory = false;
    host.allocations = host.frees = host.edges = 0;
  }

  static void* module_;
  static ProbeTable driver_;
};
void* DriverBuild::module_ = nullptr;
ProbeTable DriverBuild::driver_ = {};

TEST_F(DriverBuild, OnlyTheEntryPointIsExported) {
  EXPECT_NE(dlsym(module_, "DriverEntry"), nullptr);
  EXPECT_EQ(dlsym(module_, "NotExported"), nullptr);
  EXPECT_EQ(dlsym(module_, "probe_paged_by_alloc_text"), nullptr);
}

TEST_F(DriverBuild, NewAndDeleteAreTheDriversOwn) {
  EXPECT_EQ(driver_.new_and_delete(), 7);
  EXPECT_EQ(driver_.new_and_delete_array(), 7);
  EXPECT_EQ(driver_.tagged_new(), 7);
  EXPECT_EQ(host.allocations, 3);
  EXPECT_EQ(host.frees, 3);
}

TEST_F(DriverBuild, NewThatGivesNullRunsNoConstructor) {
  host.refuse_memory = true;
  EXPECT_EQ(driver_.new_and_delete(), -1);
  EXPECT_EQ(driver_.new_and_delete_array(), -1);
  EXPECT_EQ(driver_.tagged_new(), -1);
  EXPECT_EQ(host.frees, 0);
}

TEST_F(DriverBuild, PageableCodeLiesInItsSection) {
  EXPECT_EQ(driver_.paged_by_code_seg(), 1);
  EXPECT_EQ(driver_.paged_by_declspec(), 1);
  EXPECT_EQ(driver_.paged_by_alloc_text(), 1);
  EXPECT_EQ(driver_.static_paged_by_alloc_text(), 1);
  EXPECT_EQ(driver_.not_paged(), 0);
}

TEST_F(DriverBuild, EdgesAreReported) {
  EXPECT_GE(host.pc_tables, 1);
  driver_.not_paged();
  EXPECT_GT(host.edges, 0);
}

TEST_F(DriverBuild, AFileWithTryIsNotOptimised) {
  EXPECT_EQ(driver_.optimised(), 1);
  EXPECT_EQ(driver_.try_optimised(), 0);
}

TEST_F(DriverBuild, RewritingKeepsFileAndLine) {
  std::ifstream source(DRYDOCK_PROBE_SOURCE);
  int line = 1;
  std::string text;
  while (std::getline(source, text) && text.find("const char* where()") == std::string::npos) ++line;
  ASSERT_TRUE(source);
  EXPECT_EQ(driver_.where(), fmt::format("{}:{}", DRYDOCK_PROBE_SOURCE, line));
}

TEST_F(DriverBuild, WideCharactersHaveSixteenBits) { EXPECT_EQ(driver_.wchar_size(), 2); }

// A driver of its own, loaded for one test.
class Loaded {
 public:
  explicit Loaded(const std::string& name)
      : module_(dlopen((DRYDOCK_TEST_DRIVERS + name + ".so").c_str(), RTLD_NOW | RTLD_LOCAL)) {
    EXPECT_NE(module_, nullptr) << dlerror();
  }
  ~Loaded() { dlclose(module_); }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  template <typename... Arguments>
  int enter(Arguments... arguments) {
    return reinterpret_cast<int (*)(Arguments...)>(dlsym(module_, "DriverEntry"))(arguments...);
  }

 private:
  void* module_;
};

// Under a sanitizer too: what stops here would stop every driver that was written for MSVC.
TEST(DriverArithmetic, IsThatOfMsvc) {
  Loaded driver("arithmetic");
  EXPECT_EQ(driver.enter(0, INT_MAX), 1) << "signed addition wraps";
  EXPECT_EQ(driver.enter(1, INT_MIN), 1) << "signed negation wraps";
  EXPECT_EQ(driver.enter(2, 31), 1) << "a bit may be shifted into the sign";
  EXPECT_EQ(driver.enter(3, 7), 1) << "an enumeration holds every int";
}

TEST(DriverBuildKind, ACheckedBuildAsserts) {
  host = {};
  EXPECT_EQ(Loaded("checked_build").enter(7), 3);
  EXPECT_EQ(host.assertions, 5);
  EXPECT_EQ(host.prints, 2);
  EXPECT_EQ(host.paged_code, 1);
}

TEST(DriverBuildKind, AFreeBuildDoesNot) {
  for (const char* name : {"free_build", "own_build"}) {
    SCOPED_TRACE(name);
    host = {};
    EXPECT_EQ(Loaded(name).enter(7), 1) << "DBG is 0, and NT_VERIFY still looks";
    EXPECT_EQ(host.assertions, 1) << "NT_FRE_ASSERT alone";
    EXPECT_EQ(host.prints, 0);
    EXPECT_EQ(host.paged_code, 0);
  }
}

}  // namespace
