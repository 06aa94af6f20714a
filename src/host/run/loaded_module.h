#pragma once

#include <optional>
#include <string>

#include "base/debug/library.h"
#include "base/sanitizer.h"
#include "host/run/module_snapshot.h"

namespace host {

// The sanitizer of the host that a file has to be loaded into: its symbols say which one it was built with.
std::optional<base::Sanitizer> sanitizer_of(const base::ElfFile& file);
const char* to_string(base::Sanitizer sanitizer);  // "plain", "asan", "tsan"

// A driver's .so in this process. restore() takes its writable memory back to the state before any of its code ran.
class LoadedModule {
 public:
  // The error is one sentence that names the file and what is wrong with it.
  static base::Expected<LoadedModule, std::string> load(const std::string& path);

  void restore() const { snapshot_->restore(); }
  const base::Library& library() const { return library_; }
  const std::string& path() const { return library_.path(); }
  std::string file_name() const;
  std::string name() const;          // without its ending
  base::AddressRange range() const;  // all of the image

 private:
  explicit LoadedModule(base::Library library) : library_(std::move(library)) {}
  void mark_pageable_code();

  base::Library library_;
  std::optional<ModuleSnapshot> snapshot_;
};

}  // namespace host
