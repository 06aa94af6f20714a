// Counted strings (RtlXxxString). The documentation leaves much open; what is our policy is said where it is decided.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "abi/km/wdm.h"
#include "nt/boundary/kernel_entry.h"
#include "nt/rtl/case_map.h"
#include "nt/rtl/code_page.h"

namespace {

constexpr ULONG kTag = 0x53'6c'74'52;  // "RtlS" in memory
constexpr size_t kMost = MAXUSHORT;

std::u16string_view text_of(const UNICODE_STRING& string) { return {string.Buffer, string.Length / sizeof(WCHAR)}; }

std::string_view text_of(const STRING& string) { return {string.Buffer, string.Length}; }

char upcase_ansi(char c) { return nt::narrow(nt::upcase(nt::widen(c))); }

int32_t order_of(WCHAR c, bool ignore_case) { return ignore_case ? nt::upcase(c) : c; }
int32_t order_of(char c, bool ignore_case) { return static_cast<uint8_t>(ignore_case ? upcase_ansi(c) : c); }

// The first difference decides, else the length.
template <typename Char>
LONG compare(std::basic_string_view<Char> a, std::basic_string_view<Char> b, bool ignore_case) {
  const size_t common = std::min(a.size(), b.size());
  for (size_t i = 0; i < common; ++i) {
    const int32_t difference = order_of(a[i], ignore_case) - order_of(b[i], ignore_case);
    if (difference != 0) return difference;
  }
  return static_cast<LONG>(a.size()) - static_cast<LONG>(b.size());
}

// The text goes behind what is there. A terminator follows where there is room (policy; a driver may not rely on it).
NTSTATUS append(UNICODE_STRING& destination, std::u16string_view text) {
  const size_t bytes = destination.Length + text.size() * sizeof(WCHAR);
  if (bytes > destination.MaximumLength) return STATUS_BUFFER_TOO_SMALL;
  WCHAR* end = destination.Buffer + destination.Length / sizeof(WCHAR);
  if (!text.empty()) std::memmove(end, text.data(), text.size() * sizeof(WCHAR));
  if (bytes + sizeof(WCHAR) <= destination.MaximumLength) end[text.size()] = 0;
  destination.Length = static_cast<USHORT>(bytes);
  return STATUS_SUCCESS;
}

// Gives `destination` room for `bytes`: its own buffer if that suffices, or one from paged pool.
template <typename String>
NTSTATUS make_room(String& destination, size_t bytes, BOOLEAN allocate) {
  if (bytes > kMost) return STATUS_INVALID_PARAMETER_2;
  if (!allocate) return bytes > destination.MaximumLength ? STATUS_BUFFER_OVERFLOW : STATUS_SUCCESS;
  void* buffer = ExAllocatePool2(POOL_FLAG_PAGED, std::max<size_t>(bytes, 1), kTag);
  if (!buffer) return STATUS_NO_MEMORY;
  destination.Buffer = static_cast<decltype(destination.Buffer)>(buffer);
  destination.MaximumLength = static_cast<USHORT>(bytes);
  return STATUS_SUCCESS;
}

template <typename String>
void free_buffer(String& string) {
  if (string.Buffer) ExFreePool(string.Buffer);
  string = {};
}

// Policy: a conversion needs room for a terminator too, and writes it.
template <typename To, typename From, typename Convert>
NTSTATUS convert(To& destination, const From& source, BOOLEAN allocate, Convert convert_one) {
  const auto text = text_of(source);
  constexpr size_t kUnit = sizeof(*destination.Buffer);
  const NTSTATUS status = make_room(destination, (text.size() + 1) * kUnit, allocate);
  if (!NT_SUCCESS(status)) return status;
  std::transform(text.begin(), text.end(), destination.Buffer, convert_one);
  destination.Buffer[text.size()] = 0;
  destination.Length = static_cast<USHORT>(text.size() * kUnit);
  return STATUS_SUCCESS;
}

bool is_space(WCHAR c) { return c == u' ' || (c >= u'\t' && c <= u'\r'); }

ULONG digit_of(WCHAR c) {
  if (c >= u'0' && c <= u'9') return static_cast<ULONG>(c - u'0');
  if (c >= u'a' && c <= u'f') return static_cast<ULONG>(c - u'a') + 10;
  if (c >= u'A' && c <= u'F') return static_cast<ULONG>(c - u'A') + 10;
  return 99;
}

bool is_base(ULONG base) { return base == 2 || base == 8 || base == 10 || base == 16; }

// Takes the base's prefix off the number; without one the number is decimal.
ULONG take_prefix(std::u16string_view& number) {
  if (number.size() < 2 || number[0] != u'0') return 10;
  const WCHAR letter = number[1];
  const ULONG base = letter == u'x' ? 16 : letter == u'o' ? 8 : letter == u'b' ? 2 : 10;
  if (base != 10) number.remove_prefix(2);
  return base;
}

template <typename String, typename Char>
void init(String* destination, const Char* source, size_t most) {
  size_t bytes = 0;
  if (source) {
    while (bytes < most && source[bytes / sizeof(Char)] != 0) bytes += sizeof(Char);
  }
  destination->Length = static_cast<USHORT>(bytes);
  destination->MaximumLength = static_cast<USHORT>(source ? bytes + sizeof(Char) : 0);
  destination->Buffer = const_cast<Char*>(source);
}

}  // namespace

extern "C" {

// Longer strings are cut, as documented: the lengths then misrepresent the text.
void RtlInitUnicodeString(PUNICODE_STRING DestinationString, PCWSTR SourceString) {
  init(DestinationString, SourceString, UNICODE_STRING_MAX_BYTES - sizeof(WCHAR));
}

void RtlInitAnsiString(PANSI_STRING DestinationString, PCSZ SourceString) {
  init(DestinationString, SourceString, MAXUSHORT - 1);
}

void RtlInitString(PSTRING DestinationString, PCSZ SourceString) {
  init(DestinationString, SourceString, MAXUSHORT - 1);
}

// Policy: what RtlInitUnicodeString would cut is refused.
NTSTATUS RtlInitUnicodeStringEx(PUNICODE_STRING DestinationString, PCWSTR SourceString) {
  UNICODE_STRING string;
  init(&string, SourceString, UNICODE_STRING_MAX_BYTES);
  if (string.Length > UNICODE_STRING_MAX_BYTES - sizeof(WCHAR)) return STATUS_NAME_TOO_LONG;
  *DestinationString = string;
  return STATUS_SUCCESS;
}

void RtlCopyUnicodeString(PUNICODE_STRING DestinationString, PCUNICODE_STRING SourceString) {
  nt::KernelEntry call{nt::Fn::RtlCopyUnicodeString};
  DestinationString->Length = 0;
  if (!SourceString) return;
  append(*DestinationString, text_of(*SourceString).substr(0, DestinationString->MaximumLength / sizeof(WCHAR)));
}

NTSTATUS RtlAppendUnicodeStringToString(PUNICODE_STRING Destination, PCUNICODE_STRING Source) {
  nt::KernelEntry call{nt::Fn::RtlAppendUnicodeStringToString};
  return append(*Destination, text_of(*Source));
}

NTSTATUS RtlAppendUnicodeToString(PUNICODE_STRING Destination, PCWSTR Source) {
  nt::KernelEntry call{nt::Fn::RtlAppendUnicodeToString};
  return Source ? append(*Destination, Source) : STATUS_SUCCESS;
}

LONG RtlCompareUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2, BOOLEAN CaseInSensitive) {
  nt::KernelEntry call{nt::Fn::RtlCompareUnicodeString};
  return compare(text_of(*String1), text_of(*String2), CaseInSensitive);
}

BOOLEAN RtlEqualUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2, BOOLEAN CaseInSensitive) {
  nt::KernelEntry call{nt::Fn::RtlEqualUnicodeString};
  return compare(text_of(*String1), text_of(*String2), CaseInSensitive) == 0;
}

LONG RtlCompareString(const STRING* String1, const STRING* String2, BOOLEAN CaseInSensitive) {
  nt::KernelEntry call{nt::Fn::RtlCompareString};
  return compare(text_of(*String1), text_of(*String2), CaseInSensitive);
}

BOOLEAN RtlEqualString(const STRING* String1, const STRING* String2, BOOLEAN CaseInSensitive) {
  nt::KernelEntry call{nt::Fn::RtlEqualString};
  return compare(text_of(*String1), text_of(*String2), CaseInSensitive) == 0;
}

BOOLEAN RtlPrefixUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2, BOOLEAN CaseInSensitive) {
  nt::KernelEntry call{nt::Fn::RtlPrefixUnicodeString};
  const auto prefix = text_of(*String1);
  const auto text = text_of(*String2);
  return prefix.size() <= text.size() && compare(prefix, text.substr(0, prefix.size()), CaseInSensitive) == 0;
}

NTSTATUS RtlAnsiStringToUnicodeString(PUNICODE_STRING DestinationString, PCANSI_STRING SourceString,
                                      BOOLEAN AllocateDestinationString) {
  nt::KernelEntry call{nt::Fn::RtlAnsiStringToUnicodeString};
  return convert(*DestinationString, *SourceString, AllocateDestinationString, nt::widen);
}

NTSTATUS RtlUnicodeStringToAnsiString(PANSI_STRING DestinationString, PCUNICODE_STRING SourceString,
                                      BOOLEAN AllocateDestinationString) {
  nt::KernelEntry call{nt::Fn::RtlUnicodeStringToAnsiString};
  return convert(*DestinationString, *SourceString, AllocateDestinationString, nt::narrow);
}

// Source and destination may be the same string. No terminator is added: none is documented, none is needed.
NTSTATUS RtlUpcaseUnicodeString(PUNICODE_STRING DestinationString, PCUNICODE_STRING SourceString,
                                BOOLEAN AllocateDestinationString) {
  nt::KernelEntry call{nt::Fn::RtlUpcaseUnicodeString};
  const auto text = text_of(*SourceString);
  const size_t bytes = text.size() * sizeof(WCHAR);
  const NTSTATUS status = make_room(*DestinationString, bytes, AllocateDestinationString);
  if (!NT_SUCCESS(status)) return status;
  std::transform(text.begin(), text.end(), DestinationString->Buffer, nt::upcase);
  DestinationString->Length = static_cast<USHORT>(bytes);
  return STATUS_SUCCESS;
}

WCHAR RtlUpcaseUnicodeChar(WCHAR SourceCharacter) {
  nt::KernelEntry call{nt::Fn::RtlUpcaseUnicodeChar};
  return nt::upcase(SourceCharacter);
}

WCHAR RtlDowncaseUnicodeChar(WCHAR SourceCharacter) {
  nt::KernelEntry call{nt::Fn::RtlDowncaseUnicodeChar};
  return nt::downcase(SourceCharacter);
}

void RtlFreeUnicodeString(PUNICODE_STRING UnicodeString) {
  nt::KernelEntry call{nt::Fn::RtlFreeUnicodeString};
  free_buffer(*UnicodeString);
}

void RtlFreeAnsiString(PANSI_STRING AnsiString) {
  nt::KernelEntry call{nt::Fn::RtlFreeAnsiString};
  free_buffer(*AnsiString);
}

// Policy: hexadecimal digits are upper-case. Documented: the result is null-terminated.
NTSTATUS RtlIntegerToUnicodeString(ULONG Value, ULONG Base, PUNICODE_STRING String) {
  nt::KernelEntry call{nt::Fn::RtlIntegerToUnicodeString};
  const ULONG base = Base == 0 ? 10 : Base;
  if (!is_base(base)) return STATUS_INVALID_PARAMETER;
  WCHAR digits[32];
  size_t first = 32;
  do {
    digits[--first] = u"0123456789ABCDEF"[Value % base];
    Value /= base;
  } while (Value != 0);
  const size_t bytes = (32 - first) * sizeof(WCHAR);
  if (bytes + sizeof(WCHAR) > String->MaximumLength) return STATUS_BUFFER_OVERFLOW;
  String->Length = 0;
  return append(*String, {digits + first, 32 - first});
}

// A number too large for 32 bits wraps (policy); the rest, down to what is zero and what is refused, is documented.
NTSTATUS RtlUnicodeStringToInteger(PCUNICODE_STRING String, ULONG Base, PULONG Value) {
  nt::KernelEntry call{nt::Fn::RtlUnicodeStringToInteger};
  auto number = text_of(*String);
  if (number.empty() || (Base != 0 && !is_base(Base))) return STATUS_INVALID_PARAMETER;
  while (!number.empty() && is_space(number.front())) number.remove_prefix(1);
  const bool negative = !number.empty() && number.front() == u'-';
  if (negative || (!number.empty() && number.front() == u'+')) number.remove_prefix(1);
  const ULONG base = Base == 0 ? take_prefix(number) : Base;
  ULONG value = 0;
  for (; !number.empty() && digit_of(number.front()) < base; number.remove_prefix(1)) {
    value = value * base + digit_of(number.front());
  }
  *Value = negative ? 0 - value : value;
  return STATUS_SUCCESS;
}

}  // extern "C"
