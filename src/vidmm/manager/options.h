#pragma once

#include <cstdint>

namespace vidmm {

// Deviations for tests, all off; the names are those of Windows' own (D3DKMT_ADAPTER_VERIFIER_VIDMM_FLAGS and
// D3DKMT_PROCESS_VERIFIER_VIDMM_FLAGS). What each does is our reading of the name.
struct Knobs {
  bool always_discard_offer = false;           // as soon as it is offered
  bool never_discard_offer = false;            // an offered block is copied out like any other
  bool always_decommit_offer = false;          // its backing goes too
  bool always_fail_commit_on_reclaim = false;  // and does not come back
  bool fail_defrag_pass = false;
  bool never_move_defrag = false;
  bool no_demotion = false;              // the first preference or nothing
  bool never_defer_evictions = false;    // EvictOnlyIfNecessary is ignored
  bool force_synchronous_evict = false;  // as above, and the code that executes plans lets the caller wait
  uint64_t restrict_local_budget = 0;    // bytes; 0: not restricted
  uint64_t restrict_nonlocal_budget = 0;
};

// What the adapter can do. Constant but for the knobs.
struct Options {
  bool gpu_mmu = false;          // page sets; blocks in an aperture need no address of it unless they are contiguous
  bool move_paging = false;      // MovePagingSupported: defragmentation may move blocks
  bool writes_are_told = false;  // mark_written() is called for every write; otherwise each use counts as one
  Knobs knobs{};
};

}  // namespace vidmm
