// Bounded string functions. On Windows they are inline; here the host exports them.
#pragma once
#pragma GCC system_header

#include "wdm_dbg.h"
#include "wdm_types.h"

#define NTSTRSAFE_MAX_CCH 2147483647
#define NTSTRSAFE_UNICODE_STRING_MAX_CCH (0xffff / sizeof(WCHAR))

typedef char* NTSTRSAFE_PSTR;
typedef const char* NTSTRSAFE_PCSTR;
typedef WCHAR* NTSTRSAFE_PWSTR;
typedef const WCHAR* NTSTRSAFE_PCWSTR;

EXTERN_C_START

NTSTATUS RtlStringCbPrintfA(NTSTRSAFE_PSTR pszDest, __SIZE_TYPE__ cbDest, NTSTRSAFE_PCSTR pszFormat, ...);
NTSTATUS RtlStringCbVPrintfA(NTSTRSAFE_PSTR pszDest, __SIZE_TYPE__ cbDest, NTSTRSAFE_PCSTR pszFormat,
                             DRYDOCK_VA_LIST argList);
NTSTATUS RtlStringCbCopyA(NTSTRSAFE_PSTR pszDest, __SIZE_TYPE__ cbDest, NTSTRSAFE_PCSTR pszSrc);
NTSTATUS RtlStringCbCopyNA(NTSTRSAFE_PSTR pszDest, __SIZE_TYPE__ cbDest, NTSTRSAFE_PCSTR pszSrc,
                           __SIZE_TYPE__ cbToCopy);
NTSTATUS RtlStringCbCatA(NTSTRSAFE_PSTR pszDest, __SIZE_TYPE__ cbDest, NTSTRSAFE_PCSTR pszSrc);
NTSTATUS RtlStringCbCatNA(NTSTRSAFE_PSTR pszDest, __SIZE_TYPE__ cbDest, NTSTRSAFE_PCSTR pszSrc,
                          __SIZE_TYPE__ cbToAppend);
NTSTATUS RtlStringCbLengthA(NTSTRSAFE_PCSTR psz, __SIZE_TYPE__ cbMax, __SIZE_TYPE__* pcbLength);

NTSTATUS RtlStringCbPrintfW(NTSTRSAFE_PWSTR pszDest, __SIZE_TYPE__ cbDest, NTSTRSAFE_PCWSTR pszFormat, ...);
NTSTATUS RtlStringCbVPrintfW(NTSTRSAFE_PWSTR pszDest, __SIZE_TYPE__ cbDest, NTSTRSAFE_PCWSTR pszFormat,
                             DRYDOCK_VA_LIST argList);
NTSTATUS RtlStringCbCopyW(NTSTRSAFE_PWSTR pszDest, __SIZE_TYPE__ cbDest, NTSTRSAFE_PCWSTR pszSrc);
NTSTATUS RtlStringCbCopyNW(NTSTRSAFE_PWSTR pszDest, __SIZE_TYPE__ cbDest, NTSTRSAFE_PCWSTR pszSrc,
                           __SIZE_TYPE__ cbToCopy);
NTSTATUS RtlStringCbCatW(NTSTRSAFE_PWSTR pszDest, __SIZE_TYPE__ cbDest, NTSTRSAFE_PCWSTR pszSrc);
NTSTATUS RtlStringCbCatNW(NTSTRSAFE_PWSTR pszDest, __SIZE_TYPE__ cbDest, NTSTRSAFE_PCWSTR pszSrc,
                          __SIZE_TYPE__ cbToAppend);
NTSTATUS RtlStringCbLengthW(NTSTRSAFE_PCWSTR psz, __SIZE_TYPE__ cbMax, __SIZE_TYPE__* pcbLength);

NTSTATUS RtlStringCchPrintfA(NTSTRSAFE_PSTR pszDest, __SIZE_TYPE__ cchDest, NTSTRSAFE_PCSTR pszFormat, ...);
NTSTATUS RtlStringCchVPrintfA(NTSTRSAFE_PSTR pszDest, __SIZE_TYPE__ cchDest, NTSTRSAFE_PCSTR pszFormat,
                              DRYDOCK_VA_LIST argList);
NTSTATUS RtlStringCchCopyA(NTSTRSAFE_PSTR pszDest, __SIZE_TYPE__ cchDest, NTSTRSAFE_PCSTR pszSrc);
NTSTATUS RtlStringCchCopyNA(NTSTRSAFE_PSTR pszDest, __SIZE_TYPE__ cchDest, NTSTRSAFE_PCSTR pszSrc,
                            __SIZE_TYPE__ cchToCopy);
NTSTATUS RtlStringCchCatA(NTSTRSAFE_PSTR pszDest, __SIZE_TYPE__ cchDest, NTSTRSAFE_PCSTR pszSrc);
NTSTATUS RtlStringCchCatNA(NTSTRSAFE_PSTR pszDest, __SIZE_TYPE__ cchDest, NTSTRSAFE_PCSTR pszSrc,
                           __SIZE_TYPE__ cchToAppend);
NTSTATUS RtlStringCchLengthA(NTSTRSAFE_PCSTR psz, __SIZE_TYPE__ cchMax, __SIZE_TYPE__* pcchLength);

NTSTATUS RtlStringCchPrintfW(NTSTRSAFE_PWSTR pszDest, __SIZE_TYPE__ cchDest, NTSTRSAFE_PCWSTR pszFormat, ...);
NTSTATUS RtlStringCchVPrintfW(NTSTRSAFE_PWSTR pszDest, __SIZE_TYPE__ cchDest, NTSTRSAFE_PCWSTR pszFormat,
                              DRYDOCK_VA_LIST argList);
NTSTATUS RtlStringCchCopyW(NTSTRSAFE_PWSTR pszDest, __SIZE_TYPE__ cchDest, NTSTRSAFE_PCWSTR pszSrc);
NTSTATUS RtlStringCchCopyNW(NTSTRSAFE_PWSTR pszDest, __SIZE_TYPE__ cchDest, NTSTRSAFE_PCWSTR pszSrc,
                            __SIZE_TYPE__ cchToCopy);
NTSTATUS RtlStringCchCatW(NTSTRSAFE_PWSTR pszDest, __SIZE_TYPE__ cchDest, NTSTRSAFE_PCWSTR pszSrc);
NTSTATUS RtlStringCchCatNW(NTSTRSAFE_PWSTR pszDest, __SIZE_TYPE__ cchDest, NTSTRSAFE_PCWSTR pszSrc,
                           __SIZE_TYPE__ cchToAppend);
NTSTATUS RtlStringCchLengthW(NTSTRSAFE_PCWSTR psz, __SIZE_TYPE__ cchMax, __SIZE_TYPE__* pcchLength);

NTSTATUS RtlUnicodeStringPrintf(PUNICODE_STRING DestinationString, NTSTRSAFE_PCWSTR pszFormat, ...);
NTSTATUS RtlUnicodeStringVPrintf(PUNICODE_STRING DestinationString, NTSTRSAFE_PCWSTR pszFormat,
                                 DRYDOCK_VA_LIST argList);
NTSTATUS RtlUnicodeStringInit(PUNICODE_STRING DestinationString, NTSTRSAFE_PCWSTR pszSrc);
NTSTATUS RtlUnicodeStringCopy(PUNICODE_STRING DestinationString, PCUNICODE_STRING SourceString);
NTSTATUS RtlUnicodeStringCopyString(PUNICODE_STRING DestinationString, NTSTRSAFE_PCWSTR pszSrc);
NTSTATUS RtlUnicodeStringCatString(PUNICODE_STRING DestinationString, NTSTRSAFE_PCWSTR pszSrc);

EXTERN_C_END

// SIZE_T and size_t are one type on Windows and two here; a driver may hand either to the length functions.
// Templates, so that a NULL length still finds the functions above.
#ifdef __cplusplus
extern "C++" {
#define DRYDOCK_LENGTH_OF_EITHER(name, Text)                               \
  template <typename Size>                                                 \
  inline NTSTATUS name(Text psz, __SIZE_TYPE__ max, Size* length) {        \
    static_assert(sizeof(Size) == sizeof(SIZE_T), "a length is a SIZE_T"); \
    __SIZE_TYPE__ found = 0;                                               \
    NTSTATUS status = name(psz, max, &found);                              \
    *length = found;                                                       \
    return status;                                                         \
  }
DRYDOCK_LENGTH_OF_EITHER(RtlStringCbLengthA, NTSTRSAFE_PCSTR)
DRYDOCK_LENGTH_OF_EITHER(RtlStringCbLengthW, NTSTRSAFE_PCWSTR)
DRYDOCK_LENGTH_OF_EITHER(RtlStringCchLengthA, NTSTRSAFE_PCSTR)
DRYDOCK_LENGTH_OF_EITHER(RtlStringCchLengthW, NTSTRSAFE_PCWSTR)
#undef DRYDOCK_LENGTH_OF_EITHER
}
#endif
