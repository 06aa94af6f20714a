/* The C interface of a device model: hardware in software, as a shared object that is loaded beside a driver.
 *
 * A model exports one function,
 *
 *     const DRYDOCK_DEVICE_MODEL* DrydockDeviceModel(void);
 *
 * which returns a description that lives as long as the model is loaded: who the device is, which ranges of registers
 * it has, and what to call. The host makes an instance with create(), and calls the others with it, one at a time: an
 * instance needs no locks. Between two calls any number of the driver's threads may have run.
 *
 * Nothing in a model may depend on the world outside: no clock but now(), no randomness but its own seeded one, no
 * threads, no addresses in values. Two runs of one seed then give the same trace.
 *
 * Growth. Both structures begin with their size as their author compiled it. A newer host reads of an older model only
 * what is there, and an older host ignores the end of a newer one. The version counts changes that this cannot carry.
 *
 * C11 and C++17. */
#ifndef DRYDOCK_DEVICE_H
#define DRYDOCK_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DRYDOCK_DEVICE_VERSION 1u
#define DRYDOCK_DEVICE_BARS 6
#define DRYDOCK_DEVICE_NEVER UINT64_MAX

/* What the services that can fail return. */
#define DRYDOCK_DEVICE_OK 0
#define DRYDOCK_DEVICE_UNAVAILABLE (-1) /* the host has no such service */
#define DRYDOCK_DEVICE_BAD_ADDRESS (-2) /* there is no memory that a device may reach */

/* As in the configuration space of PCI. */
typedef struct DRYDOCK_DEVICE_IDENTITY {
  uint16_t vendor;
  uint16_t device;
  uint16_t subsystem_vendor;
  uint16_t subsystem;
  uint8_t revision;
  uint8_t base_class;
  uint8_t sub_class;
  uint8_t programming_interface;
} DRYDOCK_DEVICE_IDENTITY;

#define DRYDOCK_DEVICE_BAR_NONE 0u
#define DRYDOCK_DEVICE_BAR_MEMORY32 1u /* registers or memory below 4 GiB */
#define DRYDOCK_DEVICE_BAR_MEMORY64 2u /* anywhere; the bar after it is DRYDOCK_DEVICE_BAR_NONE, as on PCI */

typedef struct DRYDOCK_DEVICE_BAR {
  uint64_t size; /* a power of two, at least 4096; 0 for DRYDOCK_DEVICE_BAR_NONE */
  uint32_t kind;
  uint32_t reserved; /* 0 */
} DRYDOCK_DEVICE_BAR;

/* What the host does for a model. Each takes `host` first. May be called from within any call into the model, and at no
 * other time. */
typedef struct DRYDOCK_DEVICE_HOST {
  uint32_t size;    /* of this structure */
  uint32_t version; /* DRYDOCK_DEVICE_VERSION */
  void* host;

  /* The interrupt line. An interrupt is the step from lowered to raised: a line that stays raised interrupts once. The
   * driver's routine runs some time after this returns. `line` is below the model's interrupt_lines. */
  void (*raise_interrupt)(void* host, uint32_t line);
  void (*lower_interrupt)(void* host, uint32_t line);

  /* The machine's memory, by bus address. For a device whose driver uses DMA adapters (IoGetDmaAdapter) these are the
   * logical addresses of common buffers, scatter/gather lists and mapped transfers, and nothing else is reached; for
   * any other they are physical addresses, from MmGetPhysicalAddress and from the page numbers of an MDL. Only memory
   * that is mapped, allocated or locked can be reached. Otherwise nothing is copied, the driver has a finding (it gave
   * a wrong address, or unmapped or freed the memory too early), and this returns DRYDOCK_DEVICE_BAD_ADDRESS; a model
   * then does what its hardware would on a bus error. */
  int32_t (*dma_read)(void* host, uint64_t bus_address, void* bytes, size_t count);
  int32_t (*dma_write)(void* host, uint64_t bus_address, const void* bytes, size_t count);

  /* Asks for step() at this time, or as soon as possible when it has passed. Replaces what was asked before;
   * DRYDOCK_DEVICE_NEVER takes it back. */
  void (*wake_at)(void* host, uint64_t time_ns);
  uint64_t (*now)(void* host); /* nanoseconds since the machine was built */

  /* One line for the trace. */
  void (*log)(void* host, const char* text);
} DRYDOCK_DEVICE_HOST;

/* An instance; what is in it is the model's own business. */
typedef struct DRYDOCK_DEVICE DRYDOCK_DEVICE;

/* Pages of a file that a part of a bar consists of. */
typedef struct DRYDOCK_DEVICE_MEMORY {
  int32_t file;      /* a descriptor that can be mapped for reading and writing; it stays the model's */
  uint32_t reserved; /* 0 */
  uint64_t offset;   /* of the first byte in the file; a multiple of 4096 */
} DRYDOCK_DEVICE_MEMORY;

typedef struct DRYDOCK_DEVICE_MODEL {
  uint32_t size;    /* of this structure */
  uint32_t version; /* DRYDOCK_DEVICE_VERSION */
  const char* name; /* short, for traces */
  DRYDOCK_DEVICE_IDENTITY identity;
  DRYDOCK_DEVICE_BAR bars[DRYDOCK_DEVICE_BARS];
  uint32_t interrupt_lines; /* 0 or 1 */
  uint32_t reserved;        /* 0 */

  /* The instance after power-on; null when it cannot be. `host` outlives it. */
  DRYDOCK_DEVICE* (*create)(const DRYDOCK_DEVICE_HOST* host);
  void (*destroy)(DRYDOCK_DEVICE* device); /* may call no service */
  void (*reset)(DRYDOCK_DEVICE* device);   /* back to the state after power-on */

  /* `width` is 1, 2, 4 or 8 bytes and `offset` a multiple of it, inside of the bar. */
  uint64_t (*mmio_read)(DRYDOCK_DEVICE* device, uint32_t bar, uint64_t offset, uint32_t width);
  void (*mmio_write)(DRYDOCK_DEVICE* device, uint32_t bar, uint64_t offset, uint32_t width, uint64_t value);

  /* Configuration space from offset 64 to 255; the header before it is made by the host from identity and bars. Null
   * when the device has nothing there: reads as zero then. */
  uint32_t (*config_read)(DRYDOCK_DEVICE* device, uint32_t offset, uint32_t width);
  void (*config_write)(DRYDOCK_DEVICE* device, uint32_t offset, uint32_t width, uint32_t value);

  /* The time that wake_at() asked for has come. Null when the model never asks. */
  void (*step)(DRYDOCK_DEVICE* device, uint64_t now_ns);

  /* Says that a part of a bar is plain memory, and in which pages of a file it lies: a processor that maps them sees
   * and changes the same bytes as the device and as mmio_read and mmio_write do. `offset` and `bytes` are multiples of
   * 4096, inside of the bar. `memory` null: the host only asks whether it is so, and nothing has to be prepared.
   * Returns DRYDOCK_DEVICE_OK, or DRYDOCK_DEVICE_UNAVAILABLE when it is not so or cannot be. What was told holds until
   * destroy(), over every reset. A graphics driver's memory segment that the processor is to see needs this: a
   * program's pointer leads there (D3DKMTLock2). Null when no bar is memory. Models that were compiled before this
   * member was there have none. */
  int32_t (*bar_memory)(DRYDOCK_DEVICE* device, uint32_t bar, uint64_t offset, uint64_t bytes,
                        DRYDOCK_DEVICE_MEMORY* memory);
} DRYDOCK_DEVICE_MODEL;

/* What every model has: the size of the structure before it first grew. */
#define DRYDOCK_DEVICE_MODEL_LEAST offsetof(DRYDOCK_DEVICE_MODEL, bar_memory)

typedef const DRYDOCK_DEVICE_MODEL* DRYDOCK_DEVICE_MODEL_FUNCTION(void);

#ifdef __cplusplus
}
#endif

#endif
