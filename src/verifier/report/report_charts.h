#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace verifier {

// How many bytes of something were in use, over simulated time.
struct UsePoint {
  uint64_t at_ns = 0;  // from here on, until the next point
  uint64_t bytes = 0;

  friend bool operator==(const UsePoint&, const UsePoint&) = default;
};
struct UseSeries {
  std::string name;  // "segment 2"
  uint64_t size_bytes = 0;
  std::vector<UsePoint> points;  // by time

  friend bool operator==(const UseSeries&, const UseSeries&) = default;
};

// When something was at work, over simulated time.
struct WorkInterval {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;  // not before from_ns
  std::string kind;    // "rendering", "paging": of each a colour
  std::string label;   // "fence 17"

  friend bool operator==(const WorkInterval&, const WorkInterval&) = default;
};
struct WorkSeries {
  std::string name;                     // "node 0"
  std::vector<WorkInterval> intervals;  // by from_ns; two that overlap are both drawn

  friend bool operator==(const WorkSeries&, const WorkSeries&) = default;
};

// What the memory and the engines of one run did.
struct Charts {
  std::string run;  // which one, as a reader names it: "softgpu.so, vidmm/pressure --seed 0"
  uint64_t end_ns = 0;
  std::vector<UseSeries> memory;  // one per segment
  std::vector<WorkSeries> work;   // one per node

  bool empty() const { return memory.empty() && work.empty(); }

  friend bool operator==(const Charts&, const Charts&) = default;
};

}  // namespace verifier
