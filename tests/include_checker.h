#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace layers {

// src/LAYERS: for each layer, the layers it may include besides itself.
using Table = std::map<std::string, std::set<std::string>, std::less<>>;

// src/LAYERS: for each layer with rooms, their folders below the layer's own; "." is that folder itself.
using Rooms = std::map<std::string, std::set<std::string>, std::less<>>;

inline constexpr size_t kMostFilesOfARoom = 45;

// Something to correct, as `file:line: what the rule says`; the file is relative to the root.
struct Complaint {
  std::string file;
  int line;
  std::string rule;
};
std::string to_string(const Complaint& complaint);

// Reads the table's text. A malformed row or a name without a row becomes a complaint about `src/LAYERS`.
Table parse_table(std::string_view text, std::vector<Complaint>* complaints);
// The rows `layer/: room …` of the same text.
Rooms parse_rooms(std::string_view text);

// Checks every source file under src/, include/, drivers/, tools/ and abi/ of a tree. In order of path and line.
//
// * src/<layer>, tools and include/drydock name what they include from the layer root ("vidmm/segment/segment.h"). The
//   first folder is the layer ("drydock/…" is layer `include`), and the row of the including layer must list it.
// * drivers may include files of their own tree and the headers of abi/, quoted or in angle brackets; nothing else,
//   not even the C library's.
// * abi may quote only abi. Angle brackets are free, since its headers also serve the host.
std::vector<Complaint> check_tree(const std::filesystem::path& root);

// Checks where the files of src/ lie. In order of path.
//
// * A file lies in a room of its layer, or where the layer has none in the layer's own folder.
// * A fixture lies in a room `testing`.
// * A folder has at most kMostFilesOfARoom files.
// * The README of a layer names each of its rooms, as `room/`.
std::vector<Complaint> check_rooms(const std::filesystem::path& root);

}  // namespace layers
