// The C library functions whose Windows meaning libc does not share, as the host exports them.
//
// Wide characters have two bytes here and four in libc; printf formats mean what Windows means by them
// (%ld is 32 bits, %I64x, %wZ, %S); case folding is ASCII. The shims map the usual names to these, so that
// a driver can never bind libc's version by accident.
#pragma once
#pragma GCC system_header

#include "../shared/ntdef.h"

EXTERN_C_START

__SIZE_TYPE__ DrydockWcslen(const WCHAR* s);
__SIZE_TYPE__ DrydockWcsnlen(const WCHAR* s, __SIZE_TYPE__ limit);
WCHAR* DrydockWcscpy(WCHAR* to, const WCHAR* from);
WCHAR* DrydockWcsncpy(WCHAR* to, const WCHAR* from, __SIZE_TYPE__ count);
int DrydockWcscmp(const WCHAR* a, const WCHAR* b);
int DrydockWcsncmp(const WCHAR* a, const WCHAR* b, __SIZE_TYPE__ count);
WCHAR* DrydockWcscat(WCHAR* to, const WCHAR* from);
WCHAR* DrydockWcschr(const WCHAR* s, WCHAR c);
WCHAR* DrydockWcsrchr(const WCHAR* s, WCHAR c);
WCHAR* DrydockWcsstr(const WCHAR* s, const WCHAR* part);
int DrydockWcsicmp(const WCHAR* a, const WCHAR* b);
int DrydockStricmp(const char* a, const char* b);
int DrydockStrnicmp(const char* a, const char* b, __SIZE_TYPE__ count);

int DrydockSprintf(char* to, const char* format, ...);
int DrydockSnprintf(char* to, __SIZE_TYPE__ count, const char* format, ...);
int DrydockVsnprintf(char* to, __SIZE_TYPE__ count, const char* format, __builtin_va_list arguments);
int DrydockSwprintf(WCHAR* to, const WCHAR* format, ...);
int DrydockSnwprintf(WCHAR* to, __SIZE_TYPE__ count, const WCHAR* format, ...);
int DrydockVsnwprintf(WCHAR* to, __SIZE_TYPE__ count, const WCHAR* format, __builtin_va_list arguments);

EXTERN_C_END
