#pragma once

#include <string>
#include <string_view>

namespace verifier {

// A wrong program of drivers/bad, shortened to the wrong lines and to the same lines with the fix.
struct Excerpt {
  std::string does;   // what it does wrong, from its heading comment
  std::string fixed;  // what it does when it is fixed, from there too
  std::string wrong;  // the functions around its `FIXED` conditionals, without FIXED
  std::string right;  // the same functions with FIXED
};

// `source` as drivers/bad has it: clang-formatted, with a comment at the top whose part after "FIXED" tells the fix.
// `shared`: the headers that it includes, where to look when it has no conditional of its own.
Excerpt excerpt_of(std::string_view source, std::string_view shared = {});

}  // namespace verifier
