#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace host {

// One line of a script for `drydock capture`: what a program does to its stream, and to the device.
struct CaptureStep {
  enum class Verb : uint8_t {
    Stop,  // the four states
    Acquire,
    Pause,
    Run,
    Read,    // N frames, one after the other, kept in flight and shown
    Send,    // N requests, without waiting
    Wait,    // for N of those that were sent
    Cancel,  // all that are under way
    ResetBegin,
    ResetEnd,
    HeaderBytes,  // of the headers that are sent from now on
    FrameBytes,   // of the frames
    Rest,         // N milliseconds
    Sleep,        // the device, and back
    Wake,
    Remove,  // the hardware is pulled out
  };
  Verb verb;
  uint32_t number;
  uint32_t line;
};

// Lines of a verb and perhaps a number; # begins a comment. What is wrong is told with the line: "line 3: …".
struct CaptureScript {
  static base::Expected<CaptureScript, std::string> parse(const std::string& text);
  std::vector<CaptureStep> steps;
};
const char* to_string(CaptureStep::Verb verb);

}  // namespace host
