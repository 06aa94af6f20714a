// Address descriptor lists: the pages of a piece of memory as the device must address them.
#pragma once
#pragma GCC system_header

#include "d3dkmddi_types.h"

typedef struct _DXGK_ADL_FLAGS {
  union {
    struct {
      UINT Contiguous : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_ADL_FLAGS;

// As wide as the page numbers of an MDL, so that either array can take the place of the other.
typedef PFN_NUMBER DXGK_PAGE_NUMBER;

typedef struct _DXGK_ADL {
  UINT PageCount;
  DXGK_ADL_FLAGS Flags;
  union {
    DXGK_PAGE_NUMBER BasePageNumber;
    DXGK_PAGE_NUMBER* Pages;
  };
} DXGK_ADL;
