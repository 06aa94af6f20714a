// GUID, and the DEFINE_GUID macro that declares by default and defines once INITGUID is set.
#pragma once
#pragma GCC system_header

typedef struct _GUID {
  unsigned int Data1;
  unsigned short Data2;
  unsigned short Data3;
  unsigned char Data4[8];
} GUID;

typedef GUID *PGUID, *LPGUID;
typedef const GUID *LPCGUID, *PCGUID;
typedef GUID IID, *LPIID, CLSID, *LPCLSID;

#ifdef __cplusplus
#define DRYDOCK_GUID_LINKAGE extern "C"
typedef const GUID& REFGUID;
typedef const IID& REFIID;
typedef const CLSID& REFCLSID;
#else
#define DRYDOCK_GUID_LINKAGE extern
typedef const GUID* REFGUID;
typedef const IID* REFIID;
typedef const CLSID* REFCLSID;
#endif

#define DRYDOCK_DECLARE_GUID(name, l, w1, w2, b1, b2, b3, b4, b5, b6, b7, b8) DRYDOCK_GUID_LINKAGE const GUID name
// Several translation units may define the same GUID; the definitions are weak so that they fold.
#define DRYDOCK_DEFINE_GUID(name, l, w1, w2, b1, b2, b3, b4, b5, b6, b7, b8) \
  DRYDOCK_GUID_LINKAGE const GUID name __attribute__((weak));                \
  const GUID name = {l, w1, w2, {b1, b2, b3, b4, b5, b6, b7, b8}}

#ifdef INITGUID
#define DEFINE_GUID DRYDOCK_DEFINE_GUID
#else
#define DEFINE_GUID DRYDOCK_DECLARE_GUID
#endif

#ifdef __cplusplus
extern "C++" {
static inline int InlineIsEqualGUID(REFGUID a, REFGUID b) { return __builtin_memcmp(&a, &b, sizeof(GUID)) == 0; }
inline bool operator==(REFGUID a, REFGUID b) { return InlineIsEqualGUID(a, b) != 0; }
// C++20 derives != from ==, C++17 does not.
#if __cplusplus < 202002L
inline bool operator!=(REFGUID a, REFGUID b) { return !(a == b); }
#endif
}
#define IsEqualGUID(a, b) InlineIsEqualGUID(a, b)
#else
#define IsEqualGUID(a, b) (__builtin_memcmp((a), (b), sizeof(GUID)) == 0)
#define InlineIsEqualGUID(a, b) IsEqualGUID(a, b)
#endif
#define IsEqualIID(a, b) IsEqualGUID(a, b)
#define IsEqualCLSID(a, b) IsEqualGUID(a, b)
