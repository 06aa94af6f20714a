/* The command streams of softgpu; C11 and C++17, for the driver, its user-mode part and the hardware alike.
 *
 * A stream is a row of packets in a ring or in an indirect buffer. A packet is a row of quadwords, 8-byte aligned, and
 * begins with a header that says how many. Operands are addresses as softgpu_address.h describes them, all of them
 * aligned quadwords inside of the packet. Fields and flags named reserved are 0. A packet may wrap around the end of a
 * ring.
 *
 * Packets of one engine run one after the other: each sees all the effects of those before it. A packet has its effect
 * at the end of the time it takes; one that faults may have had a part of it. Engines run side by side and meet only by
 * SIGNAL and WAIT.
 *
 * Packets of an indirect buffer that was called with SOFTGPU_FLAG_UNPRIVILEGED, and of those called by it, can use
 * virtual addresses only and none of the packets marked (privileged). */
#ifndef SOFTGPU_CMD_H
#define SOFTGPU_CMD_H

#include "softgpu_address.h"

#define SOFTGPU_CMD_NOP 0x00u
#define SOFTGPU_CMD_END 0x01u
#define SOFTGPU_CMD_INDIRECT 0x02u
#define SOFTGPU_CMD_FENCE 0x03u /* (privileged) */
#define SOFTGPU_CMD_SIGNAL 0x04u
#define SOFTGPU_CMD_WAIT 0x05u
#define SOFTGPU_CMD_TIMESTAMP 0x06u
#define SOFTGPU_CMD_FILL 0x10u
#define SOFTGPU_CMD_COPY 0x11u
#define SOFTGPU_CMD_COPY_PAGES 0x12u
#define SOFTGPU_CMD_KERNEL 0x20u /* render engine only, as those up to STRETCH_RECT */
#define SOFTGPU_CMD_DRAW 0x21u   /* of softgpu_draw.h, as those up to STRETCH_RECT */
#define SOFTGPU_CMD_CLEAR_RECT 0x22u
#define SOFTGPU_CMD_COPY_RECT 0x23u
#define SOFTGPU_CMD_STRETCH_RECT 0x24u
#define SOFTGPU_CMD_WRITE_PTES 0x30u /* (privileged) */
#define SOFTGPU_CMD_TLB_FLUSH 0x31u  /* (privileged) */
#define SOFTGPU_CMD_SET_ROOT 0x32u   /* (privileged) */
#define SOFTGPU_CMD_SET_STATE 0x40u
#define SOFTGPU_CMD_ADD_STATE 0x41u
#define SOFTGPU_CMD_STORE_STATE 0x42u
#define SOFTGPU_CMD_SAVE_STATE 0x48u    /* (privileged) */
#define SOFTGPU_CMD_RESTORE_STATE 0x49u /* (privileged) */

#define SOFTGPU_PACKET_MAX_BYTES 4096u
#define SOFTGPU_OPERAND_MAX_BYTES 0x4000000u /* of one FILL, COPY or buffer of a KERNEL: 64 MiB */
#define SOFTGPU_INDIRECT_MAX_BYTES 0x400000u
#define SOFTGPU_INDIRECT_MAX_DEPTH 4u /* buffers that call buffers, the ring's own call included */

/* A flag's meaning is its packet's. */
#define SOFTGPU_FLAG_INTERRUPT 0x01u    /* FENCE, SIGNAL: raise the interrupt when done */
#define SOFTGPU_FLAG_UNPRIVILEGED 0x02u /* INDIRECT */
#define SOFTGPU_FLAG_EQUAL 0x04u        /* WAIT: until the values are equal, instead of memory >= value */
#define SOFTGPU_FLAG_32BIT 0x08u        /* SIGNAL, WAIT: the lower four bytes only; address aligned to 4 */
#define SOFTGPU_FLAG_TO_PAGES 0x10u     /* COPY_PAGES: from the linear side to the pages, instead of from them */
#define SOFTGPU_FLAG_REPEAT 0x20u       /* WRITE_PTES: one value, `count` times */
#define SOFTGPU_FLAG_CLEAR 0x40u        /* RESTORE_STATE: there is no image, the registers become 0 */

typedef struct SOFTGPU_HEADER {
  uint8_t opcode;    /* SOFTGPU_CMD_… */
  uint8_t flags;     /* SOFTGPU_FLAG_… */
  uint16_t qwords;   /* the packet's length, this header included */
  uint32_t argument; /* as the packet says; reserved where it says nothing */
} SOFTGPU_HEADER;

static inline SOFTGPU_HEADER softgpu_header(uint8_t opcode, uint8_t flags, uint64_t bytes, uint32_t argument) {
  SOFTGPU_HEADER header;
  header.opcode = opcode;
  header.flags = flags;
  header.qwords = bytes / 8;
  header.argument = argument;
  return header;
}

/* NOP: any length; what it holds, the argument included, is ignored. END: ends an indirect buffer before its last
 * byte; not for rings. Both are a header alone, or begin with one. */

/* Runs a buffer, then goes on behind this packet. header.argument: VMID of the buffer's virtual addresses and of its
 * packets'; inside of unprivileged buffers it must be the one in effect. */
typedef struct SOFTGPU_INDIRECT {
  SOFTGPU_HEADER header;
  uint64_t address; /* aligned to 8 */
  uint64_t bytes;   /* a multiple of 8, at most SOFTGPU_INDIRECT_MAX_BYTES; 0 is nothing to do */
} SOFTGPU_INDIRECT;

/* Everything before it is done. Writes the value to SOFTGPU_ENGINE_FENCE_ADDRESS (8 bytes), then makes it
 * SOFTGPU_ENGINE_FENCE_CURRENT, then interrupts if asked. */
typedef struct SOFTGPU_FENCE {
  SOFTGPU_HEADER header;
  uint64_t value;
} SOFTGPU_FENCE;

/* Writes a value to memory: a monitored fence or a semaphore. */
typedef struct SOFTGPU_SIGNAL {
  SOFTGPU_HEADER header;
  uint64_t address;
  uint64_t value;
} SOFTGPU_SIGNAL;

/* Stops the engine until the value in memory is at least this one (unsigned), or equal to it. */
typedef struct SOFTGPU_WAIT {
  SOFTGPU_HEADER header;
  uint64_t address;
  uint64_t value;
} SOFTGPU_WAIT;

/* Writes the time, as SOFTGPU_REG_TIME has it, in 8 bytes. */
typedef struct SOFTGPU_TIMESTAMP {
  SOFTGPU_HEADER header;
  uint64_t address;
} SOFTGPU_TIMESTAMP;

/* Fills any bytes; header.argument is the pattern, its lowest byte first, beginning at the destination. */
typedef struct SOFTGPU_FILL {
  SOFTGPU_HEADER header;
  uint64_t destination;
  uint64_t bytes;
} SOFTGPU_FILL;

/* Copies any bytes. Where the two overlap the result is undefined. */
typedef struct SOFTGPU_COPY {
  SOFTGPU_HEADER header;
  uint64_t source;
  uint64_t destination;
  uint64_t bytes;
} SOFTGPU_COPY;

/* Copies between linear memory and a list of 4 KiB pages, which follows the structure: one page-aligned address each,
 * exactly as many as first_offset + bytes need. header.argument: first_offset, where in the first page to begin. */
typedef struct SOFTGPU_COPY_PAGES {
  SOFTGPU_HEADER header;
  uint64_t linear;
  uint64_t bytes;
  /* uint64_t pages[] */
} SOFTGPU_COPY_PAGES;
#define SOFTGPU_COPY_PAGES_MAX ((SOFTGPU_PACKET_MAX_BYTES - sizeof(SOFTGPU_COPY_PAGES)) / 8)

/* Computes over `count` 32-bit elements; header.argument is the kernel. Buffers are aligned to 4; those that a kernel
 * does not name are ignored. */
typedef struct SOFTGPU_KERNEL {
  SOFTGPU_HEADER header;
  uint64_t a;
  uint64_t b;
  uint64_t destination;
  uint32_t count;
  uint32_t scalar;
} SOFTGPU_KERNEL;
#define SOFTGPU_KERNEL_ADD 0u   /* destination[i] = a[i] + b[i] */
#define SOFTGPU_KERNEL_XOR 1u   /* destination[i] = a[i] ^ b[i] */
#define SOFTGPU_KERNEL_MAD 2u   /* destination[i] = a[i] * scalar + b[i] */
#define SOFTGPU_KERNEL_CRC32 3u /* destination[0] = CRC-32 (as in zlib) of a's bytes */
/* destination[i] = a[i], after `scalar` rounds of x = x * 1664525 + 1013904223: as long as one likes */
#define SOFTGPU_KERNEL_ITERATE 4u
#define SOFTGPU_KERNEL_ADD_STATE 5u /* destination[i] = a[i] + the lower half of state register `scalar` */
#define SOFTGPU_KERNELS 6u
#define SOFTGPU_KERNEL_MAX_COUNT 0x100000u
#define SOFTGPU_KERNEL_MAX_ROUNDS 0x1000000u /* count times scalar of ITERATE */

/* Writes entries of page tables, or of the aperture's table: quadwords, which follow the structure (one with
 * SOFTGPU_FLAG_REPEAT). header.argument: how many entries. The TLB keeps what it had. */
typedef struct SOFTGPU_WRITE_PTES {
  SOFTGPU_HEADER header;
  uint64_t address; /* of the first entry, aligned to 8 */
  /* uint64_t values[] */
} SOFTGPU_WRITE_PTES;
#define SOFTGPU_WRITE_PTES_MAX ((SOFTGPU_PACKET_MAX_BYTES - sizeof(SOFTGPU_WRITE_PTES)) / 8)

/* Drops what the TLB has of a range of virtual addresses. header.argument: a VMID, or SOFTGPU_TLB_ALL. */
typedef struct SOFTGPU_TLB_FLUSH {
  SOFTGPU_HEADER header;
  uint64_t first; /* virtual */
  uint64_t bytes; /* 0: everything */
} SOFTGPU_TLB_FLUSH;

/* Sets SOFTGPU_VMID_ROOT and SOFTGPU_VMID_ENTRIES of a VMID, header.argument, on the engine's own timeline. */
typedef struct SOFTGPU_SET_ROOT {
  SOFTGPU_HEADER header;
  uint64_t root;
  uint64_t entries;
} SOFTGPU_SET_ROOT;

/* --- Context state ---
 *
 * Each engine has a few registers that packets read and write and that live from one buffer to the next: the state of a
 * context. The hardware knows whose it has loaded by a number that the driver chose, never 0. Power-on and resets leave
 * no context loaded and zeros in the registers; what was not saved before is lost. */
#define SOFTGPU_CONTEXT_REGISTERS 16u

/* The state in memory. */
typedef struct SOFTGPU_CONTEXT_IMAGE {
  uint64_t magic; /* SOFTGPU_CONTEXT_MAGIC: restoring anything else is a fault */
  uint64_t registers[SOFTGPU_CONTEXT_REGISTERS];
} SOFTGPU_CONTEXT_IMAGE;
#define SOFTGPU_CONTEXT_MAGIC 0x5458544355504753ull /* "SGPUCTXT" */

/* header.argument: which register. */
typedef struct SOFTGPU_SET_STATE {
  SOFTGPU_HEADER header;
  uint64_t value;
} SOFTGPU_SET_STATE;

/* Adds to a register, header.argument: run twice it shows. */
typedef struct SOFTGPU_ADD_STATE {
  SOFTGPU_HEADER header;
  uint64_t value;
} SOFTGPU_ADD_STATE;

/* Writes a register, header.argument, to memory in 8 bytes. */
typedef struct SOFTGPU_STORE_STATE {
  SOFTGPU_HEADER header;
  uint64_t address; /* aligned to 8 */
} SOFTGPU_STORE_STATE;

/* If another context than this one is loaded, writes its state to where it belongs and clears the registers: then no
 * context is loaded. 0 stands for no context, so whichever is loaded is saved. */
typedef struct SOFTGPU_SAVE_STATE {
  SOFTGPU_HEADER header;
  uint64_t context;
} SOFTGPU_SAVE_STATE;

/* Loads the state of a context, unless it is the one that is loaded; in both cases `address` is where it belongs from
 * now on. A context that was loaded before is forgotten: to keep it, SAVE_STATE comes first. header.argument: VMID of a
 * virtual address, now and when the state is saved. With SOFTGPU_FLAG_CLEAR context and address are 0, and no context
 * is loaded. */
typedef struct SOFTGPU_RESTORE_STATE {
  SOFTGPU_HEADER header;
  uint64_t context; /* not 0 */
  uint64_t address; /* of a SOFTGPU_CONTEXT_IMAGE, aligned to 8 */
} SOFTGPU_RESTORE_STATE;

#endif
