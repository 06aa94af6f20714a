/* The registers of kssg, the reference scatter/gather grabber; C11 and C++17, for the driver and the hardware alike.
 *
 *   BAR 0   4 KiB   registers (this file)
 *
 * Registers have 4 bytes; those marked (64) take one access of 8 as well as two of 4. Anything else reads as 0 and
 * changes nothing. RO: writes are ignored. WO: reads as 0.
 *
 * The grabber is a bus master that writes YUY2 pictures to wherever it is told. It is told by a ring of descriptors in
 * the machine's memory: each names one piece of memory, and those up to and with KSSG_DESCRIPTOR_LAST are the list of
 * one picture. HEAD counts the descriptors that the grabber is done with and TAIL those that software has put there:
 * both only ever grow, and descriptor n lies in entry n % RING_ENTRIES. Each interval the grabber reads the next list,
 * writes the picture piece by piece, and says so in the list's last descriptor before it interrupts. A picture for
 * which there is no list is dropped.
 *
 * A life, in order: read ID and VERSION; write INT_ENABLE, WIDTH, HEIGHT, INTERVAL, RING_BASE, RING_ENTRIES, HEAD, then
 * CONTROL = RUN; put lists into the ring and write TAIL. In the interrupt: read INT_STATUS, write what was read to
 * INT_ACK; then take the lists whose last descriptor has a result. */
#ifndef KSSG_REGS_H
#define KSSG_REGS_H

#include <stdint.h>

#define KSSG_PCI_VENDOR 0xDD0Cu
#define KSSG_PCI_DEVICE 0x0003u

#define KSSG_REGISTER_BAR 0u
#define KSSG_REGISTER_BAR_BYTES 0x1000u

#define KSSG_REG_ID 0x00u      /* RO: KSSG_ID */
#define KSSG_ID 0x4753534Bu    /* "KSSG" */
#define KSSG_REG_VERSION 0x04u /* RO; major in the upper half: a driver refuses another major */
#define KSSG_VERSION 0x00010000u
#define KSSG_REG_TIME 0x08u  /* RO (64): nanoseconds, of the same clock as KSSG_DESCRIPTOR.time_ns */
#define KSSG_REG_RESET 0x10u /* WO: KSSG_RESET_KEY: as after power-on */
#define KSSG_RESET_KEY 0x52455345u

/* The line is raised while a bit of STATUS is enabled. */
#define KSSG_REG_INT_STATUS 0x14u /* RO */
#define KSSG_REG_INT_ACK 0x18u    /* WO: clears these bits */
#define KSSG_REG_INT_ENABLE 0x1Cu
#define KSSG_INT_PICTURE 1u /* a list is done */
#define KSSG_INT_DROPPED 2u /* there was no list for a picture */
#define KSSG_INT_FAULT 4u   /* it stopped by itself: KSSG_CONTROL_FAULT */
#define KSSG_INT_ALL 7u

#define KSSG_REG_CONTROL 0x20u /* reads as what it does */
#define KSSG_CONTROL_STOP 0u   /* from now on memory is not touched; the pictures' numbers begin at 0 again */
#define KSSG_CONTROL_RUN 1u    /* the first picture comes one interval later */
#define KSSG_CONTROL_FAULT 2u  /* RO: the settings make no sense, or the ring did not answer; until STOP */

/* The settings; writes count while it is stopped. */
#define KSSG_REG_WIDTH 0x24u /* pixels; even */
#define KSSG_REG_HEIGHT 0x28u
#define KSSG_REG_INTERVAL 0x2Cu     /* units of 100 ns; not 0 */
#define KSSG_REG_RING_BASE 0x30u    /* (64): bus address of entry 0 */
#define KSSG_REG_RING_ENTRIES 0x38u /* a power of two, so that counts may wrap around */
#define KSSG_REG_HEAD 0x3Cu         /* the grabber's; where it is to begin */
#define KSSG_MAX_WIDTH 640u
#define KSSG_MAX_HEIGHT 480u
#define KSSG_MAX_RING_ENTRIES 4096u
#define KSSG_BYTES_PER_PIXEL 2u

#define KSSG_REG_TAIL 0x40u    /* software's, at any time; at most RING_ENTRIES after HEAD: other values are ignored */
#define KSSG_REG_DROPPED 0x44u /* RO: pictures without a list */
#define KSSG_REG_BUS_ERRORS 0x48u /* RO: pieces, and reads of the ring, where no memory answered */

/* One piece of a picture's memory. The grabber reads the first half, and of the last descriptor of a list writes the
 * second. */
typedef struct KSSG_DESCRIPTOR {
  uint64_t address; /* on the bus; any alignment */
  uint32_t bytes;
  uint32_t flags;
  uint32_t result;  /* 0 when software puts it there */
  uint32_t number;  /* of the picture; one that was dropped has a number too */
  uint64_t time_ns; /* when it was taken */
} KSSG_DESCRIPTOR;

#define KSSG_DESCRIPTOR_LAST 1u

#define KSSG_RESULT_DONE 1u      /* the whole picture is there */
#define KSSG_RESULT_SHORT 2u     /* the pieces end before the picture */
#define KSSG_RESULT_BUS_ERROR 3u /* a piece did not answer; the others are there */

#endif
