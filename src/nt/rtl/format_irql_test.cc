#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "abi/km/ntstrsafe.h"
#include "abi/km/wdm.h"
#include "nt/testing/machine_fixture.h"

namespace nt {
namespace {

using Strings = std::vector<std::string>;

class FormatIrqlTest : public MachineTest {
 protected:
  // What is said of a format at an IRQL; the text is made all the same.
  template <typename Body>
  Strings at(KIRQL irql, Body body) {
    observer.violations.clear();
    observer.then = Then::GoOn;
    run([&] {
      KIRQL old;
      KeRaiseIrql(irql, &old);
      EXPECT_EQ(body(), STATUS_SUCCESS);
      KeLowerIrql(old);
    });
    return broken();
  }

  char text_[64] = {};
  WCHAR wide_[64] = {};
};

TEST_F(FormatIrqlTest, PassiveLevelTakesEveryFormat) {
  EXPECT_EQ(at(PASSIVE_LEVEL, [&] { return RtlStringCbPrintfA(text_, sizeof(text_), "%u %ws", 1u, u"x"); }), Strings{});
  EXPECT_EQ(at(APC_LEVEL, [&] { return RtlStringCbPrintfW(wide_, sizeof(wide_), u"%u %hs", 1u, "x"); }), Strings{});
}

TEST_F(FormatIrqlTest, WithoutAConversionDispatchLevelIsOnlyAdvisedAgainst) {
  EXPECT_EQ(at(DISPATCH_LEVEL, [&] { return RtlStringCbPrintfA(text_, sizeof(text_), "%u %s", 1u, "x"); }),
            Strings{"FormattedRaised"});
  EXPECT_STREQ(text_, "1 x");
  EXPECT_EQ(at(DISPATCH_LEVEL, [&] { return RtlStringCchPrintfW(wide_, 64, u"%s", u"x"); }),
            Strings{"FormattedRaised"});
  UNICODE_STRING string = {0, sizeof(wide_), wide_};
  EXPECT_EQ(at(DISPATCH_LEVEL, [&] { return RtlUnicodeStringPrintf(&string, u"%u", 7u); }), Strings{"FormattedRaised"});
}

TEST_F(FormatIrqlTest, AConversionNeedsTablesThatMayBePagedOut) {
  UNICODE_STRING name = RTL_CONSTANT_STRING(u"x");
  EXPECT_EQ(at(DISPATCH_LEVEL, [&] { return RtlStringCbPrintfA(text_, sizeof(text_), "%ws", u"x"); }),
            Strings{"IrqlTooHigh"});
  EXPECT_EQ(at(DISPATCH_LEVEL, [&] { return RtlStringCbPrintfA(text_, sizeof(text_), "%wZ", &name); }),
            Strings{"IrqlTooHigh"});
  EXPECT_EQ(at(DISPATCH_LEVEL, [&] { return RtlStringCbPrintfW(wide_, sizeof(wide_), u"%S", "x"); }),
            Strings{"IrqlTooHigh"});
}

}  // namespace
}  // namespace nt
