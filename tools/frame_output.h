#pragma once

#include <optional>
#include <string>

#include "host/capture/y4m_file.h"
#include "host/render/picture.h"
#include "host/render/scene.h"

namespace tools {

// A file name with the frame's number in it, as printf has it: frame-%04d.png.
class NumberedName {
 public:
  // Nothing unless there is exactly one %d or %0Nd in it, and no other %.
  static std::optional<NumberedName> parse(const std::string& text);
  std::string of(uint32_t number) const;

 private:
  std::string before_, after_;
  int digits_ = 0;
};

// Where pictures go: one PNG, one for each frame, or a film. No file is made before there is a picture for it. What it
// returns is empty, or one sentence about what is wrong.
class FrameOutput {
 public:
  std::string choose(const std::string& name, uint32_t frames);
  void set_rate(uint32_t frames_per_second) { rate_ = frames_per_second; }  // of a film; before the first picture
  std::string add(const host::Picture& picture);
  std::string close();

  bool is_standard_output() const { return name_ == "-"; }

 private:
  std::string choose_pictures(uint32_t frames);
  std::string add_to_film(const host::Picture& picture, bool first);

  std::string name_;
  bool film_ = false;
  uint32_t count_ = 0;
  uint32_t rate_ = host::kFramesPerSecond;
  std::optional<NumberedName> numbered_;
  host::Y4mFile film_file_;
};

}  // namespace tools
