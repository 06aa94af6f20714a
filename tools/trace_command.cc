// drydock trace FILE: a trace as text.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>

#include "tools/commands.h"
#include "tools/exit_codes.h"
#include "trace/reader.h"
#include "trace/text.h"

namespace tools {
namespace {

int dump(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    fmt::print(stderr, "drydock: {}: cannot be read\n", path);
    return kUsage;
  }
  std::vector<char> chars((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<std::byte> bytes(chars.size());
  std::transform(chars.begin(), chars.end(), bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  trace::Reader reader(std::move(bytes));
  base::Result<> result = trace::dump_text(reader, std::cout);
  std::cout.flush();
  if (result.ok()) return kNothingFound;
  fmt::print(stderr, "drydock: {}: {}\n", path, reader.message());
  return kUsage;
}

}  // namespace

void add_trace_dump(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("trace", "print a trace file as text");
  auto path = std::make_shared<std::string>();
  command->add_option("file", *path, "written by check --trace")->required();
  command->callback([path, &exit_code] { exit_code = dump(*path); });
}

}  // namespace tools
