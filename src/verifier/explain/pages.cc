#include "verifier/explain/pages.h"

#include <cctype>

namespace verifier {
namespace {

constexpr Page kPages[] = {
#define PAGE(name, path, irql, since) {name, path, irql, since},
#include "verifier/pages.inc"
#undef PAGE
};

// Without case and underscores.
std::string plain(std::string_view name) {
  std::string out;
  for (char c : name) {
    if (c != '_') out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return out;
}

// The name of a callback's type is PFN, then the interface that it belongs to, then the callback's usual name.
std::string short_form(std::string name) {
  if (!name.starts_with("PFN")) return name;
  name.erase(0, 3);
  size_t ddi = name.find("DDI");
  if (name.starts_with("D3D") && ddi != std::string::npos) name.erase(0, ddi + 3);
  if (name.starts_with("D3DKMT")) name.erase(0, 6);
  return name;
}

std::string_view leaf_of(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  for (int i = 0; i < 2; ++i) path.remove_prefix(path.find('-') + 1);
  return path;
}

}  // namespace

std::string Page::header() const {
  std::string_view rest = path;
  rest.remove_prefix(rest.find('/') + 1);
  return std::string(rest.substr(0, rest.find('/'))) + ".h";
}

std::span<const Page> all_pages() { return kPages; }

const Page* page_at(std::string_view path) {
  for (const Page& page : kPages) {
    if (path == page.path) return &page;
  }
  return nullptr;
}

const Page* page_named(std::string_view name) {
  for (const Page& page : kPages) {
    if (name == page.name) return &page;
  }
  return nullptr;
}

std::vector<const Page*> find_pages(std::string_view name) {
  std::string wanted = plain(name), wanted_short = short_form(wanted);
  std::vector<const Page*> exact, close;
  for (const Page& page : kPages) {
    std::string has = plain(page.name);
    if (has == wanted || plain(leaf_of(page.path)) == wanted) exact.push_back(&page);
    if (has.starts_with("PFN") && short_form(has) == wanted_short) close.push_back(&page);
  }
  return exact.empty() ? close : exact;
}

}  // namespace verifier
