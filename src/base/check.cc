#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace base {
namespace {
void (*g_check_hook)() = nullptr;
}

void set_check_hook(void (*hook)()) { g_check_hook = hook; }

void check_failed(const char* condition, const char* message, Here where) {
  std::fprintf(stderr, "%s:%u: CHECK(%s) failed%s%s\n", where.file, where.line, condition, *message ? ": " : "",
               message);
  if (auto* hook = g_check_hook) {
    g_check_hook = nullptr;
    hook();
  }
  std::abort();
}

}  // namespace base
