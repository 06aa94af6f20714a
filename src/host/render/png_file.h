#pragma once

#include <string>

#include "host/render/picture.h"

namespace host {

// Writes a picture as PNG: red, green, blue and alpha, eight bits each. Empty, or why it could not be written, in one
// sentence that names the file.
std::string write_png(const std::string& path, const Picture& picture);

}  // namespace host
