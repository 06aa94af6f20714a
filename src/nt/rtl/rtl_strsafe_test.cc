#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>

#include "abi/km/ntstrsafe.h"
#include "abi/km/wdm.h"
#include "base/testing/seed.h"

namespace {

constexpr size_t kTooMany = size_t{NTSTRSAFE_MAX_CCH} + 1;

// The four families behind one face, so that every test runs over bytes and characters, narrow and wide.
struct CbA {
  using Char = char;
  static constexpr size_t kUnit = 1;
  static constexpr auto copy = RtlStringCbCopyA;
  static constexpr auto copy_n = RtlStringCbCopyNA;
  static constexpr auto cat = RtlStringCbCatA;
  static constexpr auto cat_n = RtlStringCbCatNA;
  static constexpr auto print = RtlStringCbPrintfA;
  static NTSTATUS length(const Char* text, size_t most, size_t* out) { return RtlStringCbLengthA(text, most, out); }
};

struct CbW {
  using Char = WCHAR;
  static constexpr size_t kUnit = 2;
  static constexpr auto copy = RtlStringCbCopyW;
  static constexpr auto copy_n = RtlStringCbCopyNW;
  static constexpr auto cat = RtlStringCbCatW;
  static constexpr auto cat_n = RtlStringCbCatNW;
  static constexpr auto print = RtlStringCbPrintfW;
  static NTSTATUS length(const Char* text, size_t most, size_t* out) { return RtlStringCbLengthW(text, most, out); }
};

struct CchA {
  using Char = char;
  static constexpr size_t kUnit = 1;
  static constexpr auto copy = RtlStringCchCopyA;
  static constexpr auto copy_n = RtlStringCchCopyNA;
  static constexpr auto cat = RtlStringCchCatA;
  static constexpr auto cat_n = RtlStringCchCatNA;
  static constexpr auto print = RtlStringCchPrintfA;
  static NTSTATUS length(const Char* text, size_t most, size_t* out) { return RtlStringCchLengthA(text, most, out); }
};

struct CchW {
  using Char = WCHAR;
  static constexpr size_t kUnit = 1;
  static constexpr auto copy = RtlStringCchCopyW;
  static constexpr auto copy_n = RtlStringCchCopyNW;
  static constexpr auto cat = RtlStringCchCatW;
  static constexpr auto cat_n = RtlStringCchCatNW;
  static constexpr auto print = RtlStringCchPrintfW;
  static NTSTATUS length(const Char* text, size_t most, size_t* out) { return RtlStringCchLengthW(text, most, out); }
};

template <typename Family>
class SafeString : public testing::Test {
 protected:
  using Char = typename Family::Char;
  using String = std::basic_string<Char>;

  static String text(std::string_view from) { return String(from.begin(), from.end()); }
  static size_t size(size_t characters) { return characters * Family::kUnit; }

  void fill(std::string_view from) {
    buffer_.fill(Char{'#'});
    std::copy(from.begin(), from.end(), buffer_.begin());
    buffer_[from.size()] = 0;
  }
  String result() const { return String(buffer_.data()); }
  bool untouched_from(size_t index) const {
    return std::all_of(buffer_.begin() + index, buffer_.end(), [](Char c) { return c == Char{'#'}; });
  }

  std::array<Char, 16> buffer_;
};

using Families = testing::Types<CbA, CbW, CchA, CchW>;
TYPED_TEST_SUITE(SafeString, Families);

TYPED_TEST(SafeString, CopyCutsAndTerminates) {
  const auto source = this->text("abcdef");
  this->fill("");
  EXPECT_EQ(TypeParam::copy(this->buffer_.data(), this->size(7), source.c_str()), STATUS_SUCCESS);
  EXPECT_EQ(this->result(), source);
  this->fill("");
  EXPECT_EQ(TypeParam::copy(this->buffer_.data(), this->size(6), source.c_str()), STATUS_BUFFER_OVERFLOW);
  EXPECT_EQ(this->result(), this->text("abcde"));
  EXPECT_TRUE(this->untouched_from(6));
  EXPECT_EQ(TypeParam::copy(this->buffer_.data(), this->size(1), source.c_str()), STATUS_BUFFER_OVERFLOW);
  EXPECT_EQ(this->result(), this->text(""));
}

TYPED_TEST(SafeString, CopyNStopsAtTheLimit) {
  const auto source = this->text("abcdef");
  this->fill("");
  EXPECT_EQ(TypeParam::copy_n(this->buffer_.data(), this->size(10), source.c_str(), this->size(3)), STATUS_SUCCESS);
  EXPECT_EQ(this->result(), this->text("abc"));
  EXPECT_TRUE(this->untouched_from(4));  // no zeros behind, unlike strncpy
  EXPECT_EQ(TypeParam::copy_n(this->buffer_.data(), this->size(3), source.c_str(), this->size(3)),
            STATUS_BUFFER_OVERFLOW);
  EXPECT_EQ(this->result(), this->text("ab"));
}

TYPED_TEST(SafeString, CatAppendsWhatFits) {
  const auto source = this->text("cde");
  this->fill("ab");
  EXPECT_EQ(TypeParam::cat(this->buffer_.data(), this->size(6), source.c_str()), STATUS_SUCCESS);
  EXPECT_EQ(this->result(), this->text("abcde"));
  EXPECT_EQ(TypeParam::cat(this->buffer_.data(), this->size(7), source.c_str()), STATUS_BUFFER_OVERFLOW);
  EXPECT_EQ(this->result(), this->text("abcdec"));
  this->fill("ab");
  EXPECT_EQ(TypeParam::cat_n(this->buffer_.data(), this->size(6), source.c_str(), this->size(2)), STATUS_SUCCESS);
  EXPECT_EQ(this->result(), this->text("abcd"));
}

TYPED_TEST(SafeString, CatRefusesABufferWithoutTerminator) {
  const auto source = this->text("c");
  this->fill("abcdef");
  EXPECT_EQ(TypeParam::cat(this->buffer_.data(), this->size(4), source.c_str()), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(this->result(), this->text("abcdef"));
}

TYPED_TEST(SafeString, LengthNeedsATerminatorWithinTheLimit) {
  const auto source = this->text("abc");
  size_t length = 99;
  EXPECT_EQ(TypeParam::length(source.c_str(), this->size(4), &length), STATUS_SUCCESS);
  EXPECT_EQ(length, this->size(3));
  EXPECT_EQ(TypeParam::length(source.c_str(), this->size(4), nullptr), STATUS_SUCCESS);
  EXPECT_EQ(TypeParam::length(source.c_str(), this->size(3), &length), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(TypeParam::length(nullptr, this->size(3), &length), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(TypeParam::length(source.c_str(), this->size(kTooMany), &length), STATUS_INVALID_PARAMETER);
}

TYPED_TEST(SafeString, PrintCutsAndTerminates) {
  const auto format = this->text("%d+%s");
  const auto argument = this->text("xyz");
  this->fill("");
  EXPECT_EQ(TypeParam::print(this->buffer_.data(), this->size(7), format.c_str(), 12, argument.c_str()),
            STATUS_SUCCESS);
  EXPECT_EQ(this->result(), this->text("12+xyz"));
  this->fill("");
  EXPECT_EQ(TypeParam::print(this->buffer_.data(), this->size(6), format.c_str(), 12, argument.c_str()),
            STATUS_BUFFER_OVERFLOW);
  EXPECT_EQ(this->result(), this->text("12+xy"));
  EXPECT_TRUE(this->untouched_from(6));
  int count = 5;
  EXPECT_EQ(TypeParam::print(this->buffer_.data(), this->size(6), this->text("%n").c_str(), &count),
            STATUS_INVALID_PARAMETER);
  EXPECT_EQ(count, 5);
}

TYPED_TEST(SafeString, NullsAndImpossibleSizesAreRefused) {
  const auto source = this->text("a");
  this->fill("keep");
  for (size_t bad : {size_t{0}, this->size(kTooMany)}) {
    EXPECT_EQ(TypeParam::copy(this->buffer_.data(), bad, source.c_str()), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(TypeParam::cat(this->buffer_.data(), bad, source.c_str()), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(TypeParam::print(this->buffer_.data(), bad, source.c_str()), STATUS_INVALID_PARAMETER);
  }
  EXPECT_EQ(TypeParam::copy(nullptr, this->size(4), source.c_str()), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(TypeParam::copy(this->buffer_.data(), this->size(4), nullptr), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(TypeParam::cat(this->buffer_.data(), this->size(8), nullptr), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(TypeParam::print(this->buffer_.data(), this->size(8), nullptr), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(this->result(), this->text("keep"));
}

TEST(SafeStringW, AnOddByteIsNoCharacter) {
  WCHAR buffer[4] = {};
  EXPECT_EQ(RtlStringCbCopyW(buffer, 1, u""), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(RtlStringCbCopyW(buffer, 5, u"abc"), STATUS_BUFFER_OVERFLOW);
  EXPECT_EQ(std::u16string(buffer), u"a");
}

TYPED_TEST(SafeString, CatAgreesWithTheModel) {
  const auto seed = static_cast<uint32_t>(base::seed_for_test(std::random_device{}()));
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 5000; ++round) {
    const std::string before(random() % 8, 'x');
    const std::string source(random() % 10, 'y');
    const size_t capacity = 1 + random() % 15;
    const size_t most = random() % 12;
    this->fill(before);
    const NTSTATUS status =
        TypeParam::cat_n(this->buffer_.data(), this->size(capacity), this->text(source).c_str(), this->size(most));
    if (before.size() >= capacity) {
      ASSERT_EQ(status, STATUS_INVALID_PARAMETER);
      continue;
    }
    const std::string whole = before + source.substr(0, most);
    ASSERT_EQ(status, whole.size() < capacity ? STATUS_SUCCESS : STATUS_BUFFER_OVERFLOW);
    ASSERT_EQ(this->result(), this->text(whole.substr(0, capacity - 1)));
  }
}

}  // namespace
