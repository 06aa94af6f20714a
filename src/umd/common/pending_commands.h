#pragma once

#include <boost/container/small_vector.hpp>
#include <optional>
#include <span>
#include <vector>

#include "umd/common/resource.h"

namespace umd {

// What a command asks of the engine that carries it out.
enum class Work : uint8_t { Any, Draw };

// What is known about the contents of a submission without knowing the driver's commands.
struct Submission {
  bool can_draw = true;  // it goes to an engine that draws
  // MemoryUse::id of all memory that its commands use, where it has a list of allocations.
  std::optional<std::span<const uint64_t>> memory{};
};

// The commands that a driver was told, and which of them submissions cover. Owned by its device; guarded by the
// runtime's lock.
//
// Each command gets a number, which is stored with all memory that it uses. A submission covers all commands that came
// before it. Of a device with several contexts it covers no draw that cannot be in it: one for an engine that does not
// draw contains no draw; one with a list of allocations contains no draw all of whose memory is known and is not on the
// list. Draws alone: any engine may copy, and a driver may copy, fill and clear without the GPU.
class PendingCommands {
 public:
  // How many submissions there were, to see whether there was one in between.
  struct Count {
    uint64_t all = 0;
    uint64_t drawing = 0;  // those that may contain draws
  };
  Count count() const { return count_; }

  // The driver was told a command that uses these, in a call at whose begin there had been `before` submissions: what
  // was submitted meanwhile may contain the command or not, and is believed to.
  void add(Work work, std::span<Resource* const> resources, const Count& before, bool several_contexts);
  void submitted(const Submission& submission);
  // The driver may drop all of them.
  void forget();
  bool pending(const MemoryUse& use) const;

 private:
  struct Draw {
    boost::container::small_vector<uint64_t, 8> memory;  // MemoryUse::id
    bool all_known;                                      // which allocations hold it
  };
  void note_draw(std::span<Resource* const> resources);

  uint64_t commands_ = 0;
  uint64_t covered_ = 0;     // commands up to this one have been submitted, but for those in draws_
  std::vector<Draw> draws_;  // that no submission covers; of a device with several contexts
  Count count_;
};

}  // namespace umd
