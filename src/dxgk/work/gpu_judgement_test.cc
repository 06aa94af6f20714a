// What comes late, or only when it is asked for: whose fault it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sanitizer.h"
#include "dxgk/testing/gpu_fixture.h"
#include "dxgk/work/gpu.h"

namespace dxgk {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::GpuTest;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class GpuThatIsLate : public GpuTest {
 protected:
  GpuThatIsLate() {
    s_query = [this] { return on_query(); };
    driver.table.DxgkDdiQueryCurrentFence = [](IN_CONST_HANDLE, INOUT_PDXGKARG_QUERYCURRENTFENCE args) -> NTSTATUS {
      args->CurrentFence = s_query();
      return STATUS_SUCCESS;
    };
    observer.then = nt::Then::GoOn;
  }
  ~GpuThatIsLate() override { s_query = nullptr; }
  void SetUp() override {
    if (base::kSanitizer == base::Sanitizer::Thread) {
      GTEST_SKIP() << "the adapter's threads overlap in the driver, and the fake one takes no locks";
    }
  }

  // Two packets, of which the first is reported, and then nothing for longer than a packet may take.
  void run_late(const std::function<void(Gpu&)>& before) {
    run_started([&](Adapter& adapter) {
      before(adapter.gpu());
      Client client = open(adapter);
      base::Ref<Context> context = make_context(client);
      ASSERT_TRUE(submit(context).ok());
      ASSERT_TRUE(submit(context).ok());
      wait_for_submissions(2);
      complete(1);
      let_pass(20 * kSecond);
      destroy(client, *context);
      client.process->end();
    });
  }
  std::string sentence_about(nt::Violation what) const {
    for (const nt::ViolationReport& violation : observer.violations) {
      if (violation.what == what) return violation.sentence;
    }
    return "";
  }
  static constexpr base::TimeNs kSecond = 1'000'000'000;

  // What the driver answers when it is asked for its current fence: what it has reported.
  std::function<UINT()> on_query = [] { return 1u; };

 private:
  static inline std::function<UINT()> s_query;
};

void trust(Gpu& gpu) { gpu.trust_hardware(); }
void nobody(Gpu&) {}

TEST_F(GpuThatIsLate, IsTheDriversFaultWhereTheWorkIsVouchedFor) {
  run_late(trust);
  EXPECT_THAT(broken(), Contains("EngineTimedOut"));
  EXPECT_THAT(sentence_about(nt::Violation::EngineTimedOut),
              HasSubstr("the device has no interrupt line: no model of its hardware is loaded"));
}

TEST_F(GpuThatIsLate, IsNoFindingIfTheHardwareIsNotTrusted) {
  run_late(nobody);
  EXPECT_THAT(broken(), Not(Contains("EngineTimedOut")));
}

TEST_F(GpuThatIsLate, DistrustIsForGood) {
  run_late([](Gpu& gpu) {
    gpu.trust_hardware();
    gpu.distrust_hardware();
    gpu.trust_hardware();
  });
  EXPECT_THAT(broken(), Not(Contains("EngineTimedOut")));
}

TEST_F(GpuThatIsLate, AnAnswerBehindWhatWasReportedIsAFinding) {
  on_query = [] { return 0u; };
  run_late(nobody);
  EXPECT_THAT(sentence_about(nt::Violation::CurrentFenceWrong),
              HasSubstr("answered 0 for node 0, which has reported 1"));
}

TEST_F(GpuThatIsLate, AnAnswerBeyondWhatWasSubmittedIsAFinding) {
  on_query = [] { return 7u; };
  run_late(nobody);
  EXPECT_THAT(sentence_about(nt::Violation::CurrentFenceWrong), HasSubstr("where 2 is the last that was submitted"));
  EXPECT_THAT(broken(), Not(Contains("FenceWrong"))) << "said once";
}

TEST_F(GpuThatIsLate, AnAnswerThatWasNotReportedIsAFindingAndCounts) {
  on_query = [] { return 2u; };
  run_late(nobody);
  EXPECT_THAT(broken(), ElementsAre("CurrentFenceWrong"));
  EXPECT_THAT(sentence_about(nt::Violation::CurrentFenceWrong), HasSubstr("did not report it"));
}

TEST_F(GpuThatIsLate, ReportingWhenAskedIsRightIfTheHardwareLosesInterrupts) {
  on_query = [this] {
    complete(2);
    return 2u;
  };
  run_late(nobody);
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(GpuThatIsLate, ReportingOnlyWhenAskedIsAFindingIfItDoesNot) {
  on_query = [this] {
    complete(2);
    return 2u;
  };
  run_late(trust);
  EXPECT_THAT(broken(), ElementsAre("CompletionUntold"));
}

}  // namespace
}  // namespace dxgk
