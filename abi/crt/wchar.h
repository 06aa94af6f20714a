// Wide strings for drivers: two-byte characters, so every name leads to the host and never to libc.
#pragma once
#pragma GCC system_header

#include "drydock_crt.h"
#include "stddef.h"

#define wcslen DrydockWcslen
#define wcsnlen DrydockWcsnlen
#define wcscpy DrydockWcscpy
#define wcsncpy DrydockWcsncpy
#define wcscmp DrydockWcscmp
#define wcsncmp DrydockWcsncmp
#define wcscat DrydockWcscat
#define wcschr DrydockWcschr
#define wcsrchr DrydockWcsrchr
#define wcsstr DrydockWcsstr
#define _wcsicmp DrydockWcsicmp
#define swprintf DrydockSwprintf
#define _snwprintf DrydockSnwprintf
#define _vsnwprintf DrydockVsnwprintf
