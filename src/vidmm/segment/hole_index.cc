#include "vidmm/segment/hole_index.h"

#include <algorithm>
#include <bit>
#include <queue>
#include <tuple>

#include "base/check.h"

namespace vidmm {
namespace {

constexpr uint64_t kChunkPages = 64;      // at least
constexpr uint32_t kLittleEffort = 64;    // chunks
constexpr uint64_t kPagesPerChange = 32;  // of the segment: with more changes than that a table is made anew

// UINT64_MAX, which is in no segment, if there is no such offset.
uint64_t align_up(uint64_t offset, uint64_t alignment) {
  uint64_t beyond = std::has_single_bit(alignment) ? offset & (alignment - 1) : offset % alignment;
  if (beyond == 0) return offset;
  uint64_t missing = alignment - beyond;
  return missing > UINT64_MAX - offset ? UINT64_MAX : offset + missing;
}

uint64_t reach(const HoleRequest& request) { return request.bytes + request.alignment; }

}  // namespace

// The bounds of all chunks as a tree: node i is the lesser of nodes 2i and 2i + 1, and the leaves are the chunks.
struct HoleIndex::Table {
  Table(const Kind& about, const Segment& segment)
      : kind(about),
        chunk_bytes(std::bit_ceil(std::max(kChunkPages * segment.page_bytes, reach(about.request)))),
        chunks(static_cast<size_t>((segment.space.size() + chunk_bytes - 1) / chunk_bytes)),
        leaves(std::bit_ceil(std::max<size_t>(chunks, 1))),
        nodes(2 * leaves) {}

  void set(size_t chunk, const Bound& bound) {
    size_t node = leaves + chunk;
    nodes[node] = bound;
    while (node > 1) {
      node /= 2;
      const Bound& lesser = std::min(nodes[2 * node], nodes[2 * node + 1]);
      if (nodes[node] == lesser) return;
      nodes[node] = lesser;
    }
  }
  // The first chunk below a node.
  size_t first_chunk(size_t node) const {
    size_t below = static_cast<size_t>(std::countl_zero(node) - std::countl_zero(leaves));
    return (node << below) - leaves;
  }

  const Kind kind;
  const uint64_t chunk_bytes;
  const size_t chunks;
  const size_t leaves;
  std::vector<Bound> nodes;
  size_t seen = 0;  // of the log
};

HoleIndex::HoleIndex(const Segment& segment, const EvictionOrder& victims)
    : segment_(segment),
      victims_(victims),
      page_shift_(std::countr_zero(segment.page_bytes)),
      log_limit_(std::max<size_t>(1024, segment.space.size() / segment.page_bytes / kPagesPerChange)) {}
HoleIndex::~HoleIndex() = default;

// --- What changes ---

void HoleIndex::note(const Extent& extent) {
  if (log_.size() == log_limit_) {
    size_t oldest = log_limit_ / 2;
    std::erase_if(tables_, [&](const auto& table) { return table->seen < oldest; });
    size_t seen = log_.size();
    for (const auto& table : tables_) seen = std::min(seen, table->seen);
    log_.erase(log_.begin(), log_.begin() + static_cast<ptrdiff_t>(seen));
    for (const auto& table : tables_) table->seen -= seen;
    if (tables_.empty()) return;
  }
  log_.push_back(extent);
}

void HoleIndex::bring_up_to_date(Table& table) {
  if (table.seen == log_.size()) return;
  std::vector<size_t> changed;
  for (; table.seen < log_.size(); ++table.seen) {
    const Extent& extent = log_[table.seen];
    uint64_t before = std::min(extent.offset, reach(table.kind.request));
    size_t last = std::min<size_t>(static_cast<size_t>(extent.end() / table.chunk_bytes), table.chunks - 1);
    for (auto chunk = static_cast<size_t>((extent.offset - before) / table.chunk_bytes); chunk <= last; ++chunk) {
      if (changed.empty() || changed.back() != chunk) changed.push_back(chunk);
    }
  }
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  for (size_t chunk : changed) {
    uint64_t begin = chunk * table.chunk_bytes;
    table.set(chunk, sweep(table.kind, begin, begin + table.chunk_bytes, nullptr).bound);
  }
}

// --- One chunk ---

// False: the block cannot be evicted.
bool HoleIndex::weigh(const SegmentSpace::Step& step, uint32_t highest_class, const Claim* claim, Bound& sum) const {
  if (step.kind == SegmentSpace::Step::Kind::Gap) return true;
  if (step.kind == SegmentSpace::Step::Kind::Carved) return false;
  const auto& block = *static_cast<const Block*>(segment_.space.owner(step.block));
  uint32_t tier = EvictionOrder::tier(block);
  if (!EvictionOrder::in_class(tier, highest_class)) return false;
  if (claim && !victims_.may_go(block, *claim)) return false;
  sum.cost += step.extent.bytes >> page_shift_ << (2 * tier);
  ++sum.count;
  return true;
}

// A window slides over the pieces, its left edge from piece to piece. A hole that begins elsewhere in its first piece
// than at the first aligned offset costs no less.
HoleIndex::Found HoleIndex::sweep(const Kind& kind, uint64_t begin, uint64_t end, const Claim* claim) const {
  const SegmentSpace& space = segment_.space;
  const HoleRequest& request = kind.request;
  Found best;
  begin = std::max(begin, request.begin);
  if (begin >= end) return best;
  uint32_t left = space.first_at(begin);
  if (space.at_end(left)) return best;
  // The piece around the chunk's first byte begins in an earlier one, unless the request does not.
  if (begin != request.begin && space.step(left).extent.offset < begin) left = space.next_of(left);
  uint32_t right = left;  // pieces [left, right) are in the window
  uint64_t right_end = 0;
  Bound sum{0, 0};
  while (!space.at_end(left)) {
    SegmentSpace::Step first = space.step(left);
    uint64_t home = std::max(first.extent.offset, request.begin);
    uint64_t offset = align_up(home, request.alignment);
    if (home >= end || offset >= request.end || request.bytes > request.end - offset) break;
    if (offset < first.extent.end()) {
      bool blocked = false;
      while (left == right || right_end < offset + request.bytes) {
        blocked = space.at_end(right);
        if (blocked) break;
        SegmentSpace::Step added = space.step(right);
        right = space.next_of(right);
        right_end = added.extent.end();
        blocked = !weigh(added, kind.highest_class, claim, sum);
        if (blocked) break;
      }
      if (blocked) {
        // Nothing that begins before what stays reaches over it.
        left = right;
        sum = {0, 0};
        continue;
      }
      if (sum < best.bound) best = {sum, offset};
    }
    if (left == right) {
      right = space.next_of(right);
    } else {
      Bound dropped{0, 0};
      weigh(first, kind.highest_class, nullptr, dropped);
      sum.cost -= dropped.cost;
      sum.count -= dropped.count;
    }
    left = space.next_of(left);
  }
  return best;
}

// --- Searches ---

void HoleIndex::use(size_t table) {
  auto at = tables_.begin() + static_cast<ptrdiff_t>(table);
  std::rotate(tables_.begin(), at, at + 1);
}

HoleIndex::Table& HoleIndex::table_for(const Kind& kind) {
  if (tables_.size() == kTables) tables_.pop_back();
  if (tables_.empty()) log_.clear();
  auto table = std::make_unique<Table>(kind, segment_);
  table->seen = log_.size();
  for (size_t chunk = 0; chunk < table->chunks; ++chunk) {
    uint64_t begin = chunk * table->chunk_bytes;
    table->nodes[table->leaves + chunk] = sweep(kind, begin, begin + table->chunk_bytes, nullptr).bound;
  }
  for (size_t node = table->leaves; --node > 0;) {
    table->nodes[node] = std::min(table->nodes[2 * node], table->nodes[2 * node + 1]);
  }
  tables_.insert(tables_.begin(), std::move(table));
  return *tables_.front();
}

// The exact table or, of those for smaller requests, that for the largest. It is moved to the front.
HoleIndex::Table* HoleIndex::smaller_table(const Kind& kind) {
  size_t best = tables_.size();
  for (size_t i = 0; i < tables_.size(); ++i) {
    const HoleRequest& had = tables_[i]->kind.request;
    const HoleRequest& asked = kind.request;
    if (tables_[i]->kind.highest_class != kind.highest_class) continue;
    if (had.begin != asked.begin || had.end != asked.end || asked.alignment % had.alignment != 0) continue;
    if (had.bytes > asked.bytes) continue;
    if (best == tables_.size() ||
        std::tie(had.bytes, had.alignment) >
            std::tie(tables_[best]->kind.request.bytes, tables_[best]->kind.request.alignment)) {
      best = i;
    }
  }
  if (best == tables_.size()) return nullptr;
  use(best);
  return tables_.front().get();
}

bool HoleIndex::search(Table& table, const Kind& kind, const Claim& claim, Effort effort, std::optional<Hole>& hole) {
  struct Candidate {
    Bound bound;
    size_t chunk;  // the first below the node
    size_t node;
    bool operator>(const Candidate& other) const { return std::tie(bound, chunk) > std::tie(other.bound, other.chunk); }
  };
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  auto push = [&](size_t node) {
    if (table.nodes[node].cost != UINT64_MAX) queue.push({table.nodes[node], table.first_chunk(node), node});
  };
  Found best;
  size_t best_chunk = 0;
  uint32_t swept = 0;
  push(1);
  while (!queue.empty()) {
    Candidate next = queue.top();
    queue.pop();
    if (std::tie(next.bound, next.chunk) > std::tie(best.bound, best_chunk)) break;
    if (next.node < table.leaves) {
      push(2 * next.node);
      push(2 * next.node + 1);
      continue;
    }
    if (effort == Effort::Little && ++swept > kLittleEffort) return false;
    uint64_t begin = next.chunk * table.chunk_bytes;
    Found found = sweep(kind, begin, begin + table.chunk_bytes, &claim);
    if (found.bound.cost == UINT64_MAX) continue;
    if (std::tie(found.bound, next.chunk) > std::tie(best.bound, best_chunk)) continue;
    best = found;
    best_chunk = next.chunk;
  }
  if (best.bound.cost != UINT64_MAX) hole = Hole{{best.offset, kind.request.bytes}, best.bound.cost, best.bound.count};
  return true;
}

std::optional<HoleIndex::Hole> HoleIndex::find(const HoleRequest& request, uint32_t highest_class, const Claim& claim) {
  CHECK(request.bytes != 0 && request.alignment != 0);
  Kind kind{request, highest_class};
  kind.request.end = std::min(request.end, segment_.space.size());
  std::optional<Hole> hole;
  if (Table* table = smaller_table(kind)) {
    bring_up_to_date(*table);
    const HoleRequest& had = table->kind.request;
    bool exact = had.bytes == request.bytes && had.alignment == request.alignment;
    if (search(*table, kind, claim, exact ? Effort::Whatever : Effort::Little, hole)) return hole;
  }
  search(table_for(kind), kind, claim, Effort::Whatever, hole);
  return hole;
}

std::optional<HoleIndex::Hole> HoleIndex::find_around(const HoleRequest& request, uint32_t highest_class,
                                                      const Claim& claim, const std::vector<Victim>& candidates) {
  std::vector<Extent> ranges;
  for (const Victim& candidate : candidates) {
    for (const Extent& extent : candidate.block->place().extents) {
      uint64_t before = std::min(extent.offset, reach(request));
      ranges.push_back({extent.offset - before, before + extent.bytes});
    }
  }
  std::sort(ranges.begin(), ranges.end(), [](const Extent& a, const Extent& b) { return a.offset < b.offset; });
  Found best;
  uint64_t done = 0;
  for (const Extent& range : ranges) {
    uint64_t begin = std::max(range.offset, done);
    done = std::max(done, range.end());
    if (begin >= done) continue;
    Found found = sweep({request, highest_class}, begin, done, &claim);
    if (found.bound < best.bound) best = found;
  }
  if (best.bound.cost == UINT64_MAX) return std::nullopt;
  return Hole{{best.offset, request.bytes}, best.bound.cost, best.bound.count};
}

void HoleIndex::blocks_in(const Extent& extent, std::vector<Block*>& out) const {
  const SegmentSpace& space = segment_.space;
  for (uint32_t at = space.first_at(extent.offset); !space.at_end(at); at = space.next_of(at)) {
    SegmentSpace::Step step = space.step(at);
    if (step.extent.offset >= extent.end()) break;
    if (step.kind == SegmentSpace::Step::Kind::Live) out.push_back(static_cast<Block*>(space.owner(at)));
  }
}

}  // namespace vidmm
