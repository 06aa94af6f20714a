#pragma once

#include <vector>

#include "verifier/finding/finding.h"

namespace verifier {

// For tests: a finding as a driver `mill.so` would make it, and names for some of its frames.
inline Frame frame_at(const char* module, uint64_t offset, bool driver) {
  Frame frame;
  frame.module = module;
  frame.offset = offset;
  frame.driver = driver;
  return frame;
}

inline Finding sample_finding() {
  Finding finding;
  finding.rule = "NT-IRQL-03";
  finding.sentence = "KeWaitForSingleObject at DISPATCH_LEVEL may block";
  finding.thread = "main";
  finding.thread_ordinal = 1;
  finding.irql = 2;
  finding.in_call = "DpcRoutine";
  finding.stacks.push_back({"here",
                            {frame_at("drydock", 0x100, false), frame_at("mill.so", 0x1f40, true),
                             frame_at("mill.so", 0x2000, true), frame_at("drydock", 0x300, false)}});
  finding.run = {"build/mill.so", "load", 7, "random", "", 0};
  return finding;
}

class FakeNames final : public Names {
 public:
  std::vector<base::SourceFrame> resolve(const Frame& frame) override {
    if (frame.module == "drydock" && frame.offset == 0x100) return {{"KeWaitForSingleObject", "ke_wait.cc", 81, false}};
    if (frame.module == "drydock" && frame.offset == 0x200) return {{"__sanitizer_cov_trace_pc_guard", "", 0, false}};
    if (frame.module == "drydock") return {{"nt::DriverCall::call", "door.cc", 12, false}};
    if (frame.offset == 0x1f40) return {{"wait_for_it", "src/mill.c", 31, true}, {"on_dpc", "src/mill.c", 52, false}};
    if (frame.offset == 0x2100) return {{"DriverEntry", "", 0, false}};
    return {};
  }
};

}  // namespace verifier
