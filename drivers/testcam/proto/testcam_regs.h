/* The registers of testcam, the reference camera; C11 and C++17, for the driver and the hardware alike.
 *
 *   BAR 0   4 KiB   registers (this file)
 *
 * Registers have 4 bytes; those marked (64) take one access of 8 as well as two of 4. Anything else reads as 0 and
 * changes nothing. RO: writes are ignored. WO: reads as 0.
 *
 * The camera is a bus master with two channels that look at the same scene, each with a format, size and rate of its
 * own. A channel writes its pictures into a ring of slots in the machine's memory, a TESTCAM_SLOT before each. WRITTEN
 * counts the pictures it put there and READ those that software took: both only ever grow, and picture n lies in slot
 * n % SLOTS. A picture for which no slot is free is dropped.
 *
 * A life, in order: read ID and VERSION; write INT_ENABLE; for a channel write FORMAT, WIDTH, HEIGHT, INTERVAL,
 * RING_BASE, SLOT_BYTES, SLOTS, then CONTROL = RUN. In the interrupt: read INT_STATUS, write what was read to INT_ACK;
 * then take the pictures from READ to WRITTEN and write READ. */
#ifndef TESTCAM_REGS_H
#define TESTCAM_REGS_H

#include <stdint.h>

#define TESTCAM_PCI_VENDOR 0xDD0Cu
#define TESTCAM_PCI_DEVICE 0x0002u

#define TESTCAM_REGISTER_BAR 0u
#define TESTCAM_REGISTER_BAR_BYTES 0x1000u

/* --- The device --- */
#define TESTCAM_REG_ID 0x000u      /* RO: TESTCAM_ID */
#define TESTCAM_ID 0x4D414354u     /* "TCAM" */
#define TESTCAM_REG_VERSION 0x004u /* RO; major in the upper half: a driver refuses another major */
#define TESTCAM_VERSION 0x00010000u
#define TESTCAM_REG_TIME 0x008u  /* RO (64): nanoseconds, of the same clock as TESTCAM_SLOT.time_ns */
#define TESTCAM_REG_RESET 0x010u /* WO: TESTCAM_RESET_KEY stops both channels and clears all but the hooks */
#define TESTCAM_RESET_KEY 0x52455345u

/* One bit for each channel: it put a picture into its ring, or dropped one, or stopped by itself. The line is raised
 * while a bit of STATUS is enabled. */
#define TESTCAM_REG_INT_STATUS 0x014u /* RO */
#define TESTCAM_REG_INT_ACK 0x018u    /* WO: clears these bits */
#define TESTCAM_REG_INT_ENABLE 0x01Cu
#define TESTCAM_INT_CHANNEL(channel) (1u << (channel))
#define TESTCAM_INT_ALL 3u

/* --- The scene --- */
#define TESTCAM_REG_BRIGHTNESS 0x020u /* signed, in the units of KSPROPERTY_VIDEOPROCAMP_BRIGHTNESS */
#define TESTCAM_MIN_BRIGHTNESS (-10000)
#define TESTCAM_MAX_BRIGHTNESS 10000
#define TESTCAM_DEFAULT_BRIGHTNESS 750
#define TESTCAM_REG_ZOOM 0x024u /* focal length in millimetres, as KSPROPERTY_CAMERACONTROL_ZOOM */
#define TESTCAM_MIN_ZOOM 10
#define TESTCAM_MAX_ZOOM 600
#define TESTCAM_DEFAULT_ZOOM 10

/* --- The channels --- */
#define TESTCAM_CHANNELS 2u
#define TESTCAM_REG_CHANNEL(channel) (0x100u + 0x80u * (channel))
#define TESTCAM_CHANNEL_CONTROL 0x00u /* reads as what the channel does */
#define TESTCAM_CONTROL_STOP 0u       /* WRITTEN, READ, DROPPED and the pictures' numbers are 0 again */
#define TESTCAM_CONTROL_PAUSE 1u      /* no pictures; everything stays as it is */
#define TESTCAM_CONTROL_RUN 2u        /* the first picture comes one interval later */
#define TESTCAM_CONTROL_FAULT 3u      /* RO: the settings make no sense, or memory did not answer; until STOP */
/* The settings; writes count while the channel is stopped. */
#define TESTCAM_CHANNEL_FORMAT 0x04u /* TESTCAM_FORMAT_… */
#define TESTCAM_CHANNEL_WIDTH 0x08u  /* pixels */
#define TESTCAM_CHANNEL_HEIGHT 0x0Cu
#define TESTCAM_CHANNEL_INTERVAL 0x10u   /* units of 100 ns */
#define TESTCAM_CHANNEL_SLOT_BYTES 0x14u /* from one slot to the next: at least TESTCAM_SLOT and a picture */
#define TESTCAM_CHANNEL_RING_BASE 0x18u  /* (64): bus address of slot 0 */
#define TESTCAM_CHANNEL_SLOTS 0x20u
#define TESTCAM_MAX_SLOTS 16u
/* The ring. */
#define TESTCAM_CHANNEL_WRITTEN 0x24u /* RO */
#define TESTCAM_CHANNEL_READ 0x28u    /* at most WRITTEN: other values are ignored */
#define TESTCAM_CHANNEL_DROPPED 0x2Cu /* RO */

/* What stands before a picture. The pixels follow. */
typedef struct TESTCAM_SLOT {
  uint64_t number;  /* of the picture, from 0; one that was dropped has a number too */
  uint64_t time_ns; /* when it was taken */
  uint32_t bytes;   /* of the pixels */
  uint32_t reserved[11];
} TESTCAM_SLOT;

/* --- Hooks, for tests: what real hardware does on a bad day. A driver has no business here. --- */
#define TESTCAM_HOOK_LOSE_INTERRUPT 0x800u /* every nth picture sets no bit of INT_STATUS; 0: none is lost */
#define TESTCAM_HOOK_DROP_PICTURE 0x804u   /* every nth picture of a channel is dropped; 0: none */
#define TESTCAM_HOOK_PULL_OUT 0x808u       /* not 0: from now on every read is all ones and nothing else happens */

#endif
