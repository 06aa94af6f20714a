#pragma once

#include "abi/ks/ks.h"

// The sets that every pin answers, one file each; pin_properties.cc puts them together.
namespace ks {

extern const KSPROPERTY_SET kConnectionSet;       // connection_properties.cc
extern const KSPROPERTY_SET kStreamSet;           // stream_properties.cc
extern const KSPROPERTY_SET kStreamInterfaceSet;  // stream_properties.cc

}  // namespace ks
