#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "abi/km/wdm.h"
#include "base/library.h"
#include "base/sanitizer.h"
#include "nt/device_model.h"

namespace host {

// What a file would have to be loaded into: its symbols say which sanitizer it was built with.
std::optional<base::Sanitizer> sanitizer_of(const base::ElfFile& file);
const char* to_string(base::Sanitizer sanitizer);  // "plain", "asan", "tsan"
// Whether a file wants DxgkInitialize or its display-only sister.
bool is_graphics_driver(const base::ElfFile& file);

// A driver's .so in this process, and its writable memory as it was before DriverEntry ever ran: restore() takes the
// driver back there, in microseconds, so that a process serves many seeds.
class DriverImage {
 public:
  // On failure `error` receives one sentence that names the file and what is wrong with it. `device` is the model of
  // the hardware that a display driver is for; empty: device.so in the driver's folder, if there is one.
  static std::optional<DriverImage> load(const std::string& path, std::string* error, const std::string& device = {});

  void restore() const;

  PDRIVER_INITIALIZE driver_entry() const { return entry_; }
  const std::string& path() const { return library_.path(); }
  std::string file_name() const;
  std::string name() const;          // … without its ending
  base::AddressRange range() const;  // all of the image
  // It registers with the graphics kernel.
  bool is_graphics() const { return graphics_; }
  const nt::DeviceModel* device_model() const { return device_ ? &*device_ : nullptr; }
  const std::string& build_id() const { return library_.file().build_id(); }

 private:
  struct Saved {
    base::AddressRange range;
    std::vector<char> bytes;
  };

  explicit DriverImage(base::Library library) : library_(std::move(library)) {}
  bool load_device(const std::string& device, std::string* error);
  void take_snapshot();
  void mark_pageable_code();

  base::Library library_;
  PDRIVER_INITIALIZE entry_ = nullptr;
  bool graphics_ = false;
  std::optional<nt::DeviceModel> device_;
  std::vector<Saved> saved_;
};

}  // namespace host
