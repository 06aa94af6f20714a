/* What softgpu's clients and its kernel-mode driver say to each other: private data of allocations, what the adapter
 * is, escapes. For the driver, its user-mode part, tests and examples alike; C11 and C++17. Fixed widths and no
 * pointers, so that clients of 32 and of 64 bits say the same.
 *
 * The driver is strict: a structure of another size, magic or version, an unknown flag or a combination that makes no
 * sense is STATUS_INVALID_PARAMETER. */
#ifndef SOFTGPU_USER_H
#define SOFTGPU_USER_H

#include "softgpu_address.h"

#define SOFTGPU_USER_MAGIC 0x55584753u /* "SGXU" */
#define SOFTGPU_USER_VERSION 1u

/* --- An allocation: pPrivateDriverData of D3DDDI_ALLOCATIONINFO --- */

#define SOFTGPU_ALLOCATION_CPU_VISIBLE 0x01u /* can be locked */
#define SOFTGPU_ALLOCATION_CACHED 0x02u   /* for memory that the CPU reads; with CPU_VISIBLE, never in local memory */
#define SOFTGPU_ALLOCATION_SHARED 0x04u   /* other devices will open it; with CPU_VISIBLE, never in local memory */
#define SOFTGPU_ALLOCATION_EXISTING 0x08u /* over memory that the client brings; with CPU_VISIBLE and CACHED */
#define SOFTGPU_ALLOCATION_FLAGS 0x0Fu

/* A surface has width, height, pitch and format; a plain buffer has 0 in all of them. */
typedef struct SOFTGPU_ALLOCATION {
  uint32_t magic;   /* SOFTGPU_USER_MAGIC */
  uint32_t version; /* SOFTGPU_USER_VERSION */
  uint64_t bytes;   /* more than 0; of a surface at least pitch times height */
  uint32_t flags;   /* SOFTGPU_ALLOCATION_… */
  uint32_t segment; /* where it would rather be: SOFTGPU_SEGMENT_LOCAL, _APERTURE, or 0 for no matter */
  uint32_t width;   /* pixels */
  uint32_t height;
  uint32_t pitch;               /* bytes */
  uint32_t format;              /* D3DDDIFORMAT */
  uint32_t refresh_numerator;   /* of a primary, else 0 */
  uint32_t refresh_denominator; /* of a primary, else 0 */
} SOFTGPU_ALLOCATION;

/* A plain buffer. */
static inline SOFTGPU_ALLOCATION softgpu_buffer(uint64_t bytes, uint32_t flags, uint32_t segment) {
  SOFTGPU_ALLOCATION allocation = {SOFTGPU_USER_MAGIC, SOFTGPU_USER_VERSION, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  allocation.bytes = bytes;
  allocation.flags = flags;
  allocation.segment = segment;
  return allocation;
}

/* --- The adapter: KMTQAITYPE_UMDRIVERPRIVATE --- */

typedef struct SOFTGPU_ADAPTER {
  uint32_t magic;
  uint32_t version;
  uint32_t features; /* SOFTGPU_FEATURE_… of the hardware */
  uint32_t engines;  /* an engine is the node of the same number */
  uint64_t local_bytes;
  uint64_t aperture_bytes;
  uint32_t virtual_addressing; /* 1: buffers hold GPU virtual addresses; 0: they are patched */
  uint32_t reserved;
} SOFTGPU_ADAPTER;

/* --- Escapes: pPrivateDriverData of D3DKMTEscape --- */

#define SOFTGPU_ESCAPE_READ_COUNTER 1u    /* argument: SOFTGPU_COUNTER_…; gives value */
#define SOFTGPU_ESCAPE_RAISE_INTERRUPT 2u /* the hardware interrupts, for nothing but the counters below */
/* Hooks for tests, each of one engine: how its hardware shall misbehave. The argument is the new value and replaces the
 * one before; 0 is good behaviour. Those that wait for something to happen are gone after a reset of the engine, all
 * others stay until they are set to 0.
 *
 * Packets are counted with those that the driver puts around a client's buffer (SOFTGPU_PACKETS_BEFORE), and with those
 * of other contexts. A hang without a hook is a WAIT for what never comes. */
#define SOFTGPU_ESCAPE_HANG_ENGINE 3u /* it hangs at its Nth packet from now on, until it is reset */
/* The Nth access of packets in buffers from now on is to a page that is not there; what a packet does with one page is
 * one access, or where it draws with one row of it. */
#define SOFTGPU_ESCAPE_FAULT_ENGINE 4u
#define SOFTGPU_ESCAPE_REFUSE_RESET 5u      /* 1: it cannot be reset alone, so the whole adapter has to be */
#define SOFTGPU_ESCAPE_REFUSE_PREEMPTION 6u /* 1: while it works it does not answer requests to preempt */
#define SOFTGPU_ESCAPE_SLOW_ENGINE 7u       /* packets take N times as long */
#define SOFTGPU_ESCAPE_DELAY_ENGINE 8u      /* packets take N nanoseconds more */
#define SOFTGPU_ESCAPE_AT_ONCE 9u           /* 1: packets take no time, but for SOFTGPU_ESCAPE_DELAY_ENGINE */
/* So many of its next interrupts never come: fences complete without a notice. */
#define SOFTGPU_ESCAPE_DROP_INTERRUPTS 10u

/* Of the context hContext: each of its registers becomes the argument, where it keeps them while nothing of it runs
 * (DxgkCbUpdateContextAllocation). With virtual addresses only. */
#define SOFTGPU_ESCAPE_SET_REGISTERS 11u

/* Counters of the driver, since it started the adapter. */
#define SOFTGPU_COUNTER_INTERRUPTS 0u /* that were this adapter's */
#define SOFTGPU_COUNTER_DPCS 1u
/* Counters of the hardware, since power-on. */
#define SOFTGPU_COUNTER_RAISED 2u       /* times the interrupt line was raised */
#define SOFTGPU_COUNTER_BAD_ACCESSES 3u /* of registers; a driver that causes one is wrong */
#define SOFTGPU_COUNTER_TLB_HITS 4u
#define SOFTGPU_COUNTER_TLB_MISSES 5u
/* … and of one of its engines. */
#define SOFTGPU_COUNTER_PACKETS 6u
#define SOFTGPU_COUNTER_FENCES 7u
#define SOFTGPU_COUNTER_FAULTS 8u

typedef struct SOFTGPU_ESCAPE {
  uint32_t magic;
  uint32_t version;
  uint32_t code;     /* SOFTGPU_ESCAPE_… */
  uint32_t engine;   /* SOFTGPU_ENGINE_…; 0 where the code names none */
  uint64_t argument; /* as the code says, else 0 */
  uint64_t value;    /* out; 0 where the code gives nothing */
} SOFTGPU_ESCAPE;

static inline SOFTGPU_ESCAPE softgpu_escape(uint32_t code, uint32_t engine, uint64_t argument) {
  SOFTGPU_ESCAPE escape = {SOFTGPU_USER_MAGIC, SOFTGPU_USER_VERSION, 0, 0, 0, 0};
  escape.code = code;
  escape.engine = engine;
  escape.argument = argument;
  return escape;
}

/* --- Commands ---
 *
 * A buffer of commands is a row of packets (softgpu_cmd.h; softgpu_build.h puts them together). All engines run all of
 * them, but for KERNEL and those that draw (softgpu_draw.h), which are the render engine's. SET_STATE, ADD_STATE,
 * STORE_STATE and the kernel ADD_STATE work on the context's own registers, which are zeros at first and keep their
 * values from one buffer to the next, whatever ran in between.
 *
 * With virtual addresses (SOFTGPU_ADAPTER.virtual_addressing): D3DKMTSubmitCommand runs the CommandLength bytes, a
 * multiple of 8 and at most SOFTGPU_INDIRECT_MAX_BYTES, at the GPU virtual address Commands, a multiple of 8 too. There
 * are no private data and no lists. Every address in the packets is a GPU virtual address as D3DKMTMapGpuVirtualAddress
 * gave it, and both they and the buffer have to be resident: touching anything else is a page fault, after which the
 * device is in error. Packets marked (privileged) are faults as well. END and INDIRECT may be used; the VMID of an
 * INDIRECT is that of the engine: SOFTGPU_USER_VMID(engine).
 *
 * A monitored fence is signalled by SIGNAL with SOFTGPU_FLAG_INTERRUPT to its FenceValueGPUVirtualAddress: the value is
 * written, then the graphics kernel is told to look. Without the flag waiters on the CPU learn of it with the next
 * interrupt only. WAIT on such an address holds up the engine, and with it everybody else; a wait that is queued in the
 * context (D3DKMTWaitForSynchronizationObjectFromGpu) does not.
 *
 * Without virtual addresses: a command buffer for D3DKMTRender holds NOP, FILL, COPY, KERNEL, DRAW, CLEAR_RECT,
 * COPY_RECT, STRETCH_RECT, SIGNAL, WAIT, TIMESTAMP, SET_STATE, ADD_STATE and STORE_STATE, without
 * SOFTGPU_FLAG_INTERRUPT. Every address in it is 0 and has an entry in the patch location list, in the order in which
 * the addresses stand in the buffer: PatchOffset is where the address stands, AllocationOffset what is added to where
 * the allocation lies. What a packet does not use, such as the depth of a DRAW without SOFTGPU_DRAW_DEPTH, has no
 * entry. An entry's allocation must be large enough for what the packet does with it, and be listed with WriteOperation
 * if it is written; of a DRAW that is all of its surfaces, vertex_count vertices and all indices up to the last
 * (softgpu_draw_check.h). */
#define SOFTGPU_USER_VMID(engine) ((engine) + 1u)

/* How many packets an engine runs for a submission before the first one of its buffer. */
#define SOFTGPU_PACKETS_BEFORE(virtual_addressing) ((virtual_addressing) ? 4u : 3u)

#endif
