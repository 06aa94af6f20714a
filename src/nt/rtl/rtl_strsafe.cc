// Bounded strings (ntstrsafe.h). On Windows these are inline in the driver; here the kernel has them.
//
// Documented: STATUS_INVALID_PARAMETER for a null pointer and for a size of zero or beyond NTSTRSAFE_MAX_CCH;
// STATUS_BUFFER_OVERFLOW with a cut, terminated text. "The destination buffer was already full" is read as: it holds no
// terminator (policy).
#include <algorithm>
#include <cstddef>

#include "abi/km/ntstrsafe.h"
#include "abi/km/wdm.h"
#include "nt/boundary/kernel_entry.h"
#include "nt/rtl/format.h"
#include "nt/rtl/format_irql.h"

namespace {

constexpr size_t kAll = NTSTRSAFE_MAX_CCH;

bool is_size(size_t characters) { return characters > 0 && characters <= NTSTRSAFE_MAX_CCH; }

template <typename Char>
size_t bounded_length(const Char* text, size_t most) {
  size_t length = 0;
  while (length < most && text[length] != 0) ++length;
  return length;
}

template <typename Char>
NTSTATUS copy(Char* to, size_t capacity, const Char* from, size_t most) {
  if (!to || !from || !is_size(capacity)) return STATUS_INVALID_PARAMETER;
  const size_t length = bounded_length(from, std::min(most, capacity));
  const size_t kept = std::min(length, capacity - 1);
  std::copy_n(from, kept, to);
  to[kept] = 0;
  return kept < length ? STATUS_BUFFER_OVERFLOW : STATUS_SUCCESS;
}

template <typename Char>
NTSTATUS append(Char* to, size_t capacity, const Char* from, size_t most) {
  if (!to || !from || !is_size(capacity)) return STATUS_INVALID_PARAMETER;
  const size_t used = bounded_length(to, capacity);
  if (used == capacity) return STATUS_INVALID_PARAMETER;
  return copy(to + used, capacity - used, from, most);
}

// Policy: a failure leaves a length of zero behind.
template <typename Char>
NTSTATUS measure(const Char* text, size_t most, size_t unit, size_t* length) {
  const bool valid = text && most <= NTSTRSAFE_MAX_CCH;
  const size_t found = valid ? bounded_length(text, most) : most;
  const bool fits = valid && found < most;
  if (length) *length = fits ? found * unit : 0;
  return fits ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

nt::Formatted format_text(char* to, size_t capacity, const char* format, va_list args) {
  return nt::format_ansi(to, capacity, format, args);
}

nt::Formatted format_text(WCHAR* to, size_t capacity, const WCHAR* format, va_list args) {
  return nt::format_wide(to, capacity, format, args);
}

template <typename Char>
NTSTATUS print(nt::Fn fn, Char* to, size_t capacity, const Char* format, va_list args) {
  if (!to || !format || !is_size(capacity)) return STATUS_INVALID_PARAMETER;
  const nt::Formatted formatted = format_text(to, capacity, format, args);
  nt::judge_irql_of_format(fn, formatted);
  if (formatted.fault == nt::FormatFault::CountOutput) return STATUS_INVALID_PARAMETER;
  return formatted.needed >= capacity ? STATUS_BUFFER_OVERFLOW : STATUS_SUCCESS;
}

}  // namespace

extern "C" {

NTSTATUS RtlStringCbCopyA(NTSTRSAFE_PSTR pszDest, size_t cbDest, NTSTRSAFE_PCSTR pszSrc) {
  nt::KernelEntry call{nt::Fn::RtlStringCbCopyA};
  return copy(pszDest, cbDest, pszSrc, kAll);
}

NTSTATUS RtlStringCbCopyNA(NTSTRSAFE_PSTR pszDest, size_t cbDest, NTSTRSAFE_PCSTR pszSrc, size_t cbToCopy) {
  nt::KernelEntry call{nt::Fn::RtlStringCbCopyNA};
  return copy(pszDest, cbDest, pszSrc, cbToCopy);
}

NTSTATUS RtlStringCbCatA(NTSTRSAFE_PSTR pszDest, size_t cbDest, NTSTRSAFE_PCSTR pszSrc) {
  nt::KernelEntry call{nt::Fn::RtlStringCbCatA};
  return append(pszDest, cbDest, pszSrc, kAll);
}

NTSTATUS RtlStringCbCatNA(NTSTRSAFE_PSTR pszDest, size_t cbDest, NTSTRSAFE_PCSTR pszSrc, size_t cbToAppend) {
  nt::KernelEntry call{nt::Fn::RtlStringCbCatNA};
  return append(pszDest, cbDest, pszSrc, cbToAppend);
}

NTSTATUS RtlStringCbLengthA(NTSTRSAFE_PCSTR psz, size_t cbMax, size_t* pcbLength) {
  nt::KernelEntry call{nt::Fn::RtlStringCbLengthA};
  return measure(psz, cbMax, 1, pcbLength);
}

NTSTATUS RtlStringCbVPrintfA(NTSTRSAFE_PSTR pszDest, size_t cbDest, NTSTRSAFE_PCSTR pszFormat, va_list argList) {
  nt::KernelEntry call{nt::Fn::RtlStringCbVPrintfA};
  return print(nt::Fn::RtlStringCbVPrintfA, pszDest, cbDest, pszFormat, argList);
}

NTSTATUS RtlStringCbPrintfA(NTSTRSAFE_PSTR pszDest, size_t cbDest, NTSTRSAFE_PCSTR pszFormat, ...) {
  nt::KernelEntry call{nt::Fn::RtlStringCbPrintfA};
  va_list args;
  va_start(args, pszFormat);
  const NTSTATUS status = print(nt::Fn::RtlStringCbPrintfA, pszDest, cbDest, pszFormat, args);
  va_end(args);
  return status;
}

NTSTATUS RtlStringCbCopyW(NTSTRSAFE_PWSTR pszDest, size_t cbDest, NTSTRSAFE_PCWSTR pszSrc) {
  nt::KernelEntry call{nt::Fn::RtlStringCbCopyW};
  return copy(pszDest, cbDest / sizeof(WCHAR), pszSrc, kAll);
}

NTSTATUS RtlStringCbCopyNW(NTSTRSAFE_PWSTR pszDest, size_t cbDest, NTSTRSAFE_PCWSTR pszSrc, size_t cbToCopy) {
  nt::KernelEntry call{nt::Fn::RtlStringCbCopyNW};
  return copy(pszDest, cbDest / sizeof(WCHAR), pszSrc, cbToCopy / sizeof(WCHAR));
}

NTSTATUS RtlStringCbCatW(NTSTRSAFE_PWSTR pszDest, size_t cbDest, NTSTRSAFE_PCWSTR pszSrc) {
  nt::KernelEntry call{nt::Fn::RtlStringCbCatW};
  return append(pszDest, cbDest / sizeof(WCHAR), pszSrc, kAll);
}

NTSTATUS RtlStringCbCatNW(NTSTRSAFE_PWSTR pszDest, size_t cbDest, NTSTRSAFE_PCWSTR pszSrc, size_t cbToAppend) {
  nt::KernelEntry call{nt::Fn::RtlStringCbCatNW};
  return append(pszDest, cbDest / sizeof(WCHAR), pszSrc, cbToAppend / sizeof(WCHAR));
}

NTSTATUS RtlStringCbLengthW(NTSTRSAFE_PCWSTR psz, size_t cbMax, size_t* pcbLength) {
  nt::KernelEntry call{nt::Fn::RtlStringCbLengthW};
  return measure(psz, cbMax / sizeof(WCHAR), sizeof(WCHAR), pcbLength);
}

NTSTATUS RtlStringCbVPrintfW(NTSTRSAFE_PWSTR pszDest, size_t cbDest, NTSTRSAFE_PCWSTR pszFormat, va_list argList) {
  nt::KernelEntry call{nt::Fn::RtlStringCbVPrintfW};
  return print(nt::Fn::RtlStringCbVPrintfW, pszDest, cbDest / sizeof(WCHAR), pszFormat, argList);
}

NTSTATUS RtlStringCbPrintfW(NTSTRSAFE_PWSTR pszDest, size_t cbDest, NTSTRSAFE_PCWSTR pszFormat, ...) {
  nt::KernelEntry call{nt::Fn::RtlStringCbPrintfW};
  va_list args;
  va_start(args, pszFormat);
  const NTSTATUS status = print(nt::Fn::RtlStringCbPrintfW, pszDest, cbDest / sizeof(WCHAR), pszFormat, args);
  va_end(args);
  return status;
}

NTSTATUS RtlStringCchCopyA(NTSTRSAFE_PSTR pszDest, size_t cchDest, NTSTRSAFE_PCSTR pszSrc) {
  nt::KernelEntry call{nt::Fn::RtlStringCchCopyA};
  return copy(pszDest, cchDest, pszSrc, kAll);
}

NTSTATUS RtlStringCchCopyNA(NTSTRSAFE_PSTR pszDest, size_t cchDest, NTSTRSAFE_PCSTR pszSrc, size_t cchToCopy) {
  nt::KernelEntry call{nt::Fn::RtlStringCchCopyNA};
  return copy(pszDest, cchDest, pszSrc, cchToCopy);
}

NTSTATUS RtlStringCchCatA(NTSTRSAFE_PSTR pszDest, size_t cchDest, NTSTRSAFE_PCSTR pszSrc) {
  nt::KernelEntry call{nt::Fn::RtlStringCchCatA};
  return append(pszDest, cchDest, pszSrc, kAll);
}

NTSTATUS RtlStringCchCatNA(NTSTRSAFE_PSTR pszDest, size_t cchDest, NTSTRSAFE_PCSTR pszSrc, size_t cchToAppend) {
  nt::KernelEntry call{nt::Fn::RtlStringCchCatNA};
  return append(pszDest, cchDest, pszSrc, cchToAppend);
}

NTSTATUS RtlStringCchLengthA(NTSTRSAFE_PCSTR psz, size_t cchMax, size_t* pcchLength) {
  nt::KernelEntry call{nt::Fn::RtlStringCchLengthA};
  return measure(psz, cchMax, 1, pcchLength);
}

NTSTATUS RtlStringCchVPrintfA(NTSTRSAFE_PSTR pszDest, size_t cchDest, NTSTRSAFE_PCSTR pszFormat, va_list argList) {
  nt::KernelEntry call{nt::Fn::RtlStringCchVPrintfA};
  return print(nt::Fn::RtlStringCchVPrintfA, pszDest, cchDest, pszFormat, argList);
}

NTSTATUS RtlStringCchPrintfA(NTSTRSAFE_PSTR pszDest, size_t cchDest, NTSTRSAFE_PCSTR pszFormat, ...) {
  nt::KernelEntry call{nt::Fn::RtlStringCchPrintfA};
  va_list args;
  va_start(args, pszFormat);
  const NTSTATUS status = print(nt::Fn::RtlStringCchPrintfA, pszDest, cchDest, pszFormat, args);
  va_end(args);
  return status;
}

NTSTATUS RtlStringCchCopyW(NTSTRSAFE_PWSTR pszDest, size_t cchDest, NTSTRSAFE_PCWSTR pszSrc) {
  nt::KernelEntry call{nt::Fn::RtlStringCchCopyW};
  return copy(pszDest, cchDest, pszSrc, kAll);
}

NTSTATUS RtlStringCchCopyNW(NTSTRSAFE_PWSTR pszDest, size_t cchDest, NTSTRSAFE_PCWSTR pszSrc, size_t cchToCopy) {
  nt::KernelEntry call{nt::Fn::RtlStringCchCopyNW};
  return copy(pszDest, cchDest, pszSrc, cchToCopy);
}

NTSTATUS RtlStringCchCatW(NTSTRSAFE_PWSTR pszDest, size_t cchDest, NTSTRSAFE_PCWSTR pszSrc) {
  nt::KernelEntry call{nt::Fn::RtlStringCchCatW};
  return append(pszDest, cchDest, pszSrc, kAll);
}

NTSTATUS RtlStringCchCatNW(NTSTRSAFE_PWSTR pszDest, size_t cchDest, NTSTRSAFE_PCWSTR pszSrc, size_t cchToAppend) {
  nt::KernelEntry call{nt::Fn::RtlStringCchCatNW};
  return append(pszDest, cchDest, pszSrc, cchToAppend);
}

NTSTATUS RtlStringCchLengthW(NTSTRSAFE_PCWSTR psz, size_t cchMax, size_t* pcchLength) {
  nt::KernelEntry call{nt::Fn::RtlStringCchLengthW};
  return measure(psz, cchMax, 1, pcchLength);
}

NTSTATUS RtlStringCchVPrintfW(NTSTRSAFE_PWSTR pszDest, size_t cchDest, NTSTRSAFE_PCWSTR pszFormat, va_list argList) {
  nt::KernelEntry call{nt::Fn::RtlStringCchVPrintfW};
  return print(nt::Fn::RtlStringCchVPrintfW, pszDest, cchDest, pszFormat, argList);
}

NTSTATUS RtlStringCchPrintfW(NTSTRSAFE_PWSTR pszDest, size_t cchDest, NTSTRSAFE_PCWSTR pszFormat, ...) {
  nt::KernelEntry call{nt::Fn::RtlStringCchPrintfW};
  va_list args;
  va_start(args, pszFormat);
  const NTSTATUS status = print(nt::Fn::RtlStringCchPrintfW, pszDest, cchDest, pszFormat, args);
  va_end(args);
  return status;
}

}  // extern "C"
