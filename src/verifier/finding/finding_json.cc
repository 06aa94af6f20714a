#include "verifier/finding/finding_json.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "base/planted.h"
#include "verifier/rules/rules.h"

namespace verifier {
namespace {

using Json = nlohmann::ordered_json;

// --- Writing ---

Json frame_json(const Frame& frame) {
  Json out = Json::object();
  if (!frame.module.empty()) {
    out["module"] = frame.module;
    out["offset"] = frame.offset;
  }
  if (frame.driver) out["driver"] = true;
  if (!frame.function.empty()) out["function"] = frame.function;
  if (!frame.file.empty()) out["file"] = frame.file;
  if (frame.line) out["line"] = frame.line;
  if (frame.inlined) out["inlined"] = true;
  return out;
}

Json stack_json(const FrameStack& stack) {
  Json frames = Json::array();
  for (const Frame& frame : stack.frames) frames.push_back(frame_json(frame));
  return {{"role", stack.role}, {"frames", std::move(frames)}};
}

Json run_json(const RunContext& run) {
  return {{"driver", run.driver},   {"scenario", run.scenario}, {"seed", run.seed},
          {"policy", run.policy},   {"schedule", run.schedule}, {"processors", run.processors},
          {"profile", run.profile}, {"fault", run.fault},       {"hang_edges", run.hang_edges}};
}

// --- Reading ---

template <typename T>
using Read = base::Expected<T, std::string>;
// Reads one part of a finding; `where` is its path for the error: "finding.stacks[0]".
template <typename T>
using ReadPart = Read<T>(const Json& value, const std::string& where);

// The members of one object, taken one by one. After the first that is not as expected it reports which, and gives only
// empty values. The text is not trusted: it may come from anywhere.
class Reader {
 public:
  Reader(const Json& value, std::string where) : value_(value), where_(std::move(where)) {
    if (!value.is_object()) fail("is not an object");
  }

  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  bool fail(std::string_view what, std::string_view member = "") {
    if (ok()) error_ = fmt::format("{}{}{} {}", where_, member.empty() ? "" : ".", member, what);
    return false;
  }
  // What was made of the members, or what is wrong with one of them.
  template <typename T>
  Read<T> end(T made) const {
    if (!ok()) return error_;
    return made;
  }

  std::string text(const char* member, bool required = true) {
    const Json* found = find(member, required);
    if (!found) return "";
    if (!found->is_string() && !base::planted("verifier_finding_json_fuzz")) {
      return fail("is not a string", member), "";
    }
    return found->get_ref<const std::string&>();
  }
  template <typename Number>
  Number number(const char* member, bool required = true) {
    const Json* found = find(member, required);
    if (!found) return 0;
    if (!found->is_number_unsigned()) return fail("is not a whole number from 0 up", member), Number{0};
    auto value = found->get<uint64_t>();
    if (value > std::numeric_limits<Number>::max()) return fail("is too large", member), Number{0};
    return static_cast<Number>(value);
  }
  bool flag(const char* member) {
    const Json* found = find(member, false);
    if (!found) return false;
    if (!found->is_boolean()) return fail("is not true or false", member);
    return found->get<bool>();
  }
  template <typename T>
  T object(const char* member, ReadPart<T>* read) {
    const Json* found = find(member, true);
    return found ? take(read(*found, fmt::format("{}.{}", where_, member))) : T{};
  }
  template <typename T>
  std::vector<T> list(const char* member, ReadPart<T>* read) {
    std::vector<T> all;
    const Json* found = find(member, true);
    if (found && !found->is_array()) fail("is not a list", member);
    for (size_t i = 0; found && ok() && i < found->size(); ++i) {
      all.push_back(take(read((*found)[i], fmt::format("{}.{}[{}]", where_, member, i))));
    }
    return all;
  }
  std::vector<std::string> texts(const char* member) {
    std::vector<std::string> all;
    const Json* found = find(member, true);
    if (found && !found->is_array()) fail("is not a list", member);
    for (size_t i = 0; found && ok() && i < found->size(); ++i) {
      if ((*found)[i].is_string()) {
        all.push_back((*found)[i].get<std::string>());
      } else {
        fail("holds something that is not a string", member);
      }
    }
    return all;
  }
  const Json* find(const char* member, bool required) {
    if (!ok()) return nullptr;
    auto at = value_.find(member);
    if (at != value_.end()) return &*at;
    if (required) fail("is missing", member);
    return nullptr;
  }

 private:
  template <typename T>
  T take(Read<T> part) {
    if (part.ok()) return part.take();
    error_ = part.error();
    return {};
  }

  const Json& value_;
  std::string where_;
  std::string error_;
};

Read<Frame> read_frame(const Json& value, const std::string& where) {
  Reader reader(value, where);
  Frame frame;
  frame.module = reader.text("module", false);
  // An offset counts from a module: without one it says nothing, and is not written either.
  if (!frame.module.empty()) frame.offset = reader.number<uint64_t>("offset");
  frame.driver = reader.flag("driver");
  frame.function = reader.text("function", false);
  frame.file = reader.text("file", false);
  frame.line = reader.number<uint32_t>("line", false);
  frame.inlined = reader.flag("inlined");
  return reader.end(std::move(frame));
}

Read<FrameStack> read_stack(const Json& value, const std::string& where) {
  Reader reader(value, where);
  FrameStack stack;
  stack.role = reader.text("role");
  stack.frames = reader.list("frames", &read_frame);
  return reader.end(std::move(stack));
}

Read<RunContext> read_run(const Json& value, const std::string& where) {
  Reader reader(value, where);
  RunContext run;
  run.driver = reader.text("driver");
  run.scenario = reader.text("scenario");
  run.seed = reader.number<uint64_t>("seed");
  run.policy = reader.text("policy");
  run.schedule = reader.text("schedule");
  run.processors = reader.number<uint32_t>("processors");
  run.profile = reader.text("profile");
  run.fault = reader.number<uint32_t>("fault");
  run.hang_edges = reader.number<uint64_t>("hang_edges", false);
  return reader.end(std::move(run));
}

std::optional<Level> level_named(std::string_view name) {
  for (Level level : {Level::Error, Level::Warning}) {
    if (name == to_string(level)) return level;
  }
  return std::nullopt;
}

}  // namespace

Json to_json_value(const Finding& finding) {
  Json stacks = Json::array();
  for (const FrameStack& stack : finding.stacks) stacks.push_back(stack_json(stack));
  return {{"rule", finding.rule},
          {"level", to_string(finding.level)},
          {"sentence", finding.sentence},
          {"thread", finding.thread},
          {"thread_ordinal", finding.thread_ordinal},
          {"irql", finding.irql},
          {"in_call", finding.in_call},
          {"call", finding.call},
          {"history", finding.history},
          {"read_next", finding.read_next},
          {"times", finding.times},
          {"runs", finding.runs},
          {"run", run_json(finding.run)},
          {"stacks", std::move(stacks)}};
}

base::Expected<Finding, std::string> from_json_value(const Json& value) {
  Finding finding;
  Reader reader(value, "finding");
  finding.rule = reader.text("rule");
  if (reader.ok() && !find_rule(finding.rule)) reader.fail("names no rule", "rule");
  std::optional<Level> level = level_named(reader.text("level"));
  if (level) finding.level = *level;
  if (!level) reader.fail("is neither 'error' nor 'warning'", "level");
  finding.sentence = reader.text("sentence");
  finding.thread = reader.text("thread");
  finding.thread_ordinal = reader.number<uint32_t>("thread_ordinal");
  finding.irql = reader.number<uint8_t>("irql");
  finding.in_call = reader.text("in_call");
  finding.call = reader.text("call");
  finding.history = reader.texts("history");
  finding.read_next = reader.texts("read_next");
  finding.times = reader.number<uint64_t>("times");
  finding.runs = reader.number<uint64_t>("runs");
  finding.run = reader.object("run", &read_run);
  finding.stacks = reader.list("stacks", &read_stack);
  return reader.end(std::move(finding));
}

std::string dump_json(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string to_json_text(const Finding& finding) {
  Json out = {{"schema_version", kSchemaVersion}};
  out.update(to_json_value(finding));
  return dump_json(out, -1);
}

base::Expected<Finding, std::string> from_json_text(std::string_view text) {
  Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return std::string("finding is not JSON");
  Reader reader(value, "finding");
  auto version = reader.number<uint32_t>("schema_version");
  if (reader.ok() && version != kSchemaVersion) reader.fail(fmt::format("is {}; this is 1", version), "schema_version");
  if (!reader.ok()) return reader.error();
  return from_json_value(value);
}

}  // namespace verifier
