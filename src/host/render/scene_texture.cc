#include "host/render/scene_texture.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace host {
namespace {

// Of each texel's centre, from 0 to 1 on both axes.
Texture painted(uint32_t size, const std::function<uint32_t(double x, double y)>& color) {
  Texture texture{size, size, {}};
  for (uint32_t y = 0; y < size; ++y) {
    for (uint32_t x = 0; x < size; ++x) texture.texels.push_back(color((x + 0.5) / size, (y + 0.5) / size));
  }
  return texture;
}

}  // namespace

Texture checker_texture(uint32_t size, uint32_t cell, uint32_t color, uint32_t other_color) {
  return painted(size, [=](double x, double y) {
    auto cells = static_cast<uint32_t>(x * size) / cell + static_cast<uint32_t>(y * size) / cell;
    return cells % 2 ? other_color : color;
  });
}

Texture plaster_texture(uint32_t size) {
  return painted(size, [](double x, double y) {
    double stripe = 0.9 + 0.1 * std::cos(2 * kPi * x) - 0.04 * y;
    return argb(stripe, stripe, stripe);
  });
}

Texture glow_texture(uint32_t size, uint32_t color) {
  return painted(size, [=](double x, double y) {
    double strength = std::max(0.0, 1 - 2 * std::hypot(x - 0.5, y - 0.5));
    return (color & 0xFFFFFF) | (argb(0, 0, 0, strength * strength) & 0xFF000000);
  });
}

Texture sunset_texture(uint32_t size) {
  return painted(size, [](double x, double y) {
    double sun = std::clamp(1.6 - std::hypot(x - 0.5, (y - 0.52)) * 7, 0.0, 1.0);
    if (y < 0.62) return argb(0.55 + 0.45 * y + 0.4 * sun, 0.25 + 0.6 * y + 0.5 * sun, 0.45 - 0.25 * y + 0.3 * sun);
    double ripple = std::clamp(1.3 - std::abs(x - 0.5) * (14 - 8 * y), 0.0, 1.0) * (0.5 + 0.5 * std::sin(110 * y));
    return argb(0.20 + 0.7 * ripple, 0.18 + 0.5 * ripple, 0.38 + 0.1 * ripple);
  });
}

Texture ship_texture() {
  static constexpr const char* kRows[] = {
      "................", ".......r........", ".......rrr......", ".......k........",
      "......wk.w......", ".....wwk.ww.....", "....wwwk.www....", "...wwwwk.wwww...",
      "..wwwwwk.wwwww..", ".......k........", ".......k........", "bbbbbbbkbbbbbbbb",
      ".bbybbybbybbyb..", "..bbbbbbbbbbb...", "ssbbbbbbbbbbbsss", "sssSsssSssssSsss",
  };
  Texture texture{16, 16, {}};
  for (const char* row : kRows) {
    for (const char* texel = row; *texel; ++texel) {
      switch (*texel) {
        case 'r':
          texture.texels.push_back(0xFFD9433B);
          break;
        case 'k':
          texture.texels.push_back(0xFF3A2A20);
          break;
        case 'w':
          texture.texels.push_back(0xFFF7F1E3);
          break;
        case 'b':
          texture.texels.push_back(0xFF8A5A33);
          break;
        case 'y':
          texture.texels.push_back(0xFFF2C14E);
          break;
        case 's':
          texture.texels.push_back(0xFF2F6DA8);
          break;
        case 'S':
          texture.texels.push_back(0xFF5B95C9);
          break;
        default:
          texture.texels.push_back(0xFFA9D3EA);
          break;
      }
    }
  }
  return texture;
}

Texture plasma_texture(uint32_t size, double time) {
  return painted(size, [=](double x, double y) {
    double wave = std::sin(9 * x + time) + std::sin(7 * y - 1.3 * time) + std::sin(8 * (x + y) + 0.7 * time);
    wave += std::sin(16 * std::hypot(x - 0.5, y - 0.5) - 2 * time);
    return argb(0.5 + 0.4 * std::sin(wave), 0.45 + 0.35 * std::sin(wave + 2.1), 0.6 + 0.4 * std::sin(wave + 4.2));
  });
}

}  // namespace host
