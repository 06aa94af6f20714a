// What a driver that includes ntddk.h gets; nothing beyond wdm.h is needed so far.
#pragma once
#pragma GCC system_header

#include "wdm.h"
