#include "client/ledger_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "trace/text.h"

namespace client {
namespace {

// The lines that programs read too.
#define OPENED "drydock: process {} opened the graphics kernel: {}\n"
#define LEDGER "drydock: ledger of process {}: {}, {}, {}: {}\n"

std::string counted(uint64_t n, std::string_view what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

std::string size_of(uint64_t bytes) {
  if (bytes < 1024) return counted(bytes, "byte");
  if (bytes < 1024 * 1024) return fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024);
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1024 * 1024));
}

std::string status_of(NTSTATUS status) {
  std::string_view name = trace::status_name(status);
  return name.empty() ? fmt::format("0x{:08X}", static_cast<uint32_t>(status)) : std::string(name);
}

// A program may be called anything; a line of the file is one line.
std::string in_one_line(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
  return name;
}

void append_objects(std::string& out, const LedgerReport& report) {
  if (report.objects.empty()) {
    out += "  objects: none\n";
    return;
  }
  out += fmt::format("  {:<24}{:>10}{:>10}{:>10}\n", "objects", "created", "peak", "at exit");
  for (const auto& row : report.objects) {
    out += fmt::format("    {:<22}{:>10}{:>10}{:>10}\n", row.kind, row.created, row.peak, row.at_exit);
  }
}

void append_leaks(std::string& out, const LedgerReport& report) {
  out += fmt::format("  leaks: {}\n", report.leaked_objects());
  for (const auto& leak : report.leaks) {
    out += fmt::format("    {} (0x{:X}{})", counted(leak.count, leak.kind), leak.handle, leak.count > 1 ? ", …" : "");
    if (leak.bytes) out += ", " + size_of(leak.bytes);
    out += leak.stack.empty() ? "\n" : ", created in\n";
    for (const std::string& frame : leak.stack) out += fmt::format("      {}\n", frame);
  }
}

void append_refusals(std::string& out, const LedgerReport& report) {
  out += fmt::format("  refusals: {}\n", report.refusals.size());
  for (const auto& refusal : report.refusals) {
    out += fmt::format("    {}: {}, {}: {} ({})\n", refusal.function, status_of(refusal.status),
                       counted(refusal.times, "time"), refusal.reason, refusal.where);
  }
}

void append_findings(std::string& out, const char* heading, const std::vector<std::string>& findings) {
  out += fmt::format("  {}: {}\n", heading, findings.size());
  for (const std::string& finding : findings) {
    size_t begin = 0;
    while (begin < finding.size()) {
      size_t end = std::min(finding.find('\n', begin), finding.size());
      out += fmt::format("    {}\n", std::string_view(finding).substr(begin, end - begin));
      begin = end + 1;
    }
  }
}

}  // namespace

uint64_t LedgerReport::leaked_objects() const {
  uint64_t count = 0;
  for (const Leak& leak : leaks) count += leak.count;
  return count;
}

std::string opening_line(const std::string& process, int pid) { return fmt::format(OPENED, pid, in_one_line(process)); }

std::string text_of(const LedgerReport& report) {
  std::string found = counted(report.findings.size(), "finding");
  if (!report.warnings.empty()) found += ", " + counted(report.warnings.size(), "warning");
  std::string out = fmt::format(LEDGER, report.pid, found, counted(report.leaked_objects(), "leak"),
                                counted(report.refusals.size(), "refusal"), in_one_line(report.process));
  out += fmt::format("  driver: {}\n", report.driver);
  if (!report.remark.empty()) out += fmt::format("  incomplete: {}\n", report.remark);
  append_objects(out, report);
  out += fmt::format("  memory: {} at most, {} at exit\n", size_of(report.peak_bytes), size_of(report.bytes_at_exit));
  append_leaks(out, report);
  append_refusals(out, report);
  append_findings(out, "findings", report.findings);
  if (!report.warnings.empty()) append_findings(out, "warnings", report.warnings);
  return out;
}

LedgerFile LedgerFile::parse(std::string_view text) {
  LedgerFile file;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size() - 1);
    std::string line(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
    int pid = 0, name = 0;
    if (std::sscanf(line.c_str(), "drydock: process %d opened the graphics kernel: %n", &pid, &name) == 1 && name) {
      file.processes.push_back(
          {pid, line.substr(static_cast<size_t>(name), line.find('\n') - static_cast<size_t>(name)), false});
      continue;
    }
    unsigned long findings = 0;
    if (std::sscanf(line.c_str(), "drydock: ledger of process %d: %lu finding", &pid, &findings) == 2) {
      file.findings += findings;
      // The same number may have been given to another process since: the last one that has not reported.
      for (auto process = file.processes.rbegin(); process != file.processes.rend(); ++process) {
        if (process->pid != pid || process->reported) continue;
        process->reported = true;
        break;
      }
    }
    file.reports += line;
  }
  return file;
}

}  // namespace client
