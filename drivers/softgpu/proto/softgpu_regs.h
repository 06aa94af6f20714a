/* The registers of softgpu, the reference adapter; C11 and C++17, for the driver and the hardware alike.
 *
 *   BAR 0   64 KiB    registers (this file)
 *   BAR 2   64 MiB    local memory, all of it: an offset in the bar is an offset in local memory
 *
 * Registers have 4 or 8 bytes and are little endian. Four-byte ones take four-byte accesses; those marked (64) take
 * one of 8 or two of 4, low half first or last. Anything else reads as 0, changes nothing, and is counted in
 * SOFTGPU_REG_BAD_ACCESSES. RO: writes are ignored. WO: reads as 0.
 *
 * A life, in order: read ID, VERSION and FEATURES; program the aperture and the roots; for each engine write
 * RING_BASE, RING_SIZE, FENCE_ADDRESS, then CONTROL = ENABLE; write INT_ENABLE. To submit: packets at RING_TAIL, a
 * SOFTGPU_CMD_FENCE behind them, then the new RING_TAIL. In the interrupt: read INT_STATUS, write what was read to
 * INT_ACK, look at the engines named in it. */
#ifndef SOFTGPU_REGS_H
#define SOFTGPU_REGS_H

#include "softgpu_address.h"

#define SOFTGPU_PCI_VENDOR 0xDD0Cu
#define SOFTGPU_PCI_DEVICE 0x0001u

#define SOFTGPU_REGISTER_BAR 0u
#define SOFTGPU_LOCAL_BAR 2u
#define SOFTGPU_REGISTER_BAR_BYTES 0x10000u
#define SOFTGPU_LOCAL_BYTES 0x4000000u
#define SOFTGPU_LOCAL_POISON 0xCCu /* every byte of local memory after power-on and after a reset of the device */

/* The engines. Both run every packet except KERNEL and those of softgpu_draw.h, which only the render engine has. */
#define SOFTGPU_ENGINE_RENDER 0u
#define SOFTGPU_ENGINE_COPY 1u
#define SOFTGPU_ENGINES 2u

/* --- The device --- */
#define SOFTGPU_REG_ID 0x0000u /* RO: SOFTGPU_ID */
#define SOFTGPU_ID 0x55504753u /* "SGPU" */
#define SOFTGPU_REG_VERSION 0x0004u
#define SOFTGPU_VERSION 0x00010002u        /* major in the upper half; a driver refuses another major */
#define SOFTGPU_REG_FEATURES 0x0008u       /* RO: SOFTGPU_FEATURE_…, less what SOFTGPU_HOOK_FEATURES_OFF took away */
#define SOFTGPU_FEATURE_MMU 0x01u          /* virtual addresses */
#define SOFTGPU_FEATURE_LARGE_PAGES 0x02u  /* SOFTGPU_PTE_LARGE */
#define SOFTGPU_FEATURE_64K_PAGES 0x04u    /* SOFTGPU_PTE_TABLE_64K */
#define SOFTGPU_FEATURE_APERTURE 0x08u     /* the aperture */
#define SOFTGPU_FEATURE_PREEMPTION 0x10u   /* SOFTGPU_CONTROL_PREEMPT… */
#define SOFTGPU_FEATURE_ENGINE_RESET 0x20u /* SOFTGPU_CONTROL_RESET; without it only the device can be reset */
#define SOFTGPU_FEATURE_COMPUTE 0x40u      /* SOFTGPU_CMD_KERNEL */
#define SOFTGPU_FEATURE_DRAWING 0x80u      /* the packets of softgpu_draw.h */
#define SOFTGPU_FEATURES_ALL 0xFFu
#define SOFTGPU_REG_ENGINE_COUNT 0x000Cu /* RO */
#define SOFTGPU_REG_VMID_COUNT 0x0010u   /* RO */
#define SOFTGPU_REG_BAD_ACCESSES 0x0014u /* RO: accesses that no register answers, since power-on */
#define SOFTGPU_REG_LOCAL_BYTES 0x0018u  /* RO (64) */
#define SOFTGPU_REG_TIME 0x0020u         /* RO (64): nanoseconds; what TIMESTAMP packets write */
#define SOFTGPU_REG_SCRATCH 0x0028u      /* (64): for software; survives everything but power-on */
#define SOFTGPU_REG_RESET 0x0030u        /* WO: SOFTGPU_RESET_KEY resets the device, other values do nothing */
#define SOFTGPU_RESET_KEY 0x52455345u
/* A reset of the device: registers as after power-on, interrupts gone, roots and aperture off, TLB empty, local memory
 * lost (SOFTGPU_LOCAL_POISON). FENCE_CURRENT, the counters, the scratch register and FEATURES_OFF stay. */

/* --- Interrupts ---
 *
 * One line, raised while a cause is pending and enabled. A cause that comes again after INT_STATUS was read outlives
 * the acknowledgement of what was read: the bit stays and the line is raised anew. So does any cause that is left
 * when some were acknowledged. Reading INT_STATUS therefore belongs to the one who acknowledges. */
#define SOFTGPU_REG_INT_STATUS 0x0100u /* RO: pending causes, enabled or not */
#define SOFTGPU_REG_INT_ENABLE 0x0104u
#define SOFTGPU_REG_INT_ACK 0x0108u         /* WO: clears the causes whose bits are 1 */
#define SOFTGPU_REG_INT_FORCE 0x010Cu       /* WO: causes that happen now, for a driver's self-test */
#define SOFTGPU_REG_INT_COALESCE_NS 0x0110u /* fences may wait this long for company before the line is raised */
#define SOFTGPU_REG_INT_COUNT 0x0114u       /* RO: how often the line was raised since power-on */

#define SOFTGPU_INT_FENCE(engine) (0x00000001u << (engine))  /* a fence with SOFTGPU_FLAG_INTERRUPT was completed */
#define SOFTGPU_INT_SIGNAL(engine) (0x00000100u << (engine)) /* a SIGNAL with SOFTGPU_FLAG_INTERRUPT was done */
#define SOFTGPU_INT_PREEMPTED(engine) (0x00010000u << (engine))
#define SOFTGPU_INT_FAULT(engine) (0x01000000u << (engine))
#define SOFTGPU_INT_SOFTWARE 0x80000000u /* only ever by INT_FORCE */
#define SOFTGPU_INT_ALL 0x83030303u

/* --- Memory management --- */
#define SOFTGPU_REG_VMID(vmid) (0x2000u + 0x10u * (vmid))
#define SOFTGPU_VMID_ROOT 0x0u    /* (64): physical address of the level 3 table, in local or system memory */
#define SOFTGPU_VMID_ENTRIES 0x8u /* of the root, at most 512; 0: the VMID is off and every access faults */
/* Neither drops what the TLB remembers of the VMID. */

#define SOFTGPU_REG_TLB_INVALIDATE 0x2200u /* WO: a VMID, or SOFTGPU_TLB_ALL. At once */
#define SOFTGPU_REG_TLB_HITS 0x2204u       /* RO */
#define SOFTGPU_REG_TLB_MISSES 0x2208u     /* RO */
#define SOFTGPU_TLB_ENTRIES 32u /* one for each page of 4 KiB, shared by all; invalid entries are never kept */

#define SOFTGPU_REG_APERTURE_BASE 0x2210u    /* (64): physical address of its table, in local or system memory */
#define SOFTGPU_REG_APERTURE_ENTRIES 0x2218u /* at most SOFTGPU_APERTURE_MAX_ENTRIES; 0: no aperture */

/* --- Engines --- */
#define SOFTGPU_REG_ENGINE(engine) (0x4000u + 0x400u * (engine))
/* The ring and the fence's address can be programmed while the engine is disabled. At other times writes to them are
 * ignored, but for the tail. */
#define SOFTGPU_ENGINE_RING_BASE 0x00u     /* (64): any address, aligned to 4096 */
#define SOFTGPU_ENGINE_RING_SIZE 0x08u     /* bytes: a power of two, SOFTGPU_RING_MIN_BYTES to SOFTGPU_RING_MAX_BYTES */
#define SOFTGPU_ENGINE_RING_VMID 0x0Cu     /* of a virtual RING_BASE or FENCE_ADDRESS, and of the ring's packets */
#define SOFTGPU_ENGINE_RING_HEAD 0x10u     /* byte offset of the packet that runs or is next */
#define SOFTGPU_ENGINE_RING_TAIL 0x14u     /* the doorbell: byte offset of the end of the last packet */
#define SOFTGPU_ENGINE_FENCE_ADDRESS 0x18u /* (64): where FENCE writes its value, aligned to 8; 0: none */
#define SOFTGPU_ENGINE_FENCE_CURRENT 0x20u /* RO (64): of the last completed FENCE; 0 at first, survives resets */
#define SOFTGPU_ENGINE_STATE 0x28u         /* RO: SOFTGPU_STATE_… */
#define SOFTGPU_ENGINE_CONTROL 0x2Cu       /* WO: one of SOFTGPU_CONTROL_… */
/* The fault that stopped it. Of the first one; kept until the engine is reset. */
#define SOFTGPU_ENGINE_FAULT_STATUS 0x30u  /* RO: SOFTGPU_FAULT_…, with access and level */
#define SOFTGPU_ENGINE_FAULT_VMID 0x34u    /* RO: in effect when it happened */
#define SOFTGPU_ENGINE_FAULT_ADDRESS 0x38u /* RO (64): what was touched; for a bad packet where it lies */
#define SOFTGPU_ENGINE_FAULT_PACKET 0x40u  /* RO (64): first 8 bytes of the packet that was at fault, 0 if unknown */
/* Where the preemption stopped it. */
#define SOFTGPU_ENGINE_PREEMPT_FENCE 0x48u  /* RO (64): last fence completed before */
#define SOFTGPU_ENGINE_PREEMPT_BUFFER 0x50u /* RO (64): inside of an indirect buffer: its next packet's address */
#define SOFTGPU_ENGINE_PREEMPT_BYTES 0x58u  /* RO: what is left of that buffer; 0: between packets of the ring */
/* Counters, since power-on. */
#define SOFTGPU_ENGINE_PACKETS 0x60u /* RO: executed, those of indirect buffers and INDIRECT itself included */
#define SOFTGPU_ENGINE_FENCES 0x64u  /* RO: FENCE packets executed */
#define SOFTGPU_ENGINE_FAULTS 0x68u  /* RO */
#define SOFTGPU_ENGINE_POLLS 0x6Cu   /* RO: times a WAIT was not yet satisfied */
/* (64): the context whose state is loaded, as RESTORE_STATE named it; 0: none. Writing the one that is loaded forgets
 * it: the registers are 0 and it is never saved. Other values do nothing. */
#define SOFTGPU_ENGINE_CONTEXT 0x70u
/* The last fences; the one counted n (from 0) in FENCES is in slot n % SOFTGPU_FENCE_LOG_SLOTS. RO. */
#define SOFTGPU_FENCE_LOG_SLOTS 16u
#define SOFTGPU_ENGINE_FENCE_LOG(slot) (0x100u + 0x10u * (slot))
#define SOFTGPU_FENCE_LOG_VALUE 0x0u   /* RO (64) */
#define SOFTGPU_FENCE_LOG_PACKETS 0x8u /* RO: packets executed since the fence before, the FENCE itself included */

#define SOFTGPU_RING_MIN_BYTES 0x1000u
#define SOFTGPU_RING_MAX_BYTES 0x100000u

#define SOFTGPU_STATE_DISABLED 0u
#define SOFTGPU_STATE_IDLE 1u
#define SOFTGPU_STATE_RUNNING 2u
#define SOFTGPU_STATE_WAITING 3u   /* at a WAIT that is not satisfied */
#define SOFTGPU_STATE_PREEMPTED 4u /* until RESUME, DISCARD or a reset */
#define SOFTGPU_STATE_FAULTED 5u   /* until a reset */
#define SOFTGPU_STATE_HUNG 6u      /* by SOFTGPU_HOOK_HANG, until a reset; for tests: no real engine would say so */

#define SOFTGPU_CONTROL_ENABLE 1u /* from DISABLED: head and tail as they stand. A bad ring is a fault */
/* At once; what runs is dropped without effect and runs again after ENABLE. Does nothing while FAULTED or HUNG. */
#define SOFTGPU_CONTROL_DISABLE 2u
/* Back to the state after power-on, except for FENCE_CURRENT and the counters. What runs is dropped without effect;
 * causes of interrupts that are pending stay pending. */
#define SOFTGPU_CONTROL_RESET 3u
/* Stop after the packet that runs, wherever it stands; a packet that waits is not run. Answered by INT_PREEMPTED, also
 * by an idle engine; never by one that hangs, is faulted or disabled. */
#define SOFTGPU_CONTROL_PREEMPT 4u
/* The same, but only after a FENCE of the ring or when there is nothing to do: never in the middle of a submission. */
#define SOFTGPU_CONTROL_PREEMPT_AT_FENCE 5u
#define SOFTGPU_CONTROL_RESUME 6u  /* from PREEMPTED: go on where it stopped, in the middle of a buffer too */
#define SOFTGPU_CONTROL_DISCARD 7u /* from PREEMPTED: forget the ring's content (head = tail) and be idle */

#define SOFTGPU_FAULT_KIND_MASK 0x000000FFu
#define SOFTGPU_FAULT_NONE 0x00u
#define SOFTGPU_FAULT_COMMAND 0x01u     /* unknown, malformed or truncated packet, or one this engine does not have */
#define SOFTGPU_FAULT_PRIVILEGE 0x02u   /* packet or physical address in an unprivileged buffer */
#define SOFTGPU_FAULT_RING 0x03u        /* ring's base, size, VMID, head or tail make no sense */
#define SOFTGPU_FAULT_ADDRESS 0x04u     /* no such space, beyond its end, misaligned, or the MMU is off */
#define SOFTGPU_FAULT_NOT_PRESENT 0x05u /* entry not valid, beyond the root's entries, or no root */
#define SOFTGPU_FAULT_READ_ONLY 0x06u
#define SOFTGPU_FAULT_NO_EXECUTE 0x07u
#define SOFTGPU_FAULT_ENTRY 0x08u    /* reserved bits or no such segment in an entry, or a misaligned large page */
#define SOFTGPU_FAULT_APERTURE 0x09u /* aperture entry not valid */
#define SOFTGPU_FAULT_BUS 0x0Au      /* system memory did not answer */
#define SOFTGPU_FAULT_STATE 0x0Bu    /* what RESTORE_STATE found is no SOFTGPU_CONTEXT_IMAGE */
#define SOFTGPU_FAULT_ACCESS_MASK 0x00000300u
#define SOFTGPU_FAULT_READ 0x00000000u
#define SOFTGPU_FAULT_WRITE 0x00000100u
#define SOFTGPU_FAULT_EXECUTE 0x00000200u
#define SOFTGPU_FAULT_LEVEL_SHIFT 12u /* of the table whose entry was at fault; counts for NOT_PRESENT and ENTRY */
#define SOFTGPU_FAULT_LEVEL_MASK 0x0000F000u

/* --- Hooks, for tests: what real hardware does on a bad day. A driver has no business here. --- */
#define SOFTGPU_HOOK_FEATURES_OFF 0x8000u /* SOFTGPU_FEATURE_… the device shall not have */
#define SOFTGPU_REG_HOOKS(engine) (0x8100u + 0x100u * (engine))
/* The engine hangs at its Nth packet from now on, without running it; 1: at the next. 0: never. Resets clear it. */
#define SOFTGPU_HOOK_HANG 0x00u
#define SOFTGPU_HOOK_SPEED 0x04u /* SOFTGPU_SPEED_…; survives resets of engine and device, as those below */
#define SOFTGPU_SPEED_NORMAL 0u
#define SOFTGPU_SPEED_AT_ONCE 1u           /* packets cost nothing */
#define SOFTGPU_HOOK_DELAY_NS 0x08u        /* added to the cost of each packet */
#define SOFTGPU_HOOK_DROP_INTERRUPTS 0x0Cu /* so many of the engine's next causes never become pending; counts down */
#define SOFTGPU_HOOK_RESET_FAILS 0x10u     /* not 0: SOFTGPU_CONTROL_RESET does nothing; only a device reset helps */
#define SOFTGPU_HOOK_PREEMPT_FAILS 0x14u   /* not 0: SOFTGPU_CONTROL_PREEMPT… does nothing and is never answered */
/* The Nth access from now on of packets in buffers is SOFTGPU_FAULT_NOT_PRESENT, wherever it goes; 1: the next. 0:
 * never. What a packet does with one page counts as one access; where it draws, what it does with one row of it. Resets
 * clear it. */
#define SOFTGPU_HOOK_FAULT 0x18u
#define SOFTGPU_HOOK_SLOWDOWN 0x1Cu /* packets cost so many times as much; 0 is 1 */

#endif
