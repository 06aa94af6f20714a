#include "verifier/report/report_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string_view>

#include "verifier/report/report_escape.h"

// Everything is laid out in whole pixels of a picture of fixed width, which the page scales:
//
//   legend
//   left   kPlotWidth                     right
//   label |=== plot ======================|        one panel (memory) or lane (work) per series
//         |---|---|---|---|---|---|---|---|        time axis
//
// A run can have many thousands of points: what falls into one column of pixels is drawn once.
namespace verifier {
namespace {

constexpr int kLeft = 90, kRight = 20, kPlotWidth = 790, kWidth = kLeft + kPlotWidth + kRight;
constexpr int kLegendLine = 20, kTop = 8;
constexpr int kPanelHeight = 90, kPanelGap = 22;
constexpr int kLaneHeight = 20, kLaneGap = 10;
constexpr int kAxisHeight = 40;

// --- Axes ---

// A round step of which at most `most` make up `whole`: 1, 2 or 5 times a power of ten, or a power of two.
uint64_t decimal_step(uint64_t whole, uint64_t most) {
  uint64_t step = 1;
  for (uint64_t factors[] = {2, 5, 10}, power = 1;; power *= 10) {
    for (uint64_t factor : factors) {
      if (whole / step <= most) return step;
      step = power * factor;
    }
  }
}
uint64_t binary_step(uint64_t whole, uint64_t most) { return std::bit_ceil(std::max<uint64_t>(1, whole / most)); }

std::string scaled(uint64_t value, uint64_t unit, const char* name) {
  std::string number = fmt::format("{:.2f}", static_cast<double>(value) / static_cast<double>(unit));
  number.erase(number.find_last_not_of('0') + 1);
  if (number.ends_with('.')) number.pop_back();
  return fmt::format("{} {}", number, name);
}

std::string line(const char* style, int x1, int y1, int x2, int y2) {
  return fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", style, x1, y1, x2, y2);
}
std::string words(int x, int y, const char* anchor, const std::string& what) {
  return fmt::format("<text class=\"label\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escaped(what));
}

// Where a moment lies, in pixels from the plot's left edge.
class TimeAxis {
 public:
  explicit TimeAxis(uint64_t end_ns) : end_ns_(std::max<uint64_t>(1, end_ns)) {}

  double at(uint64_t ns) const {
    return static_cast<double>(std::min(ns, end_ns_)) * kPlotWidth / static_cast<double>(end_ns_);
  }
  int column(uint64_t ns) const { return static_cast<int>(at(ns)); }

  // Lines across the plot from `top` to `bottom`, with the times below.
  std::string svg(int top, int bottom) const {
    std::string out = line("axis", kLeft, bottom, kLeft + kPlotWidth, bottom);
    uint64_t step = decimal_step(end_ns_, 8);
    for (uint64_t i = 0; i <= end_ns_ / step; ++i) {
      int x = kLeft + column(i * step);
      out += line("grid", x, top, x, bottom + 4) + words(x, bottom + 17, "middle", time_text(i * step));
    }
    return out + words(kLeft + kPlotWidth / 2, bottom + 33, "middle", "simulated time");
  }

 private:
  uint64_t end_ns_;
};

struct LegendEntry {
  size_t colour;
  std::string what;
};
std::string legend_svg(const std::vector<LegendEntry>& entries) {
  std::string out;
  int y = kTop;
  for (const LegendEntry& entry : entries) {
    out += fmt::format("<rect class=\"s{}\" x=\"{}\" y=\"{}\" width=\"12\" height=\"12\"/>\n",
                       entry.colour % kSeriesColours, kLeft, y);
    out += words(kLeft + 18, y + 11, "start", entry.what);
    y += kLegendLine;
  }
  return out;
}

std::string picture(int height, const std::string& title, const std::string& inside) {
  return fmt::format(
      "<svg role=\"img\" viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\">\n<title>{}</title>\n{}</svg>\n", kWidth,
      height, kWidth, height, escaped(title), inside);
}

// --- Memory ---

// What happened in one column of pixels.
struct Column {
  int x;
  uint64_t low, high, last;
};
std::vector<Column> columns_of(const UseSeries& series, const TimeAxis& time) {
  std::vector<Column> columns;
  for (const UsePoint& point : series.points) {
    int x = time.column(point.at_ns);
    if (columns.empty() || columns.back().x != x) columns.push_back({x, point.bytes, point.bytes, point.bytes});
    Column& column = columns.back();
    column = {x, std::min(column.low, point.bytes), std::max(column.high, point.bytes), point.bytes};
  }
  return columns;
}

uint64_t peak_of(const UseSeries& series) {
  uint64_t peak = 0;
  for (const UsePoint& point : series.points) peak = std::max(peak, point.bytes);
  return peak;
}

// A staircase, closed at the bottom: one path for the area and one for the line.
std::string panel_svg(const UseSeries& series, size_t colour, const TimeAxis& time, int top) {
  uint64_t peak = std::max<uint64_t>(1, peak_of(series));
  uint64_t step = binary_step(peak, 3), steps = (peak - 1) / step + 1;
  double whole = static_cast<double>(step) * static_cast<double>(steps);
  int bottom = top + kPanelHeight;
  auto y = [&](uint64_t bytes) { return bottom - static_cast<int>(static_cast<double>(bytes) * kPanelHeight / whole); };
  std::string out = words(kLeft, top - 6, "start", series.name);
  for (uint64_t i = 0; i <= steps; ++i) {
    int at = y(i * step);
    out += line("grid", kLeft, at, kLeft + kPlotWidth, at) + words(kLeft - 8, at + 4, "end", bytes_text(i * step));
  }
  out += line("axis", kLeft, top, kLeft, bottom);
  std::vector<Column> columns = columns_of(series, time);
  if (columns.empty()) return out;
  std::string path;
  for (const Column& column : columns) {
    int x = kLeft + column.x;
    path += path.empty() ? fmt::format("M{} {}", x, y(column.low)) : fmt::format("H{}", x);
    path += fmt::format("V{}V{}V{}", y(column.high), y(column.low), y(column.last));
  }
  path += fmt::format("H{}", kLeft + kPlotWidth);
  out += fmt::format("<path class=\"s{} area\" d=\"{}V{}H{}Z\"/>\n", colour % kSeriesColours, path, bottom,
                     kLeft + columns.front().x);
  return out + fmt::format("<path class=\"s{} line\" d=\"{}\"/>\n", colour % kSeriesColours, path);
}

// --- Work ---

std::vector<std::string> kinds_of(const Charts& charts) {
  std::vector<std::string> kinds;
  for (const WorkSeries& series : charts.work) {
    for (const WorkInterval& interval : series.intervals) {
      if (std::ranges::find(kinds, interval.kind) == kinds.end()) kinds.push_back(interval.kind);
    }
  }
  std::ranges::sort(kinds);
  return kinds;
}

// Packets of one kind that cannot be distinguished at this size.
struct Bar {
  const WorkInterval* first;
  uint64_t to_ns;
  size_t packets;
};
std::vector<Bar> bars_of(const WorkSeries& series, const TimeAxis& time) {
  constexpr double kTold = 1.0;  // pixels
  std::vector<Bar> bars;
  for (const WorkInterval& interval : series.intervals) {
    if (!bars.empty()) {
      Bar& last = bars.back();
      bool close = time.at(interval.from_ns) - time.at(last.to_ns) < kTold &&
                   time.at(interval.to_ns) - time.at(last.to_ns) < kTold;
      if (close && last.first->kind == interval.kind) {
        last.to_ns = std::max(last.to_ns, interval.to_ns);
        ++last.packets;
        continue;
      }
    }
    bars.push_back({&interval, interval.to_ns, 1});
  }
  return bars;
}

std::string lane_svg(const WorkSeries& series, const std::vector<std::string>& kinds, const TimeAxis& time, int top) {
  std::string out = words(kLeft - 8, top + 14, "end", series.name);
  out += line("grid", kLeft, top + kLaneHeight, kLeft + kPlotWidth, top + kLaneHeight);
  for (const Bar& bar : bars_of(series, time)) {
    auto colour = std::ranges::find(kinds, bar.first->kind) - kinds.begin();
    double width = std::max(1.0, time.at(bar.to_ns) - time.at(bar.first->from_ns));
    std::string what = bar.packets == 1 ? bar.first->label : fmt::format("{} packets", bar.packets);
    out += fmt::format(
        "<rect class=\"s{}\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\"><title>{}, {}: {} to "
        "{}</title></rect>\n",
        colour % kSeriesColours, kLeft + time.at(bar.first->from_ns), top, width, kLaneHeight, escaped(what),
        escaped(bar.first->kind), time_text(bar.first->from_ns), time_text(bar.to_ns));
  }
  return out;
}

uint64_t busy_ns(const Charts& charts, const std::string& kind) {
  uint64_t sum = 0;
  for (const WorkSeries& series : charts.work) {
    for (const WorkInterval& interval : series.intervals) {
      if (interval.kind == kind) sum += interval.to_ns - interval.from_ns;
    }
  }
  return sum;
}

}  // namespace

std::string bytes_text(uint64_t bytes) {
  if (bytes >= uint64_t{1} << 30) return scaled(bytes, uint64_t{1} << 30, "GiB");
  if (bytes >= uint64_t{1} << 20) return scaled(bytes, uint64_t{1} << 20, "MiB");
  if (bytes >= uint64_t{1} << 10) return scaled(bytes, uint64_t{1} << 10, "KiB");
  return fmt::format("{} B", bytes);
}

std::string time_text(uint64_t ns) {
  if (ns == 0) return "0";
  if (ns >= 1'000'000'000) return scaled(ns, 1'000'000'000, "s");
  if (ns >= 1'000'000) return scaled(ns, 1'000'000, "ms");
  if (ns >= 1'000) return scaled(ns, 1'000, "µs");
  return fmt::format("{} ns", ns);
}

std::string memory_svg(const Charts& charts) {
  if (charts.memory.empty()) return {};
  TimeAxis time(charts.end_ns);
  std::vector<LegendEntry> legend;
  std::string panels;
  int first = kTop + kLegendLine * static_cast<int>(charts.memory.size()) + kPanelGap, top = first;
  for (size_t i = 0; i < charts.memory.size(); ++i) {
    const UseSeries& series = charts.memory[i];
    legend.push_back({i, fmt::format("{}: at most {} of {} in use", series.name, bytes_text(peak_of(series)),
                                     bytes_text(series.size_bytes))});
    panels += panel_svg(series, i, time, top);
    top += kPanelHeight + kPanelGap;
  }
  int bottom = top - kPanelGap;
  return picture(bottom + kAxisHeight, "memory in use, per segment, over simulated time",
                 legend_svg(legend) + time.svg(first, bottom) + panels);
}

std::string work_svg(const Charts& charts) {
  if (charts.work.empty()) return {};
  TimeAxis time(charts.end_ns);
  std::vector<std::string> kinds = kinds_of(charts);
  std::vector<LegendEntry> legend;
  for (size_t i = 0; i < kinds.size(); ++i) {
    legend.push_back({i, fmt::format("{}: {} in all", kinds[i], time_text(busy_ns(charts, kinds[i])))});
  }
  std::string lanes;
  int first = kTop + kLegendLine * static_cast<int>(legend.size()) + kLaneGap, top = first;
  for (const WorkSeries& series : charts.work) {
    lanes += lane_svg(series, kinds, time, top);
    top += kLaneHeight + kLaneGap;
  }
  int bottom = top - kLaneGap;
  return picture(bottom + kAxisHeight, "work of each node over simulated time",
                 legend_svg(legend) + time.svg(first, bottom) + lanes);
}

}  // namespace verifier
