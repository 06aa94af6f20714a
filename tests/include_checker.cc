#include "include_checker.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <sstream>

#include "fmt/format.h"

namespace layers {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTableFile = "src/LAYERS";
constexpr std::array<std::string_view, 5> kTrees = {"abi", "drivers", "include", "src", "tools"};
constexpr std::array<std::string_view, 6> kAbiFolders = {"crt", "shared", "km", "um", "ks", "device"};
constexpr std::array<std::string_view, 9> kExtensions = {".h",   ".hpp", ".c",   ".cc", ".cpp",
                                                         ".cxx", ".inc", ".def", ".inl"};

struct Include {
  int line;
  bool quoted;
  std::string target;
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string first_folder(std::string_view path) { return std::string(path.substr(0, path.find('/'))); }

// The target of an #include directive, if the line is one.
std::optional<Include> parse_include(std::string_view text, int line) {
  text = trimmed(text);
  if (!text.starts_with('#')) return std::nullopt;
  text = trimmed(text.substr(1));
  constexpr std::string_view kDirective = "include";
  if (!text.starts_with(kDirective)) return std::nullopt;
  text = trimmed(text.substr(kDirective.size()));
  if (text.empty() || (text[0] != '"' && text[0] != '<')) return std::nullopt;
  bool quoted = text[0] == '"';
  size_t end = text.find(quoted ? '"' : '>', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return Include{line, quoted, std::string(text.substr(1, end - 1))};
}

std::vector<Include> includes_of(const fs::path& file) {
  std::vector<Include> includes;
  std::ifstream in(file);
  std::string text;
  for (int line = 1; std::getline(in, text); ++line) {
    if (std::optional<Include> include = parse_include(text, line)) includes.push_back(*std::move(include));
  }
  return includes;
}

bool is_source(const fs::path& file) {
  return std::ranges::find(kExtensions, file.extension().string()) != kExtensions.end();
}

// The layer of a file, by its path relative to the root.
std::string layer_of(const std::string& file) {
  std::string tree = first_folder(file);
  return tree == "src" ? first_folder(std::string_view(file).substr(4)) : tree;
}

// drivers/<name>/proto: what a driver, its hardware and its clients agree on.
fs::path proto_of(const std::string& file) {
  std::string_view below = std::string_view(file).substr(std::string_view("drivers/").size());
  // The wrong display drivers are softgpu's with one thing changed, and so are the unusual ones.
  if (first_folder(below) == "bad" || first_folder(below) == "quiet") return "drivers/softgpu/proto";
  return fs::path("drivers") / first_folder(below) / "proto";
}

// Drivers of drivers/quiet stand on the headers of the wrong ones of their kind.
fs::path skeletons_of(const std::string& file) {
  fs::path path(file);
  return fs::path("drivers/bad") / path.parent_path().filename();
}

// drivers/bad/client: programs.
bool is_client(const std::string& file) { return file.rfind("drivers/bad/client/", 0) == 0; }

// drivers/<name>/hw: a device model.
bool is_hardware(const std::string& file) { return file.find("/hw/") != std::string::npos; }

bool is_test(const std::string& file) { return file.find("_test.") != std::string::npos; }

// The layer an include names; "drydock/" is the public API's folder under include/.
std::string named_layer(const std::string& target) {
  std::string folder = first_folder(target);
  return folder == "drydock" ? "include" : folder;
}

class Checker {
 public:
  Checker(const fs::path& root, Table table) : root_(root), table_(std::move(table)) {}

  void check_file(const std::string& file) {
    std::string layer = layer_of(file);
    if (!table_.contains(layer)) {
      if (unknown_.insert(layer).second)
        complain(file, 1, fmt::format("layer '{}' has no row in {}", layer, kTableFile));
      return;
    }
    for (const Include& include : includes_of(root_ / file)) {
      if (layer == "drivers" && is_client(file)) {
        check_client(file, include);
      } else if (layer == "drivers" && is_hardware(file)) {
        check_hardware(file, include);
      } else if (layer == "drivers" && is_test(file)) {
        check_driver_test(file, include);
      } else if (layer == "drivers") {
        check_driver(file, include);
      } else if (layer == "abi") {
        check_abi(file, include);
      } else {
        check_layer(file, layer, include);
      }
    }
  }

  std::vector<Complaint> take() { return std::move(complaints_); }

 private:
  void complain(const std::string& file, int line, std::string rule) {
    complaints_.push_back({file, line, std::move(rule)});
  }

  void check_layer(const std::string& file, const std::string& layer, const Include& include) {
    bool has_folder = include.target.find('/') != std::string::npos;
    std::string target = named_layer(include.target);
    bool known = has_folder && table_.contains(target);
    if (!known && !include.quoted) return;  // a library's header
    if (!known) {
      complain(
          file, include.line,
          fmt::format("\"{}\" begins with no layer of {}; write it from the layer root", include.target, kTableFile));
    } else if (target != layer && !table_.find(layer)->second.contains(target)) {
      complain(file, include.line,
               fmt::format("{} may not include \"{}\": row '{}' of {} does not list {}", layer, include.target, layer,
                           kTableFile, target));
    }
  }

  void check_driver(const std::string& file, const Include& include) {
    if (in_abi(include.target) || (include.quoted && beside(file, include.target, "drivers"))) return;
    if (include.quoted && exists_under("drivers", proto_of(file) / include.target)) return;
    if (include.quoted && file.rfind("drivers/quiet/", 0) == 0 &&
        exists_under("drivers", skeletons_of(file) / include.target)) {
      return;
    }
    complain(file, include.line,
             fmt::format("a driver sees only its own files and abi/; \"{}\" is neither", include.target));
  }

  // A driver's test is host code, and runs the driver.
  void check_driver_test(const std::string& file, const Include& include) {
    if (!include.quoted || in_abi(include.target)) return;
    if (exists_under("drivers", fs::path("drivers") / include.target)) return;
    if (table_.contains(named_layer(include.target))) return;
    complain(
        file, include.line,
        fmt::format("a driver's test quotes only drivers/, abi/ and layers; \"{}\" is none of them", include.target));
  }

  // A client has the system's own library besides.
  void check_client(const std::string& file, const Include& include) {
    if (!include.quoted || in_abi(include.target) || beside(file, include.target, "drivers")) return;
    if (exists_under("drivers", include.target)) return;
    complain(file, include.line,
             fmt::format("a client quotes only drivers/ and abi/; \"{}\" is neither", include.target));
  }

  // A device model is host code. Its tests also see what tests are made of.
  void check_hardware(const std::string& file, const Include& include) {
    if (!include.quoted || in_abi(include.target)) return;
    if (exists_under("drivers", fs::path("drivers") / include.target)) return;
    std::string target = named_layer(include.target);
    if (is_test(file) && (target == "base" || target == "nt")) return;
    complain(file, include.line,
             fmt::format("a device model quotes only drivers/ and abi/; \"{}\" is neither", include.target));
  }

  void check_abi(const std::string& file, const Include& include) {
    if (!include.quoted || in_abi(include.target) || beside(file, include.target, "abi")) return;
    complain(file, include.line, fmt::format("abi may quote only abi; \"{}\" is not there", include.target));
  }

  // Found as the compiler would find it: from the root, or in one of the folders a driver is compiled with.
  bool in_abi(const std::string& target) const {
    if (exists_under("abi", fs::path(target))) return true;
    return std::ranges::any_of(
        kAbiFolders, [&](std::string_view folder) { return exists_under("abi", fs::path("abi") / folder / target); });
  }

  // Beside the including file, and still within `tree`.
  bool beside(const std::string& file, const std::string& target, std::string_view tree) const {
    return exists_under(tree, fs::path(file).parent_path() / target);
  }

  bool exists_under(std::string_view tree, const fs::path& relative) const {
    fs::path path = relative.lexically_normal();
    if (path.is_absolute() || first_folder(path.generic_string()) != tree) return false;
    std::error_code error;
    return fs::is_regular_file(root_ / path, error);
  }

  fs::path root_;
  Table table_;
  std::set<std::string, std::less<>> unknown_;
  std::vector<Complaint> complaints_;
};

std::optional<std::string> text_of(const fs::path& file) {
  std::ifstream in(file);
  if (!in) return std::nullopt;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> source_files(const fs::path& root) {
  std::vector<std::string> files;
  for (std::string_view tree : kTrees) {
    std::error_code error;
    for (fs::recursive_directory_iterator entry(root / tree, error), end; !error && entry != end;
         entry.increment(error)) {
      if (is_source(entry->path())) files.push_back(entry->path().lexically_relative(root).generic_string());
    }
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::string to_string(const Complaint& complaint) {
  return fmt::format("{}:{}: {}", complaint.file, complaint.line, complaint.rule);
}

Table parse_table(std::string_view text, std::vector<Complaint>* complaints) {
  // The public API is a layer whether or not it has grown a row.
  Table table = {{"include", {"abi"}}};
  std::map<std::string, int, std::less<>> rows;
  std::istringstream in{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    std::string_view row = trimmed(std::string_view(line).substr(0, line.find('#')));
    if (row.empty()) continue;
    size_t colon = row.find(':');
    std::string layer(trimmed(row.substr(0, colon)));
    if (layer.ends_with('/')) continue;  // rooms
    if (colon == std::string_view::npos || layer.empty() || !rows.emplace(layer, number).second) {
      complaints->push_back(
          {std::string(kTableFile), number, "not a row 'layer: layer …', or the second of its layer"});
      continue;
    }
    std::istringstream names{std::string(row.substr(colon + 1))};
    std::set<std::string>& allowed = table[layer];
    allowed.clear();
    for (std::string name; names >> name;) allowed.insert(name);
  }
  for (const auto& [layer, number] : rows) {
    for (const std::string& name : table[layer]) {
      if (!table.contains(name)) {
        complaints->push_back({std::string(kTableFile), number, fmt::format("'{}' has no row of its own", name)});
      }
    }
  }
  return table;
}

std::vector<Complaint> check_tree(const fs::path& root) {
  std::vector<Complaint> complaints;
  std::optional<std::string> text = text_of(root / kTableFile);
  if (!text) return {{std::string(kTableFile), 0, "cannot be read"}};
  Checker checker(root, parse_table(*text, &complaints));
  for (const std::string& file : source_files(root)) checker.check_file(file);
  std::vector<Complaint> found = checker.take();
  complaints.insert(complaints.end(), found.begin(), found.end());
  return complaints;
}

}  // namespace layers
