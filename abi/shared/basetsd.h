// Integer types whose width the Windows data model fixes, spelled so that an LP64 compiler agrees.
#pragma once
#pragma GCC system_header

typedef signed char INT8, *PINT8;
typedef short INT16, *PINT16;
typedef int INT32, *PINT32;
typedef long long INT64, *PINT64;
typedef unsigned char UINT8, *PUINT8;
typedef unsigned short UINT16, *PUINT16;
typedef unsigned int UINT32, *PUINT32;
typedef unsigned long long UINT64, *PUINT64;

typedef int LONG32, *PLONG32;
typedef unsigned int ULONG32, *PULONG32;
typedef unsigned int DWORD32, *PDWORD32;
typedef long long LONG64, *PLONG64;
typedef unsigned long long ULONG64, *PULONG64;
typedef unsigned long long DWORD64, *PDWORD64;

typedef long long INT_PTR, *PINT_PTR;
typedef unsigned long long UINT_PTR, *PUINT_PTR;
typedef long long LONG_PTR, *PLONG_PTR;
typedef unsigned long long ULONG_PTR, *PULONG_PTR;
typedef ULONG_PTR DWORD_PTR, *PDWORD_PTR;
typedef ULONG_PTR SIZE_T, *PSIZE_T;
typedef LONG_PTR SSIZE_T, *PSSIZE_T;
typedef ULONG_PTR KAFFINITY, *PKAFFINITY;

typedef int HALF_PTR, *PHALF_PTR;
typedef unsigned int UHALF_PTR, *PUHALF_PTR;

#define MAXUINT8 ((UINT8) ~((UINT8)0))
#define MAXINT8 ((INT8)(MAXUINT8 >> 1))
#define MININT8 ((INT8)~MAXINT8)
#define MAXUINT16 ((UINT16) ~((UINT16)0))
#define MAXINT16 ((INT16)(MAXUINT16 >> 1))
#define MININT16 ((INT16)~MAXINT16)
#define MAXUINT32 ((UINT32) ~((UINT32)0))
#define MAXINT32 ((INT32)(MAXUINT32 >> 1))
#define MININT32 ((INT32)~MAXINT32)
#define MAXUINT64 ((UINT64) ~((UINT64)0))
#define MAXINT64 ((INT64)(MAXUINT64 >> 1))
#define MININT64 ((INT64)~MAXINT64)
#define MAXULONG32 ((ULONG32) ~((ULONG32)0))
#define MAXLONG32 ((LONG32)(MAXULONG32 >> 1))
#define MAXULONG64 ((ULONG64) ~((ULONG64)0))
#define MAXLONG64 ((LONG64)(MAXULONG64 >> 1))
#define MAXULONG_PTR (~((ULONG_PTR)0))
#define MAXLONG_PTR ((LONG_PTR)(MAXULONG_PTR >> 1))
#define MAXUINT_PTR (~((UINT_PTR)0))
#define MAXSIZE_T ((SIZE_T) ~((SIZE_T)0))
#define MAXUINT ((unsigned int)~0u)

#define HandleToLong(h) ((int)(LONG_PTR)(h))
#define HandleToUlong(h) ((unsigned int)(ULONG_PTR)(h))
#define ULongToHandle(ul) ((void*)(ULONG_PTR)(unsigned int)(ul))
#define LongToHandle(l) ((void*)(LONG_PTR)(int)(l))
#define PtrToUlong(p) ((unsigned int)(ULONG_PTR)(p))
#define PtrToLong(p) ((int)(LONG_PTR)(p))
#define PtrToUint(p) ((unsigned int)(ULONG_PTR)(p))
#define PtrToInt(p) ((int)(LONG_PTR)(p))
#define UlongToPtr(ul) ((void*)(ULONG_PTR)(unsigned int)(ul))
#define ULongToPtr(ul) UlongToPtr(ul)
#define LongToPtr(l) ((void*)(LONG_PTR)(int)(l))
#define IntToPtr(i) ((void*)(LONG_PTR)(int)(i))
