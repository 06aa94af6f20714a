// Bounded functions on UNICODE_STRINGs (ntstrsafe.h, RtlUnicodeStringXxx). The result is counted: it may fill the whole
// buffer, and a terminator follows only where there is room (the documentation says both that it does and does not).
#include <algorithm>
#include <string_view>

#include "abi/km/ntstrsafe.h"
#include "abi/km/wdm.h"
#include "nt/boundary/kernel_entry.h"
#include "nt/rtl/format.h"
#include "nt/rtl/format_irql.h"

namespace {

bool is_valid(const UNICODE_STRING* string) {
  return string && string->Length <= string->MaximumLength && string->Length % sizeof(WCHAR) == 0 &&
         string->MaximumLength % sizeof(WCHAR) == 0 && (string->Buffer || string->MaximumLength == 0);
}

size_t capacity_of(const UNICODE_STRING& string) { return string.MaximumLength / sizeof(WCHAR); }

// Sets the length to what was kept of `needed` characters and says what became of the rest.
NTSTATUS keep(UNICODE_STRING& string, size_t needed) {
  const size_t kept = std::min(needed, capacity_of(string));
  string.Length = static_cast<USHORT>(kept * sizeof(WCHAR));
  if (kept == needed) return STATUS_SUCCESS;
  return capacity_of(string) == 0 ? STATUS_INVALID_PARAMETER : STATUS_BUFFER_OVERFLOW;
}

NTSTATUS write_behind(UNICODE_STRING& string, std::u16string_view text) {
  const size_t start = string.Length / sizeof(WCHAR);
  const size_t room = capacity_of(string) - start;
  std::copy_n(text.begin(), std::min(text.size(), room), string.Buffer + start);
  if (text.size() < room) string.Buffer[start + text.size()] = 0;
  return keep(string, start + text.size());
}

NTSTATUS print(nt::Fn fn, UNICODE_STRING* string, const WCHAR* format, va_list args) {
  if (!is_valid(string) || !format) return STATUS_INVALID_PARAMETER;
  const nt::Formatted formatted = nt::format_wide_counted(string->Buffer, capacity_of(*string), format, args);
  nt::judge_irql_of_format(fn, formatted);
  if (formatted.fault == nt::FormatFault::CountOutput) return STATUS_INVALID_PARAMETER;
  return keep(*string, formatted.needed);
}

}  // namespace

extern "C" {

NTSTATUS RtlUnicodeStringInit(PUNICODE_STRING DestinationString, NTSTRSAFE_PCWSTR pszSrc) {
  nt::KernelEntry call{nt::Fn::RtlUnicodeStringInit};
  if (!DestinationString) return pszSrc ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
  const std::u16string_view text = pszSrc ? pszSrc : std::u16string_view{};
  // One less than documented: MaximumLength has to hold the terminator as well.
  if (text.size() >= NTSTRSAFE_UNICODE_STRING_MAX_CCH) return STATUS_INVALID_PARAMETER;
  const size_t bytes = text.size() * sizeof(WCHAR);
  DestinationString->Length = static_cast<USHORT>(bytes);
  DestinationString->MaximumLength = static_cast<USHORT>(pszSrc ? bytes + sizeof(WCHAR) : 0);
  DestinationString->Buffer = const_cast<WCHAR*>(pszSrc);
  return STATUS_SUCCESS;
}

NTSTATUS RtlUnicodeStringCopy(PUNICODE_STRING DestinationString, PCUNICODE_STRING SourceString) {
  nt::KernelEntry call{nt::Fn::RtlUnicodeStringCopy};
  if (!is_valid(DestinationString) || !is_valid(SourceString)) return STATUS_INVALID_PARAMETER;
  DestinationString->Length = 0;
  return write_behind(*DestinationString, {SourceString->Buffer, SourceString->Length / sizeof(WCHAR)});
}

NTSTATUS RtlUnicodeStringCopyString(PUNICODE_STRING DestinationString, NTSTRSAFE_PCWSTR pszSrc) {
  nt::KernelEntry call{nt::Fn::RtlUnicodeStringCopyString};
  if (!is_valid(DestinationString) || !pszSrc) return STATUS_INVALID_PARAMETER;
  DestinationString->Length = 0;
  return write_behind(*DestinationString, pszSrc);
}

NTSTATUS RtlUnicodeStringCatString(PUNICODE_STRING DestinationString, NTSTRSAFE_PCWSTR pszSrc) {
  nt::KernelEntry call{nt::Fn::RtlUnicodeStringCatString};
  if (!is_valid(DestinationString) || !pszSrc) return STATUS_INVALID_PARAMETER;
  return write_behind(*DestinationString, pszSrc);
}

NTSTATUS RtlUnicodeStringVPrintf(PUNICODE_STRING DestinationString, NTSTRSAFE_PCWSTR pszFormat, va_list argList) {
  nt::KernelEntry call{nt::Fn::RtlUnicodeStringVPrintf};
  return print(nt::Fn::RtlUnicodeStringVPrintf, DestinationString, pszFormat, argList);
}

NTSTATUS RtlUnicodeStringPrintf(PUNICODE_STRING DestinationString, NTSTRSAFE_PCWSTR pszFormat, ...) {
  nt::KernelEntry call{nt::Fn::RtlUnicodeStringPrintf};
  va_list args;
  va_start(args, pszFormat);
  const NTSTATUS status = print(nt::Fn::RtlUnicodeStringPrintf, DestinationString, pszFormat, args);
  va_end(args);
  return status;
}

}  // extern "C"
