// Base types and constants of the NT interface, for drivers and for the host that implements it.
//
// Valid as C11 and C++17 with the driver flags (wchar_t is two bytes) and as ordinary C++20 in the
// host (wchar_t is four bytes, so WCHAR is char16_t there; both have the same layout).
#pragma once
#pragma GCC system_header

#include "basetsd.h"
#include "guiddef.h"
#include "sal.h"

#ifdef __cplusplus
#define EXTERN_C extern "C"
#define EXTERN_C_START extern "C" {
#define EXTERN_C_END }
#else
#define EXTERN_C extern
#define EXTERN_C_START
#define EXTERN_C_END
#endif

#ifdef DRYDOCK_DRIVER
// How parameters were marked before sal.h. The host's own code may use such short names.
#ifndef IN
#define IN
#endif
#ifndef OUT
#define OUT
#endif
#ifndef OPTIONAL
#define OPTIONAL
#endif
#endif

// Calling conventions and import marks carry nothing: host and driver share one platform ABI.
#define NTAPI
#define NTSYSAPI
#define NTSYSCALLAPI
#define NTKERNELAPI
#define FASTCALL
#define STDCALL
#define CALLBACK
#define WINAPI
#define DECLSPEC_IMPORT
#define DECLSPEC_EXPORT
#ifdef DRYDOCK_DRIVER
// Some drivers define __attribute__ away; the Microsoft spellings survive that.
#define DECLSPEC_NORETURN __declspec(noreturn)
#define DECLSPEC_NOINLINE __declspec(noinline)
#define DECLSPEC_ALIGN(x) __declspec(align(x))
#else
#define DECLSPEC_NORETURN __attribute__((noreturn))
#define DECLSPEC_NOINLINE __attribute__((noinline))
#define DECLSPEC_ALIGN(x) __attribute__((aligned(x)))
#endif
#define DECLSPEC_CACHEALIGN DECLSPEC_ALIGN(64)
// In C++ this also marks member functions, so it cannot say static there.
#ifdef __cplusplus
#define FORCEINLINE inline
#else
#define FORCEINLINE static inline
#endif
#define NOTHING
#define CRITICAL
#define UNALIGNED
#define RESTRICTED_POINTER

#ifndef CONST
#define CONST const
#endif
#ifndef VOID
#define VOID void
#endif

// Drivers compare and pass NULL as a plain zero; the host keeps its own definition.
#ifndef NULL
#ifdef __cplusplus
#define NULL 0
#else
#define NULL ((void*)0)
#endif
#endif

typedef void* PVOID;
typedef void* LPVOID;
typedef const void* LPCVOID;
typedef PVOID* PPVOID;

typedef char CHAR, *PCHAR, *LPCH, *PCH, CCHAR, *PCCHAR;
typedef const char *LPCCH, *PCCH;
typedef char *PSTR, *LPSTR, *NPSTR;
typedef const char *PCSTR, *LPCSTR;
typedef PSTR* PZPSTR;
typedef char *PSZ, *PNZCH;
typedef const char *PCSZ, *PCNZCH;
typedef signed char SCHAR;
typedef short SHORT, *PSHORT;
typedef short CSHORT;
typedef int LONG, *PLONG;
typedef int INT, *PINT;
typedef long long LONGLONG, *PLONGLONG;
typedef unsigned char UCHAR, *PUCHAR;
typedef unsigned short USHORT, *PUSHORT;
typedef unsigned int ULONG, *PULONG;
typedef unsigned int UINT, *PUINT;
typedef unsigned long long ULONGLONG, *PULONGLONG;
typedef unsigned char BYTE, *PBYTE, *LPBYTE;
typedef unsigned short WORD, *PWORD;
typedef unsigned int DWORD, *PDWORD;
typedef unsigned long long DWORDLONG, *PDWORDLONG;
typedef float FLOAT, *PFLOAT;
typedef double DOUBLE;
typedef int BOOL, *PBOOL, *LPBOOL;
typedef UCHAR BOOLEAN, *PBOOLEAN;
typedef LONG HRESULT;
typedef LONG NTSTATUS, *PNTSTATUS;
typedef LONGLONG USN;
typedef UCHAR KIRQL, *PKIRQL;
typedef CCHAR KPROCESSOR_MODE;
typedef LONG KPRIORITY;
typedef ULONG LCID, *PLCID;
typedef USHORT LANGID;
typedef ULONG ACCESS_MASK, *PACCESS_MASK;
typedef ULONG LOGICAL;
typedef ULONG CLONG;

/* Windows' has two bytes, and so has a driver's wchar_t. Drydock itself, and programs that use libdrydock, define
 * DRYDOCK_UTF16. A Linux client of D3DKMT has wchar_t of four bytes, as with Microsoft's headers for WSL: libdxcore.so
 * takes names from it that way. */
#if __SIZEOF_WCHAR_T__ == 2 || !defined(DRYDOCK_UTF16)
#ifdef __cplusplus
typedef wchar_t WCHAR;
#else
typedef __WCHAR_TYPE__ WCHAR;
#endif
#elif defined(__cplusplus)
typedef char16_t WCHAR;
#else
typedef unsigned short WCHAR;
#endif
typedef WCHAR *PWCHAR, *LPWCH, *PWCH, *PWSTR, *LPWSTR, *NWPSTR;
typedef const WCHAR *LPCWCH, *PCWCH, *PCWSTR, *LPCWSTR;
typedef PWSTR* PZPWSTR;
typedef const PWSTR* PCZPWSTR;
typedef WCHAR* PNZWCH;
typedef const WCHAR* PCNZWCH;
typedef PCWSTR* PZPCWSTR;

typedef PVOID HANDLE, *PHANDLE;
#define DECLARE_HANDLE(name) \
  struct name##__ {          \
    int unused;              \
  };                         \
  typedef struct name##__* name

#define TRUE 1
#define FALSE 0

#define ANSI_NULL ((CHAR)0)
#define UNICODE_NULL ((WCHAR)0)
#define UNICODE_STRING_MAX_BYTES ((USHORT)65534)
#define UNICODE_STRING_MAX_CHARS (32767)

#define MINCHAR 0x80
#define MAXCHAR 0x7f
#define MAXUCHAR 0xff
#define MINSHORT 0x8000
#define MAXSHORT 0x7fff
#define MAXUSHORT 0xffff
#define MINLONG 0x80000000
#define MAXLONG 0x7fffffff
#define MAXULONG 0xffffffff
#define MAXDWORD 0xffffffff
#define MAXLONGLONG (0x7fffffffffffffffLL)
#define MAXULONGLONG ((ULONGLONG) ~((ULONGLONG)0))

// The anonymous struct and the u member name the same two halves.
typedef union _LARGE_INTEGER {
  struct {
    ULONG LowPart;
    LONG HighPart;
  };
  struct {
    ULONG LowPart;
    LONG HighPart;
  } u;
  LONGLONG QuadPart;
} LARGE_INTEGER, *PLARGE_INTEGER;

typedef union _ULARGE_INTEGER {
  struct {
    ULONG LowPart;
    ULONG HighPart;
  };
  struct {
    ULONG LowPart;
    ULONG HighPart;
  } u;
  ULONGLONG QuadPart;
} ULARGE_INTEGER, *PULARGE_INTEGER;

typedef LARGE_INTEGER PHYSICAL_ADDRESS, *PPHYSICAL_ADDRESS;

typedef struct _LUID {
  ULONG LowPart;
  LONG HighPart;
} LUID, *PLUID;

typedef struct _LIST_ENTRY {
  struct _LIST_ENTRY* Flink;
  struct _LIST_ENTRY* Blink;
} LIST_ENTRY, *PLIST_ENTRY, *PRLIST_ENTRY;

typedef struct _SINGLE_LIST_ENTRY {
  struct _SINGLE_LIST_ENTRY* Next;
} SINGLE_LIST_ENTRY, *PSINGLE_LIST_ENTRY;

typedef struct _STRING {
  USHORT Length;
  USHORT MaximumLength;
  PCHAR Buffer;
} STRING, *PSTRING, ANSI_STRING, *PANSI_STRING, OEM_STRING, *POEM_STRING, UTF8_STRING, *PUTF8_STRING;
typedef const STRING *PCANSI_STRING, *PCOEM_STRING;

typedef struct _UNICODE_STRING {
  USHORT Length;
  USHORT MaximumLength;
  PWSTR Buffer;
} UNICODE_STRING, *PUNICODE_STRING;
typedef const UNICODE_STRING* PCUNICODE_STRING;

typedef struct _OBJECT_ATTRIBUTES {
  ULONG Length;
  HANDLE RootDirectory;
  PUNICODE_STRING ObjectName;
  ULONG Attributes;
  PVOID SecurityDescriptor;
  PVOID SecurityQualityOfService;
} OBJECT_ATTRIBUTES, *POBJECT_ATTRIBUTES;

#define OBJ_INHERIT 0x00000002L
#define OBJ_PERMANENT 0x00000010L
#define OBJ_EXCLUSIVE 0x00000020L
#define OBJ_CASE_INSENSITIVE 0x00000040L
#define OBJ_OPENIF 0x00000080L
#define OBJ_OPENLINK 0x00000100L
#define OBJ_KERNEL_HANDLE 0x00000200L
#define OBJ_FORCE_ACCESS_CHECK 0x00000400L

#define InitializeObjectAttributes(p, n, a, r, s) \
  do {                                            \
    (p)->Length = sizeof(OBJECT_ATTRIBUTES);      \
    (p)->RootDirectory = (r);                     \
    (p)->Attributes = (a);                        \
    (p)->ObjectName = (n);                        \
    (p)->SecurityDescriptor = (s);                \
    (p)->SecurityQualityOfService = NULL;         \
  } while (0)

// Buffer is not const in the string types, yet these hold literals that nobody may write.
#ifdef __cplusplus
extern "C++" {
template <typename Char>
constexpr Char* DrydockMutableLiteral(const Char* literal) {
  return const_cast<Char*>(literal);
}
}
#define DRYDOCK_MUTABLE_LITERAL(s) DrydockMutableLiteral(s)
#else
#define DRYDOCK_MUTABLE_LITERAL(s) ((void*)(s))
#endif
#define RTL_CONSTANT_STRING(s) \
  { sizeof(s) - sizeof((s)[0]), sizeof(s), DRYDOCK_MUTABLE_LITERAL(s) }
#define DECLARE_CONST_UNICODE_STRING(variable, string)                                   \
  static const WCHAR variable##_buffer[] = string;                                       \
  const UNICODE_STRING variable = {sizeof(string) - sizeof((string)[0]), sizeof(string), \
                                   DRYDOCK_MUTABLE_LITERAL(variable##_buffer)}
#define DECLARE_UNICODE_STRING_SIZE(variable, size) \
  WCHAR variable##_buffer[size];                    \
  UNICODE_STRING variable = {0, (size) * sizeof(WCHAR), variable##_buffer}

// The pragma-free forms of the usual language helpers.
#define FIELD_OFFSET(type, field) ((LONG) __builtin_offsetof(type, field))
#define UFIELD_OFFSET(type, field) ((ULONG) __builtin_offsetof(type, field))
#define CONTAINING_RECORD(address, type, field) \
  ((type*)((PCHAR)(address) - (ULONG_PTR) __builtin_offsetof(type, field)))
#define RTL_FIELD_SIZE(type, field) (sizeof(((type*)0)->field))
#define RTL_SIZEOF_THROUGH_FIELD(type, field) (__builtin_offsetof(type, field) + RTL_FIELD_SIZE(type, field))
#define RTL_CONTAINS_FIELD(record, size, field) \
  ((((PCHAR)(&(record)->field)) + sizeof((record)->field)) <= (((PCHAR)(record)) + (size)))
#define RTL_NUMBER_OF(array) (sizeof(array) / sizeof((array)[0]))
#ifndef ARRAYSIZE
#define ARRAYSIZE(array) RTL_NUMBER_OF(array)
#endif
#define UNREFERENCED_PARAMETER(p) ((void)(p))
#define DBG_UNREFERENCED_PARAMETER(p) ((void)(p))
#define DBG_UNREFERENCED_LOCAL_VARIABLE(v) ((void)(v))

#define C_ASSERT(e) DRYDOCK_STATIC_ASSERT(e, #e)
#ifdef __cplusplus
#define DRYDOCK_STATIC_ASSERT static_assert
#else
#define DRYDOCK_STATIC_ASSERT _Static_assert
#endif

// C++ enumerations used as flag words get their operators the way the documentation shows.
#ifdef __cplusplus
#define DEFINE_ENUM_FLAG_OPERATORS(T)                                                                     \
  extern "C++" {                                                                                          \
  inline constexpr T operator|(T a, T b) { return T(__underlying_type(T)(a) | __underlying_type(T)(b)); } \
  inline constexpr T operator&(T a, T b) { return T(__underlying_type(T)(a) & __underlying_type(T)(b)); } \
  inline constexpr T operator^(T a, T b) { return T(__underlying_type(T)(a) ^ __underlying_type(T)(b)); } \
  inline constexpr T operator~(T a) { return T(~__underlying_type(T)(a)); }                               \
  inline T& operator|=(T& a, T b) { return a = a | b; }                                                   \
  inline T& operator&=(T& a, T b) { return a = a & b; }                                                   \
  inline T& operator^=(T& a, T b) { return a = a ^ b; }                                                   \
  }
#else
#define DEFINE_ENUM_FLAG_OPERATORS(T)
#endif

#define LOWORD(l) ((WORD)(((DWORD_PTR)(l)) & 0xffff))
#define HIWORD(l) ((WORD)((((DWORD_PTR)(l)) >> 16) & 0xffff))
#define LOBYTE(w) ((BYTE)(((DWORD_PTR)(w)) & 0xff))
#define HIBYTE(w) ((BYTE)((((DWORD_PTR)(w)) >> 8) & 0xff))
