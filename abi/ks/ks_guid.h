// How kernel streaming names a GUID: its eleven numbers as STATIC_x, usable in initialisers, and x itself.
//
//   #define STATIC_x 0x.., 0x.., 0x.., 0x.., 0x.., 0x.., 0x.., 0x.., 0x.., 0x.., 0x..
//   DEFINE_GUIDSTRUCT("...", x);
//   #define x DEFINE_GUIDNAMED(x)
#pragma once
#pragma GCC system_header

#include "../shared/guiddef.h"

#define DRYDOCK_GUID_BRACED(l, w1, w2, b1, b2, b3, b4, b5, b6, b7, b8) \
  {                                                                    \
    l, w1, w2, { b1, b2, b3, b4, b5, b6, b7, b8 }                      \
  }
// One more expansion, so that STATIC_x has become eleven arguments.
#define DRYDOCK_GUID_OF(...) DRYDOCK_GUID_BRACED(__VA_ARGS__)

// Every translation unit defines the GUID and the definitions fold, so nothing has to be linked for them.
#ifdef __cplusplus
#define DEFINE_GUIDSTRUCT(g, n) inline constexpr GUID n = DRYDOCK_GUID_OF(STATIC_##n)
#else
#define DEFINE_GUIDSTRUCT(g, n)              \
  extern const GUID n __attribute__((weak)); \
  const GUID n = DRYDOCK_GUID_OF(STATIC_##n)
#endif
#define DEFINE_GUIDNAMED(n) n
// Drivers put STATIC_x flat into initialisers of GUIDs and of structures that begin with one.
#ifdef DRYDOCK_DRIVER
#pragma GCC diagnostic ignored "-Wmissing-braces"
#endif
#define STATICGUIDOF(guid) STATIC_##guid

#ifndef SIZEOF_ARRAY
#define SIZEOF_ARRAY(ar) (sizeof(ar) / sizeof((ar)[0]))
#endif
