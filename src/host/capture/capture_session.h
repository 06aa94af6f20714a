#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/capture/capture_script.h"
#include "host/capture/media_format.h"
#include "verifier/finding/finding.h"

namespace host {

struct CaptureOptions {
  std::string driver;  // path of the minidriver
  std::string device;  // of its hardware; empty: what lies beside it
  uint32_t pin = 0;    // counts over all filters of the driver
  std::optional<FormatRequest> format;
  uint32_t frames = 90;
  std::optional<CaptureScript> script;  // instead of running for so many frames
  std::string files;                    // folder of the host that holds the machine's files; empty: none
  uint64_t seed = 0;
  bool keep_going = false;  // after a finding that would end the run
};

struct CaptureResult {
  std::string usage_error;  // the caller's mistake, in one sentence
  std::string incomplete;   // why fewer frames came
  std::string format;       // what was agreed on, for people
  uint32_t frames = 0;      // that came
  uint64_t bytes = 0;
  uint64_t dropped = 0;            // as the driver counts them
  uint64_t virtual_ms = 0;         // of the machine's time
  std::vector<std::string> steps;  // of a script: what each of them gave
  std::vector<verifier::Finding> findings;
};

// Gets each frame as it comes. Returns an empty string, or why it wants no more frames: the caller's mistake.
using ShowFrame = std::function<std::string(const KSDATAFORMAT& format, std::span<const uint8_t> bytes)>;

// A program streams with a minidriver on a simulated machine. In this process, on the calling thread.
CaptureResult capture(const CaptureOptions& options, const ShowFrame& show);

// What `drydock capture --list` prints of a driver: device, filters, categories, pins, ranges, framing, flags, and what
// is wrong with its tables.
struct ListResult {
  std::string usage_error, incomplete, text;
  std::vector<verifier::Finding> findings;
};
ListResult list_streams(const std::string& driver, const std::string& device, const std::string& files);

struct ConnectOptions {
  std::string source, sink;  // paths; may be the same
  uint32_t source_pin = 0, sink_pin = 0;
  uint32_t frames = 90;
  uint64_t seed = 0;
};
struct ConnectResult {
  std::string usage_error, incomplete;
  uint64_t went_round = 0;          // frames that came back from the sink
  std::vector<std::string> ledger;  // of the allocators, a line each
  std::vector<verifier::Finding> findings;
};
// Connects a source to a sink in the kernel, and lets frames circulate until the requested number has passed.
ConnectResult connect_pins(const ConnectOptions& options);

}  // namespace host
