// Standard definitions for drivers, without the platform's own headers.
#pragma once
#pragma GCC system_header

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
#ifndef __cplusplus
typedef __WCHAR_TYPE__ wchar_t;
#endif
typedef long long intptr_t;
typedef unsigned long long uintptr_t;

#ifndef NULL
#ifdef __cplusplus
#define NULL 0
#else
#define NULL ((void*)0)
#endif
#endif
#define offsetof(type, member) __builtin_offsetof(type, member)
#define _countof(array) (sizeof(array) / sizeof((array)[0]))
