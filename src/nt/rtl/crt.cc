// The C library's functions whose Windows meaning the host's library does not share: two-byte wide characters and
// Windows' formats. Case is ASCII case.
#include <cstdarg>
#include <cstddef>
#include <string_view>

#include "abi/crt/drydock_crt.h"
#include "nt/rtl/format.h"

namespace {

constexpr size_t kUnbounded = ~size_t{0};

WCHAR* mutable_text(const WCHAR* text) { return const_cast<WCHAR*>(text); }

template <typename Char>
int lower(Char c) {
  const int value = sizeof(Char) == 1 ? static_cast<unsigned char>(c) : static_cast<int>(c);
  return value >= 'A' && value <= 'Z' ? value + 32 : value;
}

// The first difference of the lower-case forms, as Microsoft documents for _stricmp.
template <typename Char>
int compare_ignoring_case(const Char* a, const Char* b, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const int difference = lower(a[i]) - lower(b[i]);
    if (difference != 0 || a[i] == 0) return difference;
  }
  return 0;
}

// What the documentation of _snprintf says: the length; -1 if the text was cut; no terminator unless there is room.
// With neither buffer nor count the length that would be needed. A format that the run-time refuses gives -1.
int result_of(const nt::Formatted& formatted, const void* to, size_t count) {
  if (formatted.fault == nt::FormatFault::CountOutput) return -1;
  const bool measuring = !to && count == 0;
  return formatted.needed > count && !measuring ? -1 : static_cast<int>(formatted.needed);
}

}  // namespace

extern "C" {

size_t DrydockWcslen(const WCHAR* s) { return DrydockWcsnlen(s, kUnbounded); }

size_t DrydockWcsnlen(const WCHAR* s, size_t limit) {
  size_t length = 0;
  while (length < limit && s[length] != 0) ++length;
  return length;
}

WCHAR* DrydockWcscpy(WCHAR* to, const WCHAR* from) {
  WCHAR* end = to;
  while ((*end++ = *from++) != 0) {
  }
  return to;
}

// Pads with zeros, and does not terminate a text that is cut.
WCHAR* DrydockWcsncpy(WCHAR* to, const WCHAR* from, size_t count) {
  const size_t length = DrydockWcsnlen(from, count);
  for (size_t i = 0; i < count; ++i) to[i] = i < length ? from[i] : WCHAR{0};
  return to;
}

int DrydockWcscmp(const WCHAR* a, const WCHAR* b) { return DrydockWcsncmp(a, b, kUnbounded); }

int DrydockWcsncmp(const WCHAR* a, const WCHAR* b, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    if (a[i] == 0) return 0;
  }
  return 0;
}

WCHAR* DrydockWcscat(WCHAR* to, const WCHAR* from) {
  DrydockWcscpy(to + DrydockWcslen(to), from);
  return to;
}

WCHAR* DrydockWcschr(const WCHAR* s, WCHAR c) {
  for (; *s != c; ++s) {
    if (*s == 0) return nullptr;
  }
  return mutable_text(s);
}

WCHAR* DrydockWcsrchr(const WCHAR* s, WCHAR c) {
  for (size_t i = DrydockWcslen(s) + 1; i > 0; --i) {
    if (s[i - 1] == c) return mutable_text(s + i - 1);
  }
  return nullptr;
}

WCHAR* DrydockWcsstr(const WCHAR* s, const WCHAR* part) {
  const size_t at = std::u16string_view(s).find(part);
  return at == std::u16string_view::npos ? nullptr : mutable_text(s + at);
}

int DrydockWcsicmp(const WCHAR* a, const WCHAR* b) { return compare_ignoring_case(a, b, kUnbounded); }
int DrydockStricmp(const char* a, const char* b) { return compare_ignoring_case(a, b, kUnbounded); }
int DrydockStrnicmp(const char* a, const char* b, size_t count) { return compare_ignoring_case(a, b, count); }

int DrydockVsnprintf(char* to, size_t count, const char* format, va_list arguments) {
  return result_of(nt::format_ansi_counted(to, count, format, arguments), to, count);
}

int DrydockSnprintf(char* to, size_t count, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = DrydockVsnprintf(to, count, format, arguments);
  va_end(arguments);
  return result;
}

int DrydockSprintf(char* to, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = DrydockVsnprintf(to, kUnbounded, format, arguments);
  va_end(arguments);
  return result;
}

int DrydockVsnwprintf(WCHAR* to, size_t count, const WCHAR* format, va_list arguments) {
  return result_of(nt::format_wide_counted(to, count, format, arguments), to, count);
}

int DrydockSnwprintf(WCHAR* to, size_t count, const WCHAR* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = DrydockVsnwprintf(to, count, format, arguments);
  va_end(arguments);
  return result;
}

int DrydockSwprintf(WCHAR* to, const WCHAR* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = DrydockVsnwprintf(to, kUnbounded, format, arguments);
  va_end(arguments);
  return result;
}

}  // extern "C"
