// Page tables: from the graphics kernel's entries to the hardware's.
#pragma once

#include "config.h"
#include "softgpu_address.h"
#include "writer.h"

namespace softgpu {

UINT64 hardware_entry(const DXGK_PTE& entry, UINT level);

// Both go on from where an earlier pass stopped, and count in `done`.
NTSTATUS update_page_table(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update, CommandWriter& writer, UINT& done);
NTSTATUS copy_page_table_entries(const DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES& copy, CommandWriter& writer,
                                 UINT& done);

}  // namespace softgpu
