#pragma once

#include "drydock/ledger.h"
#include "dxgk/adapter/ledger.h"

namespace drydock::internal {

Ledger public_ledger(const dxgk::Ledger& from);

}  // namespace drydock::internal
