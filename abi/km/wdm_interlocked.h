// Interlocked operations and memory barriers, inline over the compiler's atomics (all sequentially
// consistent: a documented Acquire, Release or NoFence suffix promises less, so it may be given more).
#pragma once
#pragma GCC system_header

#include "wdm_types.h"

// Increment, Decrement and Add return the new value; the others return the one before, as documented. So are the
// widths: 8 bits have the first group only, 16 bits the first two.
#define DRYDOCK_INTERLOCKED_BITS(T, suffix)                            \
  FORCEINLINE T InterlockedExchange##suffix(T volatile* at, T value) { \
    return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);           \
  }                                                                    \
  FORCEINLINE T InterlockedAnd##suffix(T volatile* at, T mask) {       \
    return __atomic_fetch_and(at, mask, __ATOMIC_SEQ_CST);             \
  }                                                                    \
  FORCEINLINE T InterlockedOr##suffix(T volatile* at, T mask) {        \
    return __atomic_fetch_or(at, mask, __ATOMIC_SEQ_CST);              \
  }                                                                    \
  FORCEINLINE T InterlockedXor##suffix(T volatile* at, T mask) {       \
    return __atomic_fetch_xor(at, mask, __ATOMIC_SEQ_CST);             \
  }
#define DRYDOCK_INTERLOCKED_COUNT(T, suffix)                                                                         \
  FORCEINLINE T InterlockedIncrement##suffix(T volatile* at) { return __atomic_add_fetch(at, 1, __ATOMIC_SEQ_CST); } \
  FORCEINLINE T InterlockedDecrement##suffix(T volatile* at) { return __atomic_sub_fetch(at, 1, __ATOMIC_SEQ_CST); } \
  FORCEINLINE T InterlockedCompareExchange##suffix(T volatile* at, T exchange, T comperand) {                        \
    __atomic_compare_exchange_n(at, &comperand, exchange, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                    \
    return comperand;                                                                                                \
  }
#define DRYDOCK_INTERLOCKED_SUM(T, suffix)                                \
  FORCEINLINE T InterlockedAdd##suffix(T volatile* at, T value) {         \
    return __atomic_add_fetch(at, value, __ATOMIC_SEQ_CST);               \
  }                                                                       \
  FORCEINLINE T InterlockedExchangeAdd##suffix(T volatile* at, T value) { \
    return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);               \
  }
#define DRYDOCK_INTERLOCKED(T, suffix) \
  DRYDOCK_INTERLOCKED_BITS(T, suffix)  \
  DRYDOCK_INTERLOCKED_COUNT(T, suffix) \
  DRYDOCK_INTERLOCKED_SUM(T, suffix)

// C has one type per name; C++ drivers also pass the unsigned one.
#ifdef __cplusplus
extern "C++" {
#endif
DRYDOCK_INTERLOCKED(LONG, )
DRYDOCK_INTERLOCKED(LONGLONG, 64)
DRYDOCK_INTERLOCKED_BITS(SHORT, 16)
DRYDOCK_INTERLOCKED_COUNT(SHORT, 16)
DRYDOCK_INTERLOCKED_BITS(CHAR, 8)
#ifdef __cplusplus
DRYDOCK_INTERLOCKED(ULONG, )
DRYDOCK_INTERLOCKED(ULONGLONG, 64)
DRYDOCK_INTERLOCKED_BITS(USHORT, 16)
DRYDOCK_INTERLOCKED_COUNT(USHORT, 16)
}
#endif

FORCEINLINE PVOID DrydockExchangePointer(PVOID volatile* at, PVOID value) {
  return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);
}
FORCEINLINE PVOID DrydockCompareExchangePointer(PVOID volatile* at, PVOID exchange, PVOID comperand) {
  __atomic_compare_exchange_n(at, &comperand, exchange, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return comperand;
}
#define InterlockedExchangePointer(at, value) DrydockExchangePointer((PVOID volatile*)(at), (PVOID)(value))
#define InterlockedCompareExchangePointer(at, exchange, comperand) \
  DrydockCompareExchangePointer((PVOID volatile*)(at), (PVOID)(exchange), (PVOID)(comperand))

FORCEINLINE BOOLEAN InterlockedBitTestAndSet(LONG volatile* base, LONG bit) {
  LONG mask = (LONG)(1u << (bit & 31));
  return (BOOLEAN)((__atomic_fetch_or(base + (bit >> 5), mask, __ATOMIC_SEQ_CST) & mask) != 0);
}
FORCEINLINE BOOLEAN InterlockedBitTestAndReset(LONG volatile* base, LONG bit) {
  LONG mask = (LONG)(1u << (bit & 31));
  return (BOOLEAN)((__atomic_fetch_and(base + (bit >> 5), ~mask, __ATOMIC_SEQ_CST) & mask) != 0);
}

#define InterlockedIncrementAcquire InterlockedIncrement
#define InterlockedIncrementRelease InterlockedIncrement
#define InterlockedIncrementNoFence InterlockedIncrement
#define InterlockedDecrementAcquire InterlockedDecrement
#define InterlockedDecrementRelease InterlockedDecrement
#define InterlockedDecrementNoFence InterlockedDecrement
#define InterlockedExchangeAcquire InterlockedExchange
#define InterlockedExchangeNoFence InterlockedExchange
#define InterlockedCompareExchangeAcquire InterlockedCompareExchange
#define InterlockedCompareExchangeRelease InterlockedCompareExchange
#define InterlockedCompareExchangeNoFence InterlockedCompareExchange
#define InterlockedOrAcquire InterlockedOr
#define InterlockedOrRelease InterlockedOr
#define InterlockedOrNoFence InterlockedOr
#define InterlockedAndAcquire InterlockedAnd
#define InterlockedAndRelease InterlockedAnd
#define InterlockedAndNoFence InterlockedAnd
#define InterlockedExchangeAddNoFence InterlockedExchangeAdd
#define InterlockedExchangePointerNoFence InterlockedExchangePointer
#define InterlockedCompareExchangePointerNoFence InterlockedCompareExchangePointer

FORCEINLINE LONG ReadNoFence(LONG const volatile* at) { return __atomic_load_n(at, __ATOMIC_SEQ_CST); }
FORCEINLINE ULONG ReadULongAcquire(ULONG const volatile* at) { return __atomic_load_n(at, __ATOMIC_SEQ_CST); }
FORCEINLINE ULONG ReadULongNoFence(ULONG const volatile* at) { return __atomic_load_n(at, __ATOMIC_SEQ_CST); }
FORCEINLINE LONG64 ReadNoFence64(LONG64 const volatile* at) { return __atomic_load_n(at, __ATOMIC_SEQ_CST); }
FORCEINLINE PVOID ReadPointerAcquire(PVOID const volatile* at) { return __atomic_load_n(at, __ATOMIC_SEQ_CST); }
FORCEINLINE PVOID ReadPointerNoFence(PVOID const volatile* at) { return __atomic_load_n(at, __ATOMIC_SEQ_CST); }
FORCEINLINE VOID WriteNoFence(LONG volatile* at, LONG value) { __atomic_store_n(at, value, __ATOMIC_SEQ_CST); }
FORCEINLINE VOID WriteULongRelease(ULONG volatile* at, ULONG value) { __atomic_store_n(at, value, __ATOMIC_SEQ_CST); }
FORCEINLINE VOID WriteULongNoFence(ULONG volatile* at, ULONG value) { __atomic_store_n(at, value, __ATOMIC_SEQ_CST); }
FORCEINLINE VOID WritePointerRelease(PVOID volatile* at, PVOID value) { __atomic_store_n(at, value, __ATOMIC_SEQ_CST); }

#define KeMemoryBarrier() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define KeMemoryBarrierWithoutFence() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#define MemoryBarrier() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define YieldProcessor() __builtin_ia32_pause()
