#include "tools/frame_output.h"

#include <fmt/format.h>

#include "host/render/png_file.h"
#include "host/render/scene.h"

namespace tools {

std::optional<NumberedName> NumberedName::parse(const std::string& text) {
  size_t percent = text.find('%');
  if (percent == std::string::npos) return std::nullopt;
  NumberedName name;
  size_t end = percent + 1;
  if (end + 1 < text.size() && text[end] == '0' && text[end + 1] >= '1' && text[end + 1] <= '9') {
    name.digits_ = text[end + 1] - '0';
    end += 2;
  }
  if (end >= text.size() || text[end] != 'd' || text.find('%', end) != std::string::npos) return std::nullopt;
  name.before_ = text.substr(0, percent);
  name.after_ = text.substr(end + 1);
  return name;
}

std::string NumberedName::of(uint32_t number) const {
  return fmt::format("{}{:0{}}{}", before_, number, digits_, after_);
}

std::string FrameOutput::choose(const std::string& name, uint32_t frames) {
  name_ = name;
  film_ = name == "-" || name.ends_with(".y4m");
  return film_ ? std::string() : choose_pictures(frames);
}

std::string FrameOutput::choose_pictures(uint32_t frames) {
  if (!name_.ends_with(".png")) return fmt::format("{}: pictures are written as .png, films as .y4m", name_);
  if (name_.find('%') != std::string::npos) {
    numbered_ = NumberedName::parse(name_);
    return numbered_ ? std::string() : fmt::format("{}: a name has one number in it, such as frame-%04d.png", name_);
  }
  if (frames == 1) return {};
  return fmt::format("{}: one file cannot hold {} frames; name it frame-%04d.png, or make a film: out.y4m", name_,
                     frames);
}

std::string FrameOutput::add(const host::Picture& picture) {
  uint32_t number = count_++;
  if (film_) return add_to_film(picture, number == 0);
  return host::write_png(numbered_ ? numbered_->of(number) : name_, picture);
}

std::string FrameOutput::add_to_film(const host::Picture& picture, bool first) {
  if (first) {
    std::string wrong = film_file_.open(name_, picture.width, picture.height, rate_);
    if (!wrong.empty()) return wrong;
  }
  return film_file_.add(picture);
}

std::string FrameOutput::close() { return film_file_.close(); }

}  // namespace tools
