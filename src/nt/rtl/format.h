#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdint>

#include "abi/shared/ntdef.h"

// One printf engine for everything a driver formats: DbgPrint, RtlString*Printf, the C run-time's sprintf family.
//
// It means what Windows means (Microsoft's "Format specification syntax: printf and wprintf functions"), not what the
// host's printf means: %s and %c have the width of the format string, %S and %C the other one, h forces narrow, l and w
// force wide; l integers have 32 bits, ll and I64 have 64, I has a pointer's; %Z takes a STRING, %wZ a UNICODE_STRING;
// %p is sixteen upper-case digits. A null string prints "(null)"; a character without meaning after % prints itself.
//
// Not in a kernel: floating point (DbgPrint's page excludes it; for the others policy) and %n (the run-time library
// disables it). Both consume their argument, leave their own text in the output and are reported as a fault.
namespace nt {

enum class FormatFault : uint8_t { None, FloatingPoint, CountOutput };

struct Formatted {
  size_t needed = 0;                      // characters of the whole text, without terminator, however many fitted
  FormatFault fault = FormatFault::None;  // the first one met
  bool converted = false;                 // ANSI to Unicode or back: %C, %S, %lc, %ls, %wc, %ws, %wZ of an ANSI text
};

// Writes at most `capacity` characters including the terminator, which is always written unless `capacity` is zero.
Formatted format_ansi(char* out, size_t capacity, const char* format, va_list args);
Formatted format_wide(WCHAR* out, size_t capacity, const WCHAR* format, va_list args);

// The same for counted text: all of `capacity` is for characters, and a terminator follows only where there is room.
Formatted format_ansi_counted(char* out, size_t capacity, const char* format, va_list args);
Formatted format_wide_counted(WCHAR* out, size_t capacity, const WCHAR* format, va_list args);

}  // namespace nt
