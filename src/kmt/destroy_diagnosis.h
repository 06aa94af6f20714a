#pragma once

#include <optional>
#include <span>

#include "dxgk/device.h"
#include "nt/probe.h"

namespace kmt {

// Which of the client's own rules a call broke that the kernel has refused: looked at again, as the kernel judged it.
// Nothing when another thread has changed what was wrong. Outside of the device's gate.
std::optional<nt::Broke> destroy_rule(dxgk::Device& device, D3DKMT_HANDLE resource);
std::optional<nt::Broke> destroy_rule(dxgk::Device& device, std::span<const D3DKMT_HANDLE> allocations);

}  // namespace kmt
