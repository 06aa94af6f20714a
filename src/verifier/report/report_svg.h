#pragma once

#include <string>

#include "verifier/report/report_charts.h"

// Charts as SVG that stands in a page. Colours are the page's: classes s0 … s5 for series, `axis`, `grid`, `label`.
namespace verifier {

inline constexpr int kSeriesColours = 6;

// A panel per segment, bytes in use over simulated time, with one time axis below; empty without memory.
std::string memory_svg(const Charts& charts);
// A lane per node, a bar for each packet that ran there; empty without work.
std::string work_svg(const Charts& charts);

// "1.5 MiB", "20 µs".
std::string bytes_text(uint64_t bytes);
std::string time_text(uint64_t ns);

}  // namespace verifier
