#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/result.h"
#include "dxgk/memory/aperture_shadow.h"
#include "dxgk/paging/paging_buffer.h"
#include "dxgk/paging/paging_call.h"
#include "dxgk/paging/paging_operation.h"

namespace dxgk {

class Adapter;

// The one place that calls DxgkDdiBuildPagingBuffer. Packs operations into paging buffers, hands over full ones, and
// judges what the driver did. Owned by the adapter's paging worker; on its thread, with Adapter::paging_mutex() held.
//
// What becomes of an operation, by the status that the driver returns:
//
//   SUCCESS          the next operation continues where the driver's pointer is
//   INSUFFICIENT_…   what there is goes to the GPU; again in a fresh buffer, with MultipassOffset as the driver left it
//   ALLOCATION_BUSY  what there is goes to the GPU, which becomes idle; again with AllocationIsIdle, once
//   anything else    a finding, and the operation fails
//
// A failure means that the driver cannot be asked for this operation: memory is not where it should be. The device that
// needed the operation is lost. What was built before stays, and may be submitted.
class PagingBuilder {
 public:
  // A part of a buffer that is ready for the GPU. Never empty: at least one of the two ranges has bytes.
  struct Submission {
    PagingBuffer& buffer;
    size_t from, to;                  // DMA bytes
    size_t private_from, private_to;  // private data
  };

  // Submits buffers, and waits for the GPU. Outlives the builder. Called on the builder's thread, with the mutex held.
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual base::Result<> submit(const Submission& submission) = 0;
    // Everything submitted of `buffer` has completed: it is about to be written again.
    virtual void wait_for(PagingBuffer& buffer) = 0;
    // The GPU is done with every reference to the driver's allocation (null: with everything), and gets no new one
    // before the builder returns.
    virtual void wait_idle(HANDLE allocation) = 0;
  };

  struct Options {
    HANDLE system_context = nullptr;  // the driver's: hSystemContext
    // At most so many bytes are offered in one call, so that drivers run out of room early. One that cannot do anything
    // with so little gets a whole buffer the next time.
    size_t limit = SIZE_MAX;
  };

  PagingBuilder(Adapter& adapter, Sink& sink, const Options& options);
  PagingBuilder(const PagingBuilder&) = delete;
  PagingBuilder& operator=(const PagingBuilder&) = delete;

  // Buffers take turns. Each is where the GPU can find it, and outlives the builder.
  void give(PagingBuffer& buffer);
  void set_limit(size_t limit) { options_.limit = limit; }
  void set_system_context(HANDLE context) { options_.system_context = context; }

  // Into the current buffer; several operations share one.
  base::Result<> add(const PagingOperation& operation);
  // Without a buffer (pDmaBuffer NULL): it has happened when this returns. For the page tables of the paging process,
  // and for mapping what the buffers themselves lie in.
  base::Result<> now(const PagingOperation& operation);
  // Submits what is built. The next operation goes on in the same buffer, behind it.
  base::Result<> flush();

  // What the pages of an aperture segment show when everything built so far has run.
  const ApertureShadow& aperture(uint32_t segment) { return shadow(segment); }

 private:
  base::Result<> build(const PagingOperation& operation, bool in_buffer);
  base::Result<> pass_until_done(const PagingOperation& operation, bool in_buffer);
  // What the next call may write to.
  base::Result<PagingCall::Room> room(bool whole);
  base::Result<> next_buffer();
  void check_ours(const PagingOperation& operation);
  void built(const PagingOperation& operation);
  ApertureShadow& shadow(uint32_t segment);
  PagingBuffer& current() { return *buffers_[current_]; }

  Adapter& adapter_;
  Sink& sink_;
  Options options_;
  std::vector<PagingBuffer*> buffers_;
  size_t current_ = 0;
  bool in_transfer_ = false;  // a sub-transfer without TransferEnd was the last one
  std::map<uint32_t, ApertureShadow> shadows_;
};

}  // namespace dxgk
