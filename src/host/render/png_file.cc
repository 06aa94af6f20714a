#include "host/render/png_file.h"

#include <fmt/format.h>
#include <png.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace host {

std::string write_png(const std::string& path, const Picture& picture) {
  if (picture.empty()) return fmt::format("{}: a picture without pixels cannot be written", path);
  static_assert(sizeof(Pixel) == 4);
  FILE* file = fopen(path.c_str(), "wb");
  if (!file) return fmt::format("{}: {}", path, strerror(errno));
  // libpng's simple interface: it reports by its result, where the other one jumps out of the middle.
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = picture.width;
  image.height = picture.height;
  image.format = PNG_FORMAT_RGBA;
  errno = 0;
  bool written = png_image_write_to_stdio(&image, file, 0, picture.pixels.data(), 0, nullptr) != 0;
  int error = errno;
  if (fclose(file) != 0 && written) {
    error = errno;
    written = false;
  }
  if (written) return {};
  return fmt::format("{}: {}", path, error ? strerror(error) : image.message);
}

}  // namespace host
