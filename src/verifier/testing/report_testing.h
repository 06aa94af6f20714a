#pragma once

#include <string>
#include <vector>

#include "verifier/report/report.h"
#include "verifier/testing/testing.h"

namespace verifier {

// For tests: a report as a check of two drivers would make it. The first driver has two findings, one of them with
// everything that a finding can have; the second has none.
inline Finding named_sample() {
  Finding finding = sample_finding();
  FakeNames names;
  symbolize(finding, names);
  return finding;
}

inline Finding sample_leak() {
  Finding finding = named_sample();
  finding.rule = "NT-LEAK-01";
  finding.sentence = "a pool block obtained in driver mill was never given back";
  finding.in_call = "";
  finding.irql = 0;
  finding.stacks = {{"obtained", {frame_at("mill.so", 0x2100, true), frame_at("drydock", 0x300, false)}}};
  FakeNames names;
  symbolize(finding, names);
  finding.run.seed = 0;
  finding.runs = 64;
  finding.times = 128;
  return finding;
}

inline Report sample_report() {
  Report report;
  report.tool_version = "1.2.3";
  CheckedDriver& driver = report.drivers.emplace_back();
  driver.path = "build/mill.so";
  driver.scenarios = {{.name = "load", .seeds = 64, .failing_seeds = 64, .outcome = Outcome::Found}};
  driver.findings = {sample_leak(), named_sample()};
  driver.findings[1].runs = driver.findings[1].times = 3;
  return report;
}

inline Charts sample_charts() {
  Charts charts;
  charts.run = "gpu.so, vidmm/pressure --seed 0";
  charts.end_ns = 1'000'000;
  charts.memory = {{"segment 1", 64 << 20, {{0, 0}, {100'000, 8 << 20}, {700'000, 32 << 20}, {900'000, 0}}},
                   {"segment 2", 256 << 20, {{0, 4096}, {500'000, 8192}}}};
  charts.work = {{"node 0", {{100'000, 400'000, "rendering", "fence 1"}, {400'000, 500'000, "paging", "fence 2"}}},
                 {"node 1", {{600'000, 1'000'000, "rendering", "fence 1"}}}};
  return charts;
}

inline Report full_report() {
  Report report = sample_report();
  report.command_line = "drydock check build/mill.so 'my gpu.so' --report r.html";
  CheckedDriver& mill = report.drivers[0];
  mill.kind = "driver";
  mill.scenarios[0].milliseconds = 1250;
  mill.not_run = {{"nt/power", "the driver has no <power> routine"}};
  Finding& wait = mill.findings[1];
  wait.call = "DpcRoutine(Dpc = 1, Context = \"<none>\")";
  wait.history = {"event 3 was made by DriverEntry", "event 3 was set & reset"};
  wait.read_next = {"drydock explain NT-IRQL-03", "https://learn.microsoft.com/windows-hardware/drivers/x?a=1&b=2"};
  CheckedDriver& gpu = report.drivers.emplace_back();
  gpu.path = "my gpu.so";
  gpu.kind = "kernel-mode display driver";
  gpu.profile = "WDDM 2.0";
  gpu.scenarios = {{.name = "vidmm/pressure", .seeds = 40, .activity = {.ddi_calls = 1234}, .milliseconds = 300},
                   {.name = "vidsch/preemption", .seeds = 40, .activity = {.ddi_calls = 99}, .milliseconds = 60}};
  gpu.faults = FaultCounts{17, 2};
  report.charts = {sample_charts()};
  return report;
}

// One scenario for each way to end, of one driver.
inline Report report_of_all_outcomes() {
  Report report;
  CheckedDriver& driver = report.drivers.emplace_back();
  driver.path = "build/mill.so";
  driver.scenarios = {
      {.name = "nt/good", .seeds = 50, .warned_seeds = 3, .activity = {.ddi_calls = 7, .frames = 9}},
      {.name = "nt/wrong", .seeds = 50, .failing_seeds = 2, .outcome = Outcome::Found},
      {.name = "nt/wrong-too", .seeds = 50, .failing_seeds = 1, .outcome = Outcome::Found},
      {.name = "nt/lacking", .seeds = 50, .outcome = Outcome::Skipped, .reason = "the driver has no <pin>"},
      {.name = "nt/dead", .seeds = 50, .outcome = Outcome::Incomplete, .reason = "the adapter never started"},
      {.name = "nt/ours", .seeds = 50, .failing_seeds = 1, .outcome = Outcome::OurFault}};
  driver.findings = {sample_leak()};
  driver.findings[0].run.scenario = "nt/wrong";
  return report;
}

}  // namespace verifier
