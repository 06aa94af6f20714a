#include "tools/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

namespace tools {
namespace {

constexpr auto kBetweenDrawings = std::chrono::milliseconds(50);
constexpr int kBarWidth = 24;

}  // namespace

Progress::Progress(std::string driver, size_t scenarios)
    : driver_(std::filesystem::path(driver).filename().string()),
      scenarios_(scenarios),
      terminal_(isatty(STDERR_FILENO)) {}

Progress::~Progress() { erase(); }

host::Watch Progress::watch() {
  return {[this](const host::Scenario& scenario, uint64_t done, uint64_t total) { advanced(scenario, done, total); },
          [this](const verifier::Finding& finding) { found(finding); }};
}

void Progress::advanced(const host::Scenario& scenario, uint64_t done, uint64_t total) {
  ++done_;
  each_total_ = total;
  if (!terminal_) {
    if (done == total) fmt::print(stderr, "ran {} {}: {} seeds\n", driver_, scenario.name, total);
    return;
  }
  auto now = std::chrono::steady_clock::now();
  if (now - drawn_ < kBetweenDrawings) return;
  drawn_ = now;
  draw(scenario);
}

void Progress::draw(const host::Scenario& scenario) {
  uint64_t all = each_total_ * scenarios_;
  int filled = all ? static_cast<int>(done_ * kBarWidth / all) : 0;
  fmt::print(stderr, "\r\033[K[{:=<{}}{: <{}}] {} {}", "", filled, "", kBarWidth - filled, driver_, scenario.name);
  std::fflush(stderr);
}

void Progress::found(const verifier::Finding& finding) {
  erase();
  fmt::print(stderr, "found {}: {} ({} --seed {})\n", finding.rule, finding.sentence, finding.run.scenario,
             finding.run.seed);
}

void Progress::erase() const {
  if (terminal_) fmt::print(stderr, "\r\033[K");
}

}  // namespace tools
