#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Text for a terminal of 100 columns.
namespace verifier {

// Appends `text` in lines that start with `indent` spaces.
void append_wrapped(std::string& out, size_t indent, std::string_view text);

// Appends a heading after an empty line, and `text` below it.
void append_section(std::string& out, std::string_view heading, std::string_view text);

// Appends lines as they are, each after `indent` spaces.
void append_lines(std::string& out, size_t indent, std::string_view lines);

}  // namespace verifier
