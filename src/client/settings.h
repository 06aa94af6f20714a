#pragma once

#include <cstdint>
#include <string>

namespace client {

// The environment variables through which `drydock run` configures libdxcore.so.
inline constexpr const char* kDriverVariable = "DRYDOCK_DRIVER";  // path of the kernel driver
inline constexpr const char* kDeviceVariable = "DRYDOCK_DEVICE";  // path of its hardware
inline constexpr const char* kWslVariable = "DRYDOCK_WSL";        // "1": answer as WSL does where Windows differs
inline constexpr const char* kLedgerVariable = "DRYDOCK_LEDGER";  // file to append the ledger to; "-": standard error
inline constexpr const char* kStuckVariable = "DRYDOCK_STUCK_LIMIT";  // seconds that a call may take; "0": any number

inline constexpr uint32_t kStuckLimitS = 60;  // when none is given

// The configuration of a process's graphics kernel. A value.
struct Settings {
  std::string driver;
  std::string device;  // empty: device.so beside the driver, if there is one
  bool like_wsl = false;
  std::string ledger;  // empty: none is written
  uint32_t stuck_limit_s = kStuckLimitS;

  static Settings from_environment(const std::string& library_folder);
};

// The driver of a process that names none: softgpu, where a staged, an installed or a plain build tree has it as seen
// from the folder of libdxcore.so; empty when it is in none of them.
std::string default_driver(const std::string& library_folder);

}  // namespace client
