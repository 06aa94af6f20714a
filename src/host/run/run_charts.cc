#include "host/run/run_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "trace/reader.h"

namespace host {
namespace {

// Which segment or node: of the adapter with this LUID.
using Place = std::pair<uint32_t, uint32_t>;

class Collector {
 public:
  void take(const trace::Record& record) {
    charts_.end_ns = std::max(charts_.end_ns, record.context().time_ns);
    if (record.is<trace::SegmentUse>()) take(record.as<trace::SegmentUse>(), record.context().time_ns);
    if (record.is<trace::NodeWork>()) take(record.as<trace::NodeWork>(), record.context().time_ns);
  }

  verifier::Charts finish() {
    for (auto& [place, node] : nodes_) end_interval(node, charts_.end_ns);
    for (auto& [place, series] : segments_) {
      series.name = name_of(place, "segment");
      charts_.memory.push_back(std::move(series));
    }
    for (auto& [place, node] : nodes_) {
      node.series.name = name_of(place, "node");
      charts_.work.push_back(std::move(node.series));
    }
    return std::move(charts_);
  }

 private:
  struct Node {
    verifier::WorkSeries series;
    bool busy = false;
    verifier::WorkInterval now;
  };

  void take(const trace::SegmentUse& use, uint64_t now) {
    adapters_.try_emplace(use.adapter, adapters_.size() + 1);
    verifier::UseSeries& series = segments_[{use.adapter, use.segment}];
    series.size_bytes = use.size;
    series.points.push_back({now, use.used});
  }

  void take(const trace::NodeWork& work, uint64_t now) {
    adapters_.try_emplace(work.adapter, adapters_.size() + 1);
    Node& node = nodes_[{work.adapter, work.node}];
    end_interval(node, now);
    node.busy = work.fence != 0;
    node.now = {now, now, work.paging ? "paging" : "rendering", fmt::format("fence {}", work.fence)};
  }

  static void end_interval(Node& node, uint64_t now) {
    if (!std::exchange(node.busy, false)) return;
    node.now.to_ns = now;
    node.series.intervals.push_back(node.now);
  }

  std::string name_of(const Place& place, const char* what) const {
    if (adapters_.size() == 1) return fmt::format("{} {}", what, place.second);
    return fmt::format("adapter {}, {} {}", adapters_.at(place.first), what, place.second);
  }

  verifier::Charts charts_;
  std::map<uint32_t, size_t> adapters_;  // LUID -> a number, in the order of their appearance
  std::map<Place, verifier::UseSeries> segments_;
  std::map<Place, Node> nodes_;
};

}  // namespace

verifier::Charts charts_of(std::vector<std::byte> trace) {
  trace::Reader reader(std::move(trace));
  Collector collector;
  while (auto record = reader.next()) collector.take(*record);
  return collector.finish();
}

}  // namespace host
