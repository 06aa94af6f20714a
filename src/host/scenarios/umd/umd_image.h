#pragma once

#include <string>

#include "host/run/loaded_module.h"
#include "umd/common/runtime.h"

namespace host {

// Whether a file exports an entry of a user-mode display driver, and is no kernel driver.
bool is_user_mode_driver(const base::ElfFile& file);

// A user-mode display driver's .so in this process.
class UmdImage {
 public:
  // The error is one sentence that names the file and what is wrong with it.
  static base::Expected<UmdImage, std::string> load(const std::string& path);

  void restore() const { module_.restore(); }
  umd::Exports exports() const;
  const std::string& path() const { return module_.path(); }
  std::string file_name() const { return module_.file_name(); }
  std::string name() const { return module_.name(); }
  // Whether it is softgpu's user-mode driver, of the protocol that the scenarios know: it exports that.
  bool is_softgpu() const;
  const std::string& build_id() const { return module_.library().file().build_id(); }

 private:
  explicit UmdImage(LoadedModule module) : module_(std::move(module)) {}

  LoadedModule module_;
};

}  // namespace host
