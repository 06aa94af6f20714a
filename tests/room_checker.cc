// Where the files of src/ lie, against the rows of rooms in src/LAYERS.
#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "include_checker.h"

namespace layers {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kOfEveryLayer = {"CMakeLists.txt", "README.md", "precompiled.h"};

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Every file below src/, relative to the root.
std::vector<fs::path> files_of(const fs::path& root) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(root / "src", error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_regular_file()) files.push_back(entry->path().lexically_relative(root));
  }
  std::ranges::sort(files);
  return files;
}

class RoomChecker {
 public:
  RoomChecker(const fs::path& root, Rooms rooms) : root_(root), rooms_(std::move(rooms)) {}

  void check(const fs::path& file) {
    auto part = file.begin();
    std::string layer = (++part)->string();
    if (++part == file.end()) return;  // src/LAYERS and its like
    std::string folder = file.parent_path().generic_string();
    std::string room = folder == "src/" + layer ? "." : folder.substr(("src/" + layer + "/").size());
    if (++files_[folder] == kMostFilesOfARoom + 1) {
      complain(folder, fmt::format("has more than {} files", kMostFilesOfARoom));
    }
    std::string name = file.filename().string();
    auto row = rooms_.find(layer);
    bool allowed = row == rooms_.end() ? room == "." : row->second.contains(room);
    bool of_every_layer = room == "." && std::ranges::find(kOfEveryLayer, name) != kOfEveryLayer.end();
    if (!allowed && !of_every_layer) {
      complain(file.generic_string(),
               row == rooms_.end()
                   ? fmt::format("layer '{}' has no row '{}/: room …' in src/LAYERS", layer, layer)
                   : fmt::format("lies in no room of {}; src/LAYERS has {}", layer, fmt::join(row->second, ", ")));
    }
    bool fixture = name.find("_fixture.") != std::string::npos;
    if (fixture && !room.ends_with("testing")) {
      complain(file.generic_string(), fmt::format("a fixture lies in src/{}/testing", layer));
    }
  }

  void check_readmes() {
    for (const auto& [layer, rooms] : rooms_) {
      std::string readme = "src/" + layer + "/README.md";
      std::string text = text_of(root_ / readme);
      for (const std::string& room : rooms) {
        if (room != "." && text.find("`" + room + "/`") == std::string::npos) {
          complain(readme, fmt::format("does not say what `{}/` is for", room));
        }
        if (!fs::is_directory(root_ / "src" / layer / room)) {
          complain("src/LAYERS", fmt::format("{} has no folder {}", layer, room));
        }
      }
    }
  }

  std::vector<Complaint> take() { return std::move(complaints_); }

 private:
  void complain(std::string file, std::string rule) { complaints_.push_back({std::move(file), 1, std::move(rule)}); }

  fs::path root_;
  Rooms rooms_;
  std::map<std::string, size_t> files_;
  std::vector<Complaint> complaints_;
};

}  // namespace

Rooms parse_rooms(std::string_view text) {
  Rooms rooms;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) {
    std::istringstream row(line.substr(0, line.find('#')));
    std::string key;
    if (!(row >> key) || !key.ends_with("/:")) continue;
    std::set<std::string>& of_layer = rooms[key.substr(0, key.size() - 2)];
    for (std::string name; row >> name;) of_layer.insert(name);
  }
  return rooms;
}

std::vector<Complaint> check_rooms(const fs::path& root) {
  RoomChecker checker(root, parse_rooms(text_of(root / "src/LAYERS")));
  for (const fs::path& file : files_of(root)) checker.check(file);
  checker.check_readmes();
  return checker.take();
}

}  // namespace layers
