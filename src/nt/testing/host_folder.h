#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace nt {

// For tests: a folder of the host that holds files of a machine, and goes away with this.
class HostFolder {
 public:
  HostFolder() : path_(::testing::TempDir() + "drydock_files_XXXXXX") {
    EXPECT_NE(mkdtemp(path_.data()), nullptr);
    folder("c");
  }
  ~HostFolder() { std::filesystem::remove_all(path_); }
  HostFolder(const HostFolder&) = delete;
  HostFolder& operator=(const HostFolder&) = delete;

  const std::string& path() const { return path_; }
  void folder(const std::string& name) { std::filesystem::create_directories(path_ + "/" + name); }
  void file(const std::string& name, const std::string& content) { std::ofstream(path_ + "/" + name) << content; }
  void link(const std::string& name, const std::string& target) {
    std::filesystem::create_symlink(target, path_ + "/" + name);
  }
  bool has(const std::string& name) const { return std::filesystem::exists(path_ + "/" + name); }
  std::string content(const std::string& name) const {
    std::stringstream all;
    all << std::ifstream(path_ + "/" + name).rdbuf();
    return all.str();
  }

 private:
  std::string path_;
};

}  // namespace nt
