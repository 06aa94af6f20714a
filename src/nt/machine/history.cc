#include "nt/machine/history.h"

#include <deque>
#include <string_view>

#include "trace/reader.h"
#include "trace/sink.h"
#include "trace/text.h"

namespace nt {
namespace {

bool is_named(const trace::Record& record, std::string_view name, uint64_t value) {
  const trace::EventInfo& info = record.info();
  for (size_t i = 0; i < info.fields.size(); ++i) {
    if (info.fields[i].name == name) return record.number(i) == value;
  }
  return false;
}

bool is_about(const trace::Record& record, Subject subject) {
  if (subject.kind == trace::ObjectKind::Pool) {
    return (record.is<trace::PoolAllocate>() || record.is<trace::PoolFree>()) &&
           is_named(record, "ordinal", subject.ordinal);
  }
  return is_named(record, "kind", static_cast<uint64_t>(subject.kind)) && is_named(record, "ordinal", subject.ordinal);
}

bool is_call(const trace::Record& record) {
  return record.is<trace::DriverCall>() || record.is<trace::DriverReturn>() || record.is<trace::KernelCall>() ||
         record.is<trace::FaultInjected>() || record.is<trace::Refusal>();
}

struct Latest {
  explicit Latest(size_t its_limit) : limit(its_limit) {}
  void add(std::string line) {
    lines.push_back(std::move(line));
    if (lines.size() > limit) lines.pop_front();
  }
  const size_t limit;
  std::deque<std::string> lines;
};

}  // namespace

std::vector<std::string> recent_history(trace::Writer& trace, Subject subject, uint32_t thread, size_t limit) {
  if (!trace.on()) return {};
  trace::MemorySink sink;
  if (!trace.copy_to(sink).ok()) return {};
  trace::Reader reader(sink.bytes());
  bool about_object = subject.kind != trace::ObjectKind::None;
  Latest of_object(limit), of_thread(about_object ? limit / 2 : limit);
  while (auto record = reader.next()) {
    if (about_object && is_about(*record, subject)) {
      of_object.add(trace::to_text(*record, reader));
    } else if (record->context().thread == thread && is_call(*record)) {
      of_thread.add(trace::to_text(*record, reader));
    }
  }
  std::vector<std::string> lines(of_object.lines.begin(), of_object.lines.end());
  lines.insert(lines.end(), of_thread.lines.begin(), of_thread.lines.end());
  return lines;
}

}  // namespace nt
