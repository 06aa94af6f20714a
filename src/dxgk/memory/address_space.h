#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "dxgk/memory/freed_addresses.h"
#include "dxgk/memory/video_block.h"
#include "dxgk/paging/paging_work.h"
#include "vidmm/address/page_tables.h"
#include "vidmm/address/va_space.h"

namespace dxgk {

class Adapter;
class VideoMemory;

// The GPU virtual addresses of one process on one adapter, or of the paging process: what is mapped where, and the page
// tables behind the addresses. Owned by the process's part of the adapter (or by the video memory); the memory's lock.
//
// Everything is planned: the tables have at once the state that they will have when all work posted so far has been
// carried out.
class AddressSpace final : public vidmm::VaSpace, private vidmm::PageTables::Owner {
 public:
  enum class Kind : uint8_t { Client, Paging };

  // `driver_process`: the driver's value for it.
  static base::Result<std::unique_ptr<AddressSpace>> create(VideoMemory& memory, Kind kind, HANDLE driver_process,
                                                            PagingWork& work);
  ~AddressSpace();

  std::atomic<uint32_t> root_version{1};  // rises when the root moves
  FreedAddresses freed;

  Kind kind() const { return kind_; }
  HANDLE driver_process() const { return driver_process_; }
  const vidmm::Table& root() const { return tables_->root(); }
  D3DGPU_PHYSICAL_ADDRESS root_address() const { return address_of(tables_->root()); }
  static D3DGPU_PHYSICAL_ADDRESS address_of(const vidmm::Table& table) {
    return {table.segment, 0, table.page * vidmm::kPageBytes};
  }
  // Where the CPU writes a table that lies in the machine's memory; null for others.
  static void* cpu_address_of(const vidmm::Table& table);
  // The address at which the paging process writes the table, where the GPU writes tables by virtual address.
  static D3DGPU_VIRTUAL_ADDRESS paging_address_of(const vidmm::Table& table);
  // Nothing refers to it any more. On the paging thread.
  static void dispose(const vidmm::Table& table);
  vidmm::PageTables& tables() { return *tables_; }

  // The lowest address that can be mapped: not below what the first root entry covers, which is always invalid.
  uint64_t lowest() const { return tables_->first_va(); }
  // Addresses for the kernel's own use, where a client cannot map or free.
  base::Result<uint64_t> reserve_own(uint64_t bytes, uint64_t alignment = vidmm::kBigPageBytes);
  void release_own(uint64_t va) { release(va); }

  // Changes the tables as a change of addresses requires. All or nothing.
  base::Result<> perform(std::span<const vidmm::VaOp> ops, PagingWork& work);
  // `mapping` leads to `place` from now on.
  base::Result<> rebind(const vidmm::Mapping& mapping, const vidmm::Place& place, PagingWork& work);
  // Video memory has lost its content, and the tables there have new places: every table is written anew.
  base::Result<> write_again(PagingWork& work);
  // Pages that belong to no allocation: DMA buffers, fences, the far side of a copy.
  base::Result<> map_runs(uint64_t va, uint64_t bytes, std::span<const vidmm::PageRun> runs,
                          const vidmm::VaProtection& protection, PagingWork& work);

 private:
  // The memory behind one table.
  struct TableMemory;

  AddressSpace(VideoMemory& memory, Kind kind, HANDLE driver_process, uint64_t end);

  base::Result<> lead(uint64_t va, uint64_t bytes, VideoBlock& block, const vidmm::Place& place, uint64_t offset,
                      const vidmm::VaProtection& protection, vidmm::TableOpList& out);
  base::Result<> create_table(vidmm::Table& table) override;
  base::Result<> show_to_paging_process(const vidmm::Table& table, TableMemory& table_memory, uint64_t bytes);
  base::Result<> aim_paging_process(const vidmm::Table& table, const TableMemory& table_memory);
  void give_up(TableMemory& table_memory, PagingWork& after);
  void destroy_table(vidmm::Table& table) override;
  // Plans some table operations, and what their tables' memory needs first.
  template <typename F>
  base::Result<> plan(PagingWork& work, F&& change);

  VideoMemory& memory_;
  const Kind kind_;
  const HANDLE driver_process_;
  std::unique_ptr<vidmm::PageTables> tables_;
  std::vector<vidmm::PageRun> runs_;  // scratch
  // While tables are changed: what is evicted for new ones, and what has to be done before.
  vidmm::Plan* evictions_ = nullptr;
  PagingWork* planning_ = nullptr;
};

}  // namespace dxgk
