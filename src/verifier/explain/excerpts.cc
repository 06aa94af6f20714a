#include "verifier/explain/excerpts.h"

namespace verifier {
namespace {

constexpr StoredExcerpt kExcerpts[] = {
#define EXCERPT(program, does, fixed, wrong, right) {program, does, fixed, wrong, right},
#include "verifier/excerpts.inc"
#undef EXCERPT
};

}  // namespace

std::span<const StoredExcerpt> all_excerpts() { return kExcerpts; }

const StoredExcerpt* find_excerpt(std::string_view program) {
  for (const StoredExcerpt& excerpt : kExcerpts) {
    if (program == excerpt.program) return &excerpt;
  }
  return nullptr;
}

}  // namespace verifier
