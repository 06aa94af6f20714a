#include "trace/schema.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace trace {
namespace {

TEST(Schema, NamesAndLabelsAreUnique) {
  std::set<std::string> names, labels;
  for (const EventInfo& event : events()) {
    EXPECT_TRUE(names.insert(event.name).second) << event.name;
    EXPECT_TRUE(labels.insert(event.label).second) << event.label;
    std::set<std::string> fields;
    for (const FieldInfo& field : event.fields) EXPECT_TRUE(fields.insert(field.name).second) << event.name;
  }
}

TEST(Schema, IdsFindTheirRows) {
  EXPECT_EQ(find_event(EventId::StringDefined), nullptr);
  EXPECT_STREQ(find_event(EventId::SchedPoint)->name, "SchedPoint");
  EXPECT_STREQ(find_event(EventId::FaultInjected)->label, "Fault/Injected");
  EXPECT_EQ(find_event(static_cast<EventId>(events().size()))->name, events().back().name);
  EXPECT_EQ(find_event(static_cast<EventId>(events().size() + 1)), nullptr);
}

TEST(Schema, TagsAndNamesSitOnNumbers) {
  for (const EventInfo& event : events()) {
    for (const FieldInfo& field : event.fields) {
      SCOPED_TRACE(std::string(event.name) + "." + field.name);
      EXPECT_EQ(field.show == Show::Named, !field.names.empty());
      EXPECT_TRUE(field.show != Show::Tag || field.type == FieldType::U32);
      EXPECT_TRUE(field.show == Show::Decimal || field.type <= FieldType::U64);
    }
  }
}

TEST(Schema, ValuesHaveNames) {
  const FieldInfo& point = find_event(EventId::SchedPoint)->fields[0];
  EXPECT_STREQ(value_name(point.names, static_cast<uint64_t>(base::Point::Yield)), "Yield");
  EXPECT_STREQ(value_name(point.names, static_cast<uint64_t>(base::Point::Exit)), "Exit");
  EXPECT_EQ(value_name(point.names, 255), nullptr);
  const FieldInfo& kind = find_event(EventId::ObjectCreate)->fields[0];
  EXPECT_STREQ(value_name(kind.names, static_cast<uint64_t>(ObjectKind::KsAllocator)), "KsAllocator");
}

}  // namespace
}  // namespace trace
