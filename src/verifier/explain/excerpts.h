#pragma once

#include <span>
#include <string_view>

namespace verifier {

// The excerpt (excerpt.h) of one program below drivers/bad, made when this was built.
struct StoredExcerpt {
  const char* program;  // "kmd/name"
  const char* does;
  const char* fixed;
  const char* wrong;
  const char* right;
};

std::span<const StoredExcerpt> all_excerpts();
// Null for none.
const StoredExcerpt* find_excerpt(std::string_view program);

}  // namespace verifier
