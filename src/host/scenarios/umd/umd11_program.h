#pragma once

#include <memory>
#include <vector>

#include "host/scenarios/umd/umd_environment.h"
#include "umd/d3d10/adapter10.h"

namespace host {

// A program that uses Direct3D 10 or 11, whichever the driver has: its process, and an adapter and a device of the
// driver. Owned by the scenario.
class Umd11Program : public UmdProcess {
 public:
  using UmdProcess::UmdProcess;
  // end()
  ~Umd11Program();

  // The adapter and a device. False when the driver refused.
  bool open();
  bool open_device();
  void close_device();
  // The device with everything it has, the adapter, the process.
  void end();

  umd::Adapter10& adapter() { return *driver_; }
  umd::Device10& device() { return *device_; }

 private:
  std::unique_ptr<umd::Adapter10> driver_;
  std::unique_ptr<umd::Device10> device_;
};

// A texture of one surface with four bytes for each pixel, of which every pixel is known: each command that writes to
// it is also carried out on the copy here. After a failure nothing is known. Created and destroyed on any thread,
// otherwise used on the thread of the immediate context; the code that made it destroys it, or leaves it to the device.
class Umd11Texture {
 public:
  enum class Kind : uint8_t { Target, SharedTarget, Sampled, Dynamic, Staging };

  // Null when the driver refused.
  static std::unique_ptr<Umd11Texture> make(Umd11Program& program, Kind kind, UINT width, UINT height);
  // A texture with its first contents.
  static std::unique_ptr<Umd11Texture> make_filled(Umd11Program& program, Kind kind, UINT width, UINT height,
                                                   uint32_t pattern);
  // One that another program shares, with what it holds.
  static std::unique_ptr<Umd11Texture> open(Umd11Program& program, const Umd11Texture& shared);

  umd::Resource* get() { return resource_; }
  Kind kind() const { return kind_; }
  RECT whole() const { return {0, 0, static_cast<LONG>(width_), static_cast<LONG>(height_)}; }

  // A8R8G8B8; of a target.
  bool clear(uint32_t color);
  bool update(const RECT& rect, uint32_t pattern);
  bool copy(Umd11Texture& from);
  bool copy(LONG left, LONG top, Umd11Texture& from, const RECT& rect);
  // By DXGI, from another target of the same size.
  bool present(Umd11Texture& from);
  // By a map: all of it. Dynamic textures are discarded, staging ones written.
  bool write(uint32_t pattern);
  // Compares what a map of `staging`, which has the same size, shows of a copy; a staging texture shows itself. What
  // differs is fatal. False when it could not be mapped.
  bool check(Umd11Texture& staging);
  void take_over(const Umd11Texture& other);

  HRESULT destroy();

 private:
  Umd11Texture(Umd11Program& program, Kind kind, UINT width, UINT height);
  umd::ResourceDesc10 desc() const;
  bool make_view();
  bool did(HRESULT result, base::Here where = base::Here::now());
  uint32_t* at(LONG x, LONG y) { return &pixels_[static_cast<size_t>(y) * width_ + static_cast<size_t>(x)]; }

  Umd11Program& program_;
  const Kind kind_;
  const UINT width_, height_;
  umd::Resource* resource_ = nullptr;
  umd::RenderTargetView* view_ = nullptr;  // of a target; destroyed with it
  bool known_ = false;
  std::vector<uint32_t> pixels_;
};

}  // namespace host
