#include "nt/rtl/format.h"

#include <algorithm>
#include <utility>

#include "nt/rtl/code_page.h"

namespace nt {
namespace {

// Terminated: the terminator has a place kept for it. Counted: it is written only where one is left over.
enum class Ending : uint8_t { Terminated, Counted };

enum class Size : uint8_t { Default, Byte, Short, Long, LongLong, Pointer, Wide };

struct Spec {
  bool left = false, plus = false, blank = false, alternate = false, zeros = false;
  size_t width = 0;
  bool has_precision = false;
  size_t precision = 0;
  Size size = Size::Default;
};

// A va_list that can be passed by reference on every platform.
struct Arguments {
  explicit Arguments(va_list from) { va_copy(list, from); }
  ~Arguments() { va_end(list); }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  va_list list;
};

char to_char(char c, char*) { return c; }
char to_char(WCHAR c, char*) { return narrow(c); }
WCHAR to_char(char c, WCHAR*) { return widen(c); }
WCHAR to_char(WCHAR c, WCHAR*) { return c; }

// The bounded output: counts everything, keeps what fits.
template <typename Char>
class Sink {
 public:
  Sink(Char* out, size_t capacity, Ending ending) : out_(out), capacity_(capacity) {
    room_ = ending == Ending::Terminated && capacity > 0 ? capacity - 1 : capacity;
  }

  template <typename Other>
  void put(Other c) {
    fill(to_char(c, out_), 1);
  }
  // A width may be two billion: what does not fit costs nothing.
  void fill(Char c, size_t count) {
    if (needed_ < room_) std::fill_n(out_ + needed_, std::min(count, room_ - needed_), c);
    needed_ += count;
  }
  size_t finish() {
    const size_t end = std::min(needed_, room_);
    if (end < capacity_) out_[end] = 0;
    return needed_;
  }

 private:
  Char* out_;
  size_t capacity_;
  size_t room_;  // for the text alone
  size_t needed_ = 0;
};

template <typename Char>
class Formatter {
 public:
  Formatter(Char* out, size_t capacity, Ending ending, va_list args) : sink_(out, capacity, ending), args_(args) {}

  Formatted run(const Char* format) {
    at_ = format;
    while (*at_ != 0) {
      const Char* start = at_++;
      if (*start == '%') {
        convert(start);
      } else {
        sink_.put(*start);
      }
    }
    result_.needed = sink_.finish();
    return result_;
  }

 private:
  static constexpr bool kWideByDefault = sizeof(Char) == sizeof(WCHAR);

  void convert(const Char* start) {
    Spec spec;
    parse_flags(spec);
    parse_width(spec);
    parse_precision(spec);
    parse_size(spec);
    if (*at_ == 0) return;
    convert(spec, *at_++, start);
  }

  void convert(const Spec& spec, Char type, const Char* start) {
    switch (type) {
      case 'd':
      case 'i':
        return put_signed(spec);
      case 'u':
        return put_unsigned(spec, 10, false);
      case 'o':
        return put_unsigned(spec, 8, false);
      case 'x':
        return put_unsigned(spec, 16, false);
      case 'X':
        return put_unsigned(spec, 16, true);
      case 'p':
        return put_pointer(spec);
      case 'c':
        return put_character(spec, is_wide(spec, kWideByDefault));
      case 'C':
        return put_character(spec, is_wide(spec, !kWideByDefault));
      case 's':
        return put_string(spec, is_wide(spec, kWideByDefault));
      case 'S':
        return put_string(spec, is_wide(spec, !kWideByDefault));
      case 'Z':
        return put_counted(spec, is_wide(spec, false));
      case 'a':
      case 'A':
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        (void)va_arg(args_.list, double);
        return refuse(FormatFault::FloatingPoint, start);
      case 'n':
        (void)va_arg(args_.list, void*);
        return refuse(FormatFault::CountOutput, start);
      default:
        return sink_.put(type);
    }
  }

  void parse_flags(Spec& spec) {
    for (;; ++at_) {
      switch (*at_) {
        case '-':
          spec.left = true;
          break;
        case '+':
          spec.plus = true;
          break;
        case ' ':
          spec.blank = true;
          break;
        case '#':
          spec.alternate = true;
          break;
        case '0':
          spec.zeros = true;
          break;
        default:
          return;
      }
    }
  }

  void parse_width(Spec& spec) {
    if (*at_ != '*') {
      spec.width = parse_number();
      return;
    }
    ++at_;
    const int64_t width = va_arg(args_.list, int);
    spec.left |= width < 0;
    spec.width = static_cast<size_t>(width < 0 ? -width : width);
  }

  void parse_precision(Spec& spec) {
    if (*at_ != '.') return;
    ++at_;
    if (*at_ != '*') {
      spec.has_precision = true;
      spec.precision = parse_number();
      return;
    }
    ++at_;
    const int precision = va_arg(args_.list, int);
    spec.has_precision = precision >= 0;  // a negative one counts as none
    spec.precision = static_cast<size_t>(std::max(precision, 0));
  }

  size_t parse_number() {
    constexpr size_t kMost = 0x7fffffff;
    size_t number = 0;
    for (; *at_ >= '0' && *at_ <= '9'; ++at_) number = std::min(number * 10 + static_cast<size_t>(*at_ - '0'), kMost);
    return number;
  }

  void parse_size(Spec& spec) {
    if (skip("hh")) {
      spec.size = Size::Byte;
    } else if (skip("h")) {
      spec.size = Size::Short;
    } else if (skip("ll") || skip("I64") || skip("j")) {
      spec.size = Size::LongLong;
    } else if (skip("l") || skip("I32")) {
      spec.size = Size::Long;
    } else if (skip("I") || skip("z") || skip("t")) {
      spec.size = Size::Pointer;
    } else if (skip("w")) {
      spec.size = Size::Wide;
    } else {
      skip("L");  // long double, which is a double on Windows
    }
  }

  bool skip(const char* text) {
    const Char* end = at_;
    for (; *text; ++text, ++end) {
      if (*end != static_cast<Char>(*text)) return false;
    }
    at_ = end;
    return true;
  }

  static bool is_wide(const Spec& spec, bool otherwise) {
    if (spec.size == Size::Short || spec.size == Size::Byte) return false;
    if (spec.size == Size::Long || spec.size == Size::Wide) return true;
    return otherwise;
  }

  int64_t next_signed(Size size) {
    if (size == Size::LongLong || size == Size::Pointer) return va_arg(args_.list, long long);
    const int value = va_arg(args_.list, int);
    if (size == Size::Short) return static_cast<int16_t>(value);
    if (size == Size::Byte) return static_cast<int8_t>(value);
    return value;
  }

  uint64_t next_unsigned(Size size) {
    if (size == Size::LongLong || size == Size::Pointer) return va_arg(args_.list, unsigned long long);
    const unsigned value = va_arg(args_.list, unsigned);
    if (size == Size::Short) return static_cast<uint16_t>(value);
    if (size == Size::Byte) return static_cast<uint8_t>(value);
    return value;
  }

  void put_signed(const Spec& spec) {
    const int64_t value = next_signed(spec.size);
    const char* sign = value < 0 ? "-" : spec.plus ? "+" : spec.blank ? " " : "";
    const uint64_t magnitude = value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    put_integer(spec, sign, magnitude, 10, false);
  }

  void put_unsigned(const Spec& spec, unsigned base, bool upper) {
    const uint64_t value = next_unsigned(spec.size);
    const char* prefix = !spec.alternate || value == 0 || base == 10 ? "" : base == 8 ? "0" : upper ? "0X" : "0x";
    put_integer(spec, prefix, value, base, upper);
  }

  void put_pointer(Spec spec) {
    spec.has_precision = true;
    spec.precision = 16;
    put_integer(spec, "", va_arg(args_.list, unsigned long long), 16, true);
  }

  void put_integer(const Spec& spec, const char* prefix, uint64_t value, unsigned base, bool upper) {
    const char* symbols = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    char digits[22];  // 2^64 in octal
    size_t count = 0;
    for (; value != 0; value /= base) digits[count++] = symbols[value % base];

    const size_t least = spec.has_precision ? spec.precision : 1;
    size_t leading = least > count ? least - count : 0;
    size_t prefix_length = 0;
    while (prefix[prefix_length]) ++prefix_length;
    if (base == 8 && prefix_length == 1 && leading > 0) prefix_length = 0;  // the number begins with 0 already

    const size_t length = prefix_length + leading + count;
    size_t padding = spec.width > length ? spec.width - length : 0;
    if (spec.zeros && !spec.left && !spec.has_precision) leading += std::exchange(padding, 0);
    if (!spec.left) sink_.fill(' ', padding);
    for (size_t i = 0; i < prefix_length; ++i) sink_.put(prefix[i]);
    sink_.fill('0', leading);
    while (count > 0) sink_.put(digits[--count]);
    if (spec.left) sink_.fill(' ', padding);
  }

  void put_character(const Spec& spec, bool wide) {
    result_.converted |= wide != kWideByDefault;
    const int value = va_arg(args_.list, int);
    if (wide) {
      const WCHAR c = static_cast<WCHAR>(value);
      put_text(spec, &c, 1);
    } else {
      const char c = static_cast<char>(value);
      put_text(spec, &c, 1);
    }
  }

  void put_string(const Spec& spec, bool wide) {
    result_.converted |= wide != kWideByDefault;
    if (wide) {
      put_terminated(spec, va_arg(args_.list, const WCHAR*));
    } else {
      put_terminated(spec, va_arg(args_.list, const char*));
    }
  }

  template <typename Other>
  void put_terminated(const Spec& spec, const Other* text) {
    if (!text) return put_null(spec);
    const size_t most = spec.has_precision ? spec.precision : ~size_t{0};
    size_t length = 0;
    while (length < most && text[length] != 0) ++length;  // a precision also bounds what may be read
    put_text(spec, text, length);
  }

  void put_counted(const Spec& spec, bool wide) {
    result_.converted |= wide != kWideByDefault;
    if (wide) {
      const auto* string = va_arg(args_.list, const UNICODE_STRING*);
      if (!string || !string->Buffer) return put_null(spec);
      put_text(spec, string->Buffer, limit(spec, string->Length / sizeof(WCHAR)));
    } else {
      const auto* string = va_arg(args_.list, const STRING*);
      if (!string || !string->Buffer) return put_null(spec);
      put_text(spec, string->Buffer, limit(spec, string->Length));
    }
  }

  void put_null(const Spec& spec) { put_text(spec, "(null)", limit(spec, 6)); }

  static size_t limit(const Spec& spec, size_t length) {
    return spec.has_precision ? std::min(spec.precision, length) : length;
  }

  template <typename Other>
  void put_text(const Spec& spec, const Other* text, size_t length) {
    const size_t padding = spec.width > length ? spec.width - length : 0;
    if (!spec.left) sink_.fill(spec.zeros ? '0' : ' ', padding);
    for (size_t i = 0; i < length; ++i) sink_.put(text[i]);
    if (spec.left) sink_.fill(' ', padding);
  }

  // The conversion's argument is consumed already: every later one would print its neighbour's otherwise.
  void refuse(FormatFault fault, const Char* start) {
    if (result_.fault == FormatFault::None) result_.fault = fault;
    for (; start != at_; ++start) sink_.put(*start);
  }

  Sink<Char> sink_;
  Arguments args_;
  const Char* at_ = nullptr;
  Formatted result_;
};

}  // namespace

Formatted format_ansi(char* out, size_t capacity, const char* format, va_list args) {
  return Formatter<char>(out, capacity, Ending::Terminated, args).run(format);
}

Formatted format_wide(WCHAR* out, size_t capacity, const WCHAR* format, va_list args) {
  return Formatter<WCHAR>(out, capacity, Ending::Terminated, args).run(format);
}

Formatted format_ansi_counted(char* out, size_t capacity, const char* format, va_list args) {
  return Formatter<char>(out, capacity, Ending::Counted, args).run(format);
}

Formatted format_wide_counted(WCHAR* out, size_t capacity, const WCHAR* format, va_list args) {
  return Formatter<WCHAR>(out, capacity, Ending::Counted, args).run(format);
}

}  // namespace nt
