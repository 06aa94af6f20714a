/* The C interface of a workload: what a display driver's clients would know of its private data and commands, as a
 * shared object that is loaded beside the driver.
 *
 * A workload exports one function,
 *
 *     const DRYDOCK_WORKLOAD* DrydockWorkload(void);
 *
 * which returns a description that lives as long as the workload is loaded. Each client process of a scenario calls
 * open() for its adapter, and close() when it goes. Between them the scenario asks for the private data of an
 * allocation (describe), for commands that fill, copy, take long, never end or fault (build), and for what memory must
 * hold once they are done (apply). Clients run on several threads: what open() returned is used on one thread at a
 * time, and a workload keeps nothing in static variables.
 *
 * Nothing in a workload may depend on the world outside: no clock, no randomness, no threads, no addresses in values.
 * Two runs of one seed then give the same trace.
 *
 * Growth. The description begins with its size as its author compiled it. A newer host reads of an older workload only
 * what is there, and an older host ignores the end of a newer one. The version counts changes that this cannot carry.
 *
 * docs/writing-a-workload.md explains it with an example. C11 and C++17. */
#ifndef DRYDOCK_WORKLOAD_H
#define DRYDOCK_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DRYDOCK_WORKLOAD_VERSION 1u

/* What functions that can fail return. */
#define DRYDOCK_WORKLOAD_OK 0
#define DRYDOCK_WORKLOAD_UNAVAILABLE (-1) /* the workload has no such thing */
#define DRYDOCK_WORKLOAD_NO_ROOM (-2)     /* what the host gave is too small */

/* The adapter that a client opened. */
typedef struct DRYDOCK_WORKLOAD_ADAPTER {
  uint32_t size;               /* of this structure */
  uint32_t nodes;              /* of the adapter */
  uint32_t gpu_virtual_memory; /* 1: commands hold GPU virtual addresses; 0: the driver patches them */
  uint32_t private_bytes;      /* of private_data; 0: the driver answered nothing */
  const void* private_data;    /* the driver's answer to KMTQAITYPE_UMDRIVERPRIVATE */
} DRYDOCK_WORKLOAD_ADAPTER;

/* Bytes that the workload writes: private data of an allocation, of an escape. */
typedef struct DRYDOCK_WORKLOAD_BYTES {
  uint8_t* bytes;
  uint32_t room;
  uint32_t used; /* out */
} DRYDOCK_WORKLOAD_BYTES;

/* --- Memory --- */

#define DRYDOCK_WORKLOAD_VIDEO 0u    /* where the driver prefers it */
#define DRYDOCK_WORKLOAD_VISIBLE 1u  /* in the device's own memory, and seen by the CPU */
#define DRYDOCK_WORKLOAD_READBACK 2u /* in the machine's memory, for the CPU to read; can be locked */
#define DRYDOCK_WORKLOAD_COMMANDS 3u /* holds commands; the CPU writes it, the GPU executes it */

/* An allocation that a client is about to make. */
typedef struct DRYDOCK_WORKLOAD_MEMORY {
  uint32_t size; /* of this structure */
  uint32_t place;
  uint64_t bytes;
  uint32_t shared; /* 1: other processes will open it */
  uint32_t width;  /* pixels; 0 unless it is a surface */
  uint32_t height;
  uint32_t pitch;  /* bytes */
  uint32_t format; /* D3DDDIFORMAT */
} DRYDOCK_WORKLOAD_MEMORY;

/* --- Work --- */

#define DRYDOCK_WORK_NOTHING 0u  /* commands that change nothing */
#define DRYDOCK_WORK_FILL 1u     /* `bytes` of `to` become `value`, four bytes of it again and again, lowest first */
#define DRYDOCK_WORK_COPY 2u     /* `bytes` of `from` go to `to`; the two may overlap */
#define DRYDOCK_WORK_CHECKSUM 3u /* a checksum of `bytes` of `from` goes to four bytes of `to` */
#define DRYDOCK_WORK_LONG 4u     /* changes each four of `bytes` of `to` `value` times: takes as long as wanted */
#define DRYDOCK_WORK_ENDLESS 5u  /* never ends, unless the eight bytes at `to` become at least `value` */
#define DRYDOCK_WORK_FAULT 6u    /* writes `bytes` at `address`, where nothing is mapped: with virtual memory only */
#define DRYDOCK_WORK_SIGNAL 7u   /* writes `value` to the fence at `address`, and tells the CPU: the same */
/* Registers that each context has of its own. They are 0 at first. */
#define DRYDOCK_WORK_SET_REGISTER 8u    /* register `index` becomes `value` */
#define DRYDOCK_WORK_ADD_REGISTER 9u    /* `value` is added to register `index` */
#define DRYDOCK_WORK_STORE_REGISTER 10u /* the eight bytes of register `index` go to `to` */
#define DRYDOCK_WORK_KINDS 11u

/* Memory that work uses: an allocation and an offset into it. */
typedef struct DRYDOCK_WORK_OPERAND {
  uint64_t address; /* GPU virtual address with the offset added; 0 where the driver patches */
  uint64_t offset;
  uint64_t bytes; /* of the allocation; 0: there is no such operand */
} DRYDOCK_WORK_OPERAND;

typedef struct DRYDOCK_WORK {
  uint32_t size; /* of this structure */
  uint32_t kind;
  uint32_t node; /* on which it will run */
  uint32_t index;
  DRYDOCK_WORK_OPERAND to;
  DRYDOCK_WORK_OPERAND from;
  uint64_t bytes;
  uint64_t value;
  uint64_t address;
} DRYDOCK_WORK;

#define DRYDOCK_OPERAND_TO 0u
#define DRYDOCK_OPERAND_FROM 1u

/* An address in the commands that the driver has to patch: an entry of the patch location list. */
typedef struct DRYDOCK_WORK_REFERENCE {
  uint32_t operand;   /* DRYDOCK_OPERAND_… */
  uint32_t at;        /* where in the commands the address stands: PatchOffset */
  uint32_t written;   /* 1: the commands write there */
  uint32_t driver_id; /* DriverId of the entry */
  uint32_t slot_id;   /* SlotId of the entry */
  uint64_t offset;    /* what is added to the address of the allocation: AllocationOffset */
} DRYDOCK_WORK_REFERENCE;

/* Where commands are put together. One buffer may hold several pieces of work, one behind the other. */
typedef struct DRYDOCK_WORK_COMMANDS {
  uint32_t size; /* of this structure */
  uint8_t* bytes;
  uint32_t room;
  uint32_t used; /* in and out: how far the buffer is full */
  DRYDOCK_WORK_REFERENCE* references;
  uint32_t reference_room;
  uint32_t reference_count; /* in: 0; out: of this piece of work */
  uint8_t* private_data;    /* of the submission (D3DKMTSubmitCommand); the same for every piece of one buffer */
  uint32_t private_room;
  uint32_t private_used;
} DRYDOCK_WORK_COMMANDS;

/* --- Hardware that misbehaves --- */

#define DRYDOCK_HARDWARE_HANG 0u              /* the engine hangs at its `value`th command from now on; 0: no more */
#define DRYDOCK_HARDWARE_FAULT 1u             /* the `value`th access from now on faults */
#define DRYDOCK_HARDWARE_REFUSE_RESET 2u      /* 1: the engine cannot be reset alone */
#define DRYDOCK_HARDWARE_REFUSE_PREEMPTION 3u /* 1: while it works the engine ignores requests to preempt */
#define DRYDOCK_HARDWARE_SLOW 4u              /* commands take `value` times as long */
#define DRYDOCK_HARDWARE_DROP_INTERRUPTS 5u   /* the next `value` interrupts of the engine never come */
#define DRYDOCK_HARDWARE_SET_REGISTERS 6u /* not the hardware but the driver: a context's registers become `value` */
#define DRYDOCK_HARDWARE_KINDS 7u

typedef struct DRYDOCK_WORKLOAD_HARDWARE {
  uint32_t size; /* of this structure */
  uint32_t kind;
  uint32_t node;
  uint32_t reserved; /* 0 */
  uint64_t value;
} DRYDOCK_WORKLOAD_HARDWARE;

/* What open() returned; what is in it is the workload's own business. */
typedef struct DRYDOCK_WORKLOAD_CLIENT DRYDOCK_WORKLOAD_CLIENT;

typedef struct DRYDOCK_WORKLOAD {
  uint32_t size;    /* of this structure */
  uint32_t version; /* DRYDOCK_WORKLOAD_VERSION */
  const char* name; /* short, for messages */

  uint32_t adapter_bytes; /* how many bytes open() wants to know of KMTQAITYPE_UMDRIVERPRIVATE; 0: none */
  uint32_t alignment;     /* offsets and sizes of FILL and COPY are multiples of it: a power of two, at most 4096 */
  uint32_t registers;     /* how many registers a context has: at most 64; 0 where it has none */
  uint32_t reserved;      /* 0 */

  /* Null when the workload is not for this adapter: the scenario goes on without one. */
  DRYDOCK_WORKLOAD_CLIENT* (*open)(const DRYDOCK_WORKLOAD_ADAPTER* adapter);
  void (*close)(DRYDOCK_WORKLOAD_CLIENT* client);

  /* 1 when build() knows this kind of work on this node. FILL and COPY are needed on every node. */
  uint32_t (*knows)(DRYDOCK_WORKLOAD_CLIENT* client, uint32_t kind, uint32_t node);
  /* pPrivateDriverData of D3DDDI_ALLOCATIONINFO2. */
  int32_t (*describe)(DRYDOCK_WORKLOAD_CLIENT* client, const DRYDOCK_WORKLOAD_MEMORY* memory,
                      DRYDOCK_WORKLOAD_BYTES* data);
  /* Appends commands. */
  int32_t (*build)(DRYDOCK_WORKLOAD_CLIENT* client, const DRYDOCK_WORK* work, DRYDOCK_WORK_COMMANDS* commands);
  /* Carries CHECKSUM or LONG out on a copy of the memory: `to` and `from` point at the operands' bytes. What FILL, COPY
   * and the registers do is defined above, and the host carries them out itself. Null where build() knows neither. */
  void (*apply)(DRYDOCK_WORKLOAD_CLIENT* client, const DRYDOCK_WORK* work, uint8_t* to, const uint8_t* from);
  /* The private data of an escape (D3DKMT_ESCAPE_DRIVERPRIVATE) by which the driver makes its hardware misbehave.
   * SET_REGISTERS is sent with hContext. Null where there are none. */
  int32_t (*misbehave)(DRYDOCK_WORKLOAD_CLIENT* client, const DRYDOCK_WORKLOAD_HARDWARE* how,
                       DRYDOCK_WORKLOAD_BYTES* escape);
} DRYDOCK_WORKLOAD;

typedef const DRYDOCK_WORKLOAD* DRYDOCK_WORKLOAD_FUNCTION(void);

#ifdef __cplusplus
}
#endif

#endif
