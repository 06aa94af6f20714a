#pragma once

#include "host/render/scene.h"

namespace host {

Texture checker_texture(uint32_t size, uint32_t cell, uint32_t color, uint32_t other_color);
// A wall's plaster: stripes that fade into each other.
Texture plaster_texture(uint32_t size);
// A light that fades to nothing towards its edge, in alpha.
Texture glow_texture(uint32_t size, uint32_t color);
// The sun over the sea.
Texture sunset_texture(uint32_t size);
// A ship in few and large pixels.
Texture ship_texture();
// Waves of colour that move with time.
Texture plasma_texture(uint32_t size, double time);

}  // namespace host
