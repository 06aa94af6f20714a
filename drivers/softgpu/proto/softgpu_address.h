/* How softgpu names memory: addresses, page table entries, aperture table entries. For the driver, its user-mode part
 * and the hardware alike; C11 and C++17.
 *
 * One address is 64 bits wide, wherever one stands (a ring's base, a packet's operand, a page table's root), so that a
 * patch list patches one aligned quadword:
 *
 *    63  60 59                  48 47                                                  0
 *   +------+----------------------+----------------------------------------------------+
 *   |space |       must be 0      |                       offset                       |
 *   +------+----------------------+----------------------------------------------------+
 *
 * Space 0 is the virtual address space of the VMID in effect, so that a plain GPU virtual address is an address, and
 * a zeroed one faults as a null pointer does. The others are physical and only for privileged streams. */
#ifndef SOFTGPU_ADDRESS_H
#define SOFTGPU_ADDRESS_H

#include <stdint.h>

#define SOFTGPU_PAGE_SHIFT 12u
#define SOFTGPU_PAGE_BYTES 4096u
#define SOFTGPU_PAGE_64K_BYTES 0x10000u
#define SOFTGPU_PAGE_2M_BYTES 0x200000u

#define SOFTGPU_SPACE_VIRTUAL 0u
#define SOFTGPU_SPACE_LOCAL 1u    /* offset in local memory */
#define SOFTGPU_SPACE_APERTURE 2u /* offset in the aperture, whose table leads to system memory */
#define SOFTGPU_SPACE_SYSTEM 3u   /* bus address */

#define SOFTGPU_ADDRESS_SPACE_SHIFT 60u
#define SOFTGPU_ADDRESS_BITS 48u
#define SOFTGPU_ADDRESS_OFFSET_MASK 0x0000FFFFFFFFFFFFull

static inline uint64_t softgpu_address(uint32_t space, uint64_t offset) {
  uint64_t bits = space;
  return (bits << SOFTGPU_ADDRESS_SPACE_SHIFT) | (offset & SOFTGPU_ADDRESS_OFFSET_MASK);
}

static inline uint32_t softgpu_address_space(uint64_t address) { return address >> SOFTGPU_ADDRESS_SPACE_SHIFT; }

static inline uint64_t softgpu_address_offset(uint64_t address) { return address & SOFTGPU_ADDRESS_OFFSET_MASK; }

/* The segments as the driver reports them to the memory manager, and as entries name them. Segment 0 is the implicit
 * one of system memory. A physical {segment, offset} pair is softgpu_segment_address(segment, offset). */
#define SOFTGPU_SEGMENT_SYSTEM 0u
#define SOFTGPU_SEGMENT_LOCAL 1u
#define SOFTGPU_SEGMENT_APERTURE 2u

static inline uint64_t softgpu_segment_address(uint32_t segment, uint64_t offset) {
  return softgpu_address(segment == SOFTGPU_SEGMENT_SYSTEM ? SOFTGPU_SPACE_SYSTEM : segment, offset);
}

/* --- Virtual addresses ---
 *
 *   47      39 38      30 29      21 20      12 11       0
 *   | level 3 | level 2  | level 1  | level 0  | in page |
 *
 * Four levels of tables with 512 entries of 8 bytes: 4096 bytes, aligned to 4096, in local or system memory. Level 3 is
 * the root, level 0 the leaf. A level 1 entry with LARGE is itself a page of 2 MiB; one with TABLE_64K leads to a leaf
 * of 32 entries, each of a 64 KiB page, indexed by bits 20 to 16. Large pages begin at a multiple of their size. */
#define SOFTGPU_LEVELS 4u
#define SOFTGPU_LEVEL_BITS 9u
#define SOFTGPU_TABLE_ENTRIES 512u
#define SOFTGPU_TABLE_BYTES 4096u
#define SOFTGPU_TABLE_64K_ENTRIES 32u
#define SOFTGPU_VIRTUAL_BITS 48u
#define SOFTGPU_VMIDS 16u           /* address spaces at a time */
#define SOFTGPU_TLB_ALL 0xFFFFFFFFu /* where the TLB is flushed: of all VMIDs */

/* An entry. READONLY, NOEXEC and ZERO count in the entry that describes a page, and are ignored on the way to it. */
#define SOFTGPU_PTE_VALID 0x001ull
#define SOFTGPU_PTE_READONLY 0x002ull
#define SOFTGPU_PTE_NOEXEC 0x004ull   /* commands cannot be fetched from it */
#define SOFTGPU_PTE_ZERO 0x008ull     /* with VALID: reads give 0, writes are dropped; the frame is ignored */
#define SOFTGPU_PTE_COHERENT 0x010ull /* accepted and ignored: all accesses are coherent */
#define SOFTGPU_PTE_SEGMENT_SHIFT 5u  /* two bits: SOFTGPU_SEGMENT_…; a table cannot lie in the aperture */
#define SOFTGPU_PTE_SEGMENT_MASK 0x060ull
#define SOFTGPU_PTE_LARGE 0x080ull     /* level 1 only: a page of 2 MiB */
#define SOFTGPU_PTE_TABLE_64K 0x100ull /* level 1 only: the leaf has pages of 64 KiB */
#define SOFTGPU_PTE_FRAME_MASK 0x0000FFFFFFFFF000ull
#define SOFTGPU_PTE_RESERVED_MASK 0xFFFF000000000E00ull /* must be 0 in a valid entry */

/* `frame` counts 4 KiB pages from the start of the segment, or of physical memory, whatever the page's size. */
static inline uint64_t softgpu_pte(uint32_t segment, uint64_t frame, uint64_t flags) {
  uint64_t bits = segment;
  return flags | (bits << SOFTGPU_PTE_SEGMENT_SHIFT) | ((frame << SOFTGPU_PAGE_SHIFT) & SOFTGPU_PTE_FRAME_MASK);
}

static inline uint32_t softgpu_pte_segment(uint64_t pte) {
  return (pte & SOFTGPU_PTE_SEGMENT_MASK) >> SOFTGPU_PTE_SEGMENT_SHIFT;
}

static inline uint32_t softgpu_table_index(uint64_t virtual_address, uint32_t level) {
  return (virtual_address >> (SOFTGPU_PAGE_SHIFT + SOFTGPU_LEVEL_BITS * level)) & (SOFTGPU_TABLE_ENTRIES - 1);
}

/* --- The aperture's table ---
 *
 * One entry of 8 bytes for each 4 KiB page of the aperture, in local or system memory. Read at every access: there is
 * nothing to invalidate. Touching a page whose entry is not valid is a fault, so what is unmapped should lead to a
 * dummy page. */
#define SOFTGPU_APERTURE_VALID 0x1ull
#define SOFTGPU_APERTURE_FRAME_MASK 0x0000FFFFFFFFF000ull /* the other bits must be 0 */
#define SOFTGPU_APERTURE_MAX_ENTRIES 0x10000u             /* 256 MiB */

static inline uint64_t softgpu_aperture_entry(uint64_t bus_address) {
  return (bus_address & SOFTGPU_APERTURE_FRAME_MASK) | SOFTGPU_APERTURE_VALID;
}

#endif
