// The kernel interface that drivers are compiled against and that src/nt implements, by noun.
#pragma once
#pragma GCC system_header

#include "../shared/bugcodes.h"
#include "wdm_dbg.h"
#include "wdm_dma.h"
#include "wdm_dpc.h"
#include "wdm_ex.h"
#include "wdm_file.h"
#include "wdm_interlocked.h"
#include "wdm_io.h"
#include "wdm_irp.h"
#include "wdm_ke.h"
#include "wdm_list.h"
#include "wdm_mdl.h"
#include "wdm_mm.h"
#include "wdm_pnp.h"
#include "wdm_power.h"
#include "wdm_ps.h"
#include "wdm_registry.h"
#include "wdm_removelock.h"
#include "wdm_resource.h"
#include "wdm_rtl.h"
#include "wdm_rundown.h"
#include "wdm_seh.h"
#include "wdm_spin.h"
#include "wdm_types.h"

// Drivers expect the memory and string functions without asking for them.
#ifdef DRYDOCK_DRIVER
#include "../crt/stdarg.h"
#include "../crt/string.h"
#endif
