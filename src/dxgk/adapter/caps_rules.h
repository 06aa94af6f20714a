#pragma once

#include <cstddef>
#include <cstdint>

#include "dxgk/ddi/ddi.h"

// What a driver may not say about itself, generated from caps_rules.def. Constant data; the predicates live elsewhere.
namespace dxgk {

enum class CapsRule : uint8_t {
#define CAPS_RULE(id, kinds, since, evidence, sentence, where) id,
#include "dxgk/adapter/caps_rules.def"
};

struct CapsRuleRow {
  const char* id;
  KindSet kinds;
  InterfaceVersion since;
  Evidence evidence;
  const char* sentence;  // for the driver's author, with the field's name
  const char* where;
};

inline constexpr CapsRuleRow kCapsRules[] = {
#define CAPS_RULE(id, applies, since, evidence, sentence, where) \
  {#id, kinds::applies, InterfaceVersion::since, Evidence::evidence, sentence, where},
#include "dxgk/adapter/caps_rules.def"
};

constexpr const CapsRuleRow& row(CapsRule rule) { return kCapsRules[static_cast<size_t>(rule)]; }

// A function that a rule's capability calls for.
struct CapsSlot {
  CapsRule rule;
  Ddi ddi;
};

inline constexpr CapsSlot kCapsSlots[] = {
#define CAPS_SLOT(id, name) {CapsRule::id, Ddi::name},
#include "dxgk/adapter/caps_rules.def"
};

}  // namespace dxgk
