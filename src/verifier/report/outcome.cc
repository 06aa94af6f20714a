#include "verifier/report/outcome.h"

namespace verifier {

const char* to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::Passed:
      return "passed";
    case Outcome::Skipped:
      return "skipped";
    case Outcome::Incomplete:
      return "incomplete";
    case Outcome::Found:
      return "found";
    case Outcome::OurFault:
      return "our fault";
  }
  return "?";
}

Activity& Activity::operator+=(const Activity& more) {
  for (const ActivityCount& one : kActivityCounts) this->*one.count += more.*one.count;
  return *this;
}

}  // namespace verifier
