#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi/km/wdm.h"
#include "base/mutex.h"
#include "base/result.h"
#include "nt/dma/iommu.h"
#include "nt/machine/scope.h"

namespace nt {

class Machine;
struct RamBlock;

// One DMA adapter of a bus-master device: its budget of map registers, the requests that wait for them, and what was
// obtained with it. Made by DmaAdapters, which keeps it until the machine ends; any thread of the machine. No lock is
// held while the driver's routines run or findings are reported.
class DmaAdapter {
 public:
  struct Facts {
    bool scatter_gather;
    Iommu::Reach reach;
    uint32_t map_registers;
  };
  // `body` is what the driver sees.
  DmaAdapter(Machine& machine, Iommu& iommu, DEVICE_OBJECT& pdo, DMA_ADAPTER& body, const Facts& facts);

  DMA_ADAPTER& body() { return body_; }
  const Facts& facts() const { return facts_; }
  DEVICE_OBJECT& pdo() { return pdo_; }

  // Ends it, after a finding where something of it is left. False if it had ended.
  bool put();
  bool live();
  // Where it was got and put back, for a finding about its use afterwards.
  std::vector<RoleStack> life();

  // A part of locked pages, and the direction of its transfer. Goes on in the next MDL of the chain.
  struct Buffer {
    MDL* mdl;
    uint64_t offset;
    size_t bytes;
    bool write_to_device;
  };
  // How many pages, and so map registers, it has. STATUS_BUFFER_TOO_SMALL; STATUS_INVALID_PARAMETER after a finding.
  base::Result<uint32_t> pages(const Buffer& buffer, const char* function);

  // --- Mappings (dma_adapter.cc) ---
  base::Result<uint64_t> map(const Buffer& buffer, uint32_t max_piece, std::vector<Iommu::Piece>& out);
  void unmap(uint64_t id);

  // --- Common buffers (dma_adapter.cc) ---
  // Null when there is no memory for it.
  void* allocate_common(uint32_t bytes, uint64_t& bus);
  void free_common(uint32_t bytes, uint64_t bus, void* address);

  // --- Packets (dma_packets.cc): AllocateAdapterChannel to FreeMapRegisters ---
  base::Result<> allocate_channel(DEVICE_OBJECT& device, uint32_t count, PDRIVER_CONTROL routine, void* context);
  // The bus address for the device, and in `buffer.bytes` the bytes that it covers; nothing after a finding.
  uint64_t map_transfer(void* base, Buffer& buffer);
  void flush(void* base, const Buffer& buffer);
  void free_channel();
  void free_registers(void* base, uint32_t count);

  // --- Scatter/gather lists (dma_lists.cc) ---
  struct ListRequest {
    DEVICE_OBJECT* device;
    Buffer buffer;
    PDRIVER_LIST_CONTROL routine;
    void* context;
    void* memory;  // the driver's own for the list; null: it gets some
    size_t memory_bytes;
    const char* function;
  };
  static size_t list_bytes(size_t elements) {
    return sizeof(SCATTER_GATHER_LIST) + elements * sizeof(SCATTER_GATHER_ELEMENT);
  }
  base::Result<> get_list(const ListRequest& request);
  void put_list(SCATTER_GATHER_LIST* list, bool write_to_device);

 private:
  // A request for map registers, and for the channel if it is a packet's.
  struct Waiting {
    uint32_t registers;
    bool channel;
    Scope* scope;                 // the scope of the driver call that asked
    std::function<bool()> begin;  // with them reserved; false: something else is missing, and they go back
  };
  struct Common {
    RamBlock* block;  // which is what the scope's list knows
    uint32_t bytes;
    uint64_t bus;
    uint64_t mapping;
  };
  struct MapRegisters {
    Tracked tracked;
    uint32_t count;
    uint32_t used = 0;
    struct Transfer {
      uint64_t mapping;
      const MDL* mdl;
      uint64_t offset;
      uint32_t pages;
      bool write_to_device;
    };
    std::vector<Transfer> transfers;
  };
  struct Packet {
    DEVICE_OBJECT* device;
    PIRP irp;
    uint32_t count;
    PDRIVER_CONTROL routine;
    void* context;
  };
  struct ListWork {
    DEVICE_OBJECT* device;
    PIRP irp;
    Buffer buffer;
    PDRIVER_LIST_CONTROL routine;
    void* context;
    SCATTER_GATHER_LIST* list;
    bool own_memory;
  };
  struct List {
    Tracked tracked;
    uint64_t mapping;
    bool write_to_device;
    bool own_memory;
  };

  void wrong(Violation what, std::string sentence, base::StackId obtained = 0);
  // Of a buffer that pages() has accepted. Nothing when the device has no bus addresses left.
  std::optional<uint64_t> map_bytes(const Buffer& buffer, bool contiguous, uint32_t max_piece,
                                    std::vector<Iommu::Piece>& out);
  bool reserve(uint32_t registers);
  void give_back(uint32_t registers);
  // Something that is still in use, for PutDmaAdapter.
  const Tracked* left(const char** what) REQUIRES(lock_);
  std::vector<Tracked*> all_left() REQUIRES(lock_);

  // Waiting requests go on in the order of their arrival, each as soon as its map registers are free.
  void wait(Waiting waiting);
  void serve_waiting();
  std::optional<Waiting> next_served() REQUIRES(lock_);

  void begin_packet(const Packet& packet);
  void end_packet(const Packet& packet, void* base, ULONG action);
  // Why the transfer cannot have map registers of `base`, as the end of a sentence; else "".
  std::string add_transfer(void* base, const MapRegisters::Transfer& transfer);
  std::unique_ptr<MapRegisters> take_registers(void* base);
  // The part of the buffer that the next MapTransfer maps: all of it, or as many neighbouring pages as the seed gives.
  size_t next_transfer(const Buffer& buffer, uint32_t pages);
  void release(std::unique_ptr<MapRegisters> registers);

  bool begin_list(const ListWork& work);

  Machine& machine_;
  Iommu& iommu_;
  DEVICE_OBJECT& pdo_;
  DMA_ADAPTER& body_;
  const Facts facts_;

  base::Mutex<base::LockRank::Pool> lock_;
  Tracked tracked_;
  bool put_ GUARDED_BY(lock_) = false;
  base::StackId got_at_ = 0, put_at_ = 0;
  uint32_t free_registers_ GUARDED_BY(lock_);
  std::deque<Waiting> waiting_ GUARDED_BY(lock_);
  bool serving_ GUARDED_BY(lock_) = false;  // a thread goes through the queue
  bool channel_taken_ GUARDED_BY(lock_) = false;
  void* channel_base_ GUARDED_BY(lock_) = nullptr;        // whose routine returned KeepObject
  std::vector<DEVICE_OBJECT*> queued_ GUARDED_BY(lock_);  // devices whose routine has not returned
  std::map<uintptr_t, std::unique_ptr<Common>> common_ GUARDED_BY(lock_);
  std::map<void*, std::unique_ptr<MapRegisters>> registers_ GUARDED_BY(lock_);
  std::map<const SCATTER_GATHER_LIST*, std::unique_ptr<List>> lists_ GUARDED_BY(lock_);
  std::vector<std::unique_ptr<List>> lost_lists_ GUARDED_BY(lock_);  // never put, and their memory was used again
  std::map<const SCATTER_GATHER_LIST*, base::StackId> put_lists_ GUARDED_BY(lock_);  // where each was put last
};

}  // namespace nt
