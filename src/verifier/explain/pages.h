#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace verifier {

// What the documentation's page of a function or callback says in its head. Rows of pages.csv; never changes.
struct Page {
  const char* name;
  const char* path;   // below https://learn.microsoft.com/windows-hardware/drivers/
  const char* irql;   // "" where the page is silent
  const char* since;  // the oldest Windows that has it; "" where the page is silent

  // "wdm.h"
  std::string header() const;
};

// In the order of their names.
std::span<const Page> all_pages();

// By path, by exact name; null for none.
const Page* page_at(std::string_view path);
const Page* page_named(std::string_view name);

// By name in any case of letters, and as it is called where it is used: DxgkDdiCreateAllocation for
// DXGKDDI_CREATEALLOCATION, pfnDeallocateCb for PFND3DDDI_DEALLOCATECB, DestroyResource for all callbacks of that name.
std::vector<const Page*> find_pages(std::string_view name);

}  // namespace verifier
