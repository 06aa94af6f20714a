#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "drydock/client.h"
#include "drydock/export.h"

namespace drydock {

namespace internal {
class Direct3D;
class Direct3DDevice;
}  // namespace internal

using HResult = std::int32_t;  // HRESULT: what a user-mode driver answers

inline constexpr HResult kOk = 0;                                               // S_OK
inline constexpr HResult kOutOfMemory = static_cast<HResult>(0x8007000Eu);      // E_OUTOFMEMORY
inline constexpr HResult kInvalidArgument = static_cast<HResult>(0x80070057u);  // E_INVALIDARG
// What an invalid call returns, which never reached the driver: D3DERR_INVALIDCALL.
inline constexpr HResult kInvalidCall = static_cast<HResult>(0x8876086Cu);
// D3DDDIERR_DEVICEREMOVED; also what every call returns after the machine has stopped or the process has ended.
inline constexpr HResult kDeviceRemoved = static_cast<HResult>(0x88760870u);

// D3DDDIFORMAT, under the documented names.
enum class Format9 : std::uint32_t { A8R8G8B8 = 21, X8R8G8B8 = 22, R5G6B5 = 23, A1R5G5B5 = 25, A4R4G4B4 = 26, A8 = 28 };

enum class Kind9 : std::uint8_t { Texture, RenderTarget, VertexBuffer };

struct ResourceOptions9 {
  Kind9 kind = Kind9::Texture;
  std::uint32_t width = 1;  // of a vertex buffer: its bytes
  std::uint32_t height = 1;
  Format9 format = Format9::A8R8G8B8;
  // Of a texture: its levels. Of a render target: surfaces of one size, created and destroyed as one.
  std::uint32_t surfaces = 1;
  bool shared = false;
  bool dynamic = false;
};

struct Rect {
  std::int32_t left = 0, top = 0, right = 0, bottom = 0;
};

// Of what draw_triangles() draws: from -1, -1 at the lower left of the target to 1, 1 at its upper right.
struct Vertex9 {
  float x, y, z;        // z: 0 to 1
  std::uint32_t color;  // A8R8G8B8
};

class Device9;

// A resource of a device. False when it could not be made: result() and why() say more.
class DRYDOCK_API Resource9 {
 public:
  explicit operator bool() const { return result_ >= 0; }
  HResult result() const { return result_; }
  const std::string& why() const { return why_; }

  const ResourceOptions9& options() const { return options_; }
  Handle global_share() const { return global_share_; }  // of one that is shared

  // All bytes of a surface, row after row without gaps, by Lock and Unlock. What reading gives is empty when the driver
  // refused.
  HResult write(const std::vector<std::uint8_t>& bytes, std::uint32_t surface = 0) const;
  std::vector<std::uint8_t> read(std::uint32_t surface = 0) const;
  // DestroyResource. The resource is gone afterwards, whatever the driver returns.
  HResult destroy() const;

 private:
  friend class Device9;
  Resource9(std::shared_ptr<internal::Direct3DDevice> device, ResourceOptions9 options);

  std::shared_ptr<internal::Direct3DDevice> device_;
  ResourceOptions9 options_;
  std::uint64_t id_ = 0;
  Handle global_share_ = 0;
  HResult result_ = kOk;
  std::string why_;
};

// A device of Direct3D 9. False when it could not be made: why() says more. As its page says of drivers, one thread at
// a time uses it.
class DRYDOCK_API Device9 {
 public:
  explicit operator bool() const { return device_ != nullptr; }
  // Why the last call that failed did, in one sentence; before any, why there is no device.
  std::string why() const;

  Resource9 create(const ResourceOptions9& options) const;
  Resource9 create_texture(std::uint32_t width, std::uint32_t height, Format9 format = Format9::A8R8G8B8) const;
  Resource9 create_render_target(std::uint32_t width, std::uint32_t height, Format9 format = Format9::A8R8G8B8) const;
  Resource9 create_vertex_buffer(std::uint32_t bytes) const;
  // One that another device shares, of this process or of another one (OpenResource).
  Resource9 open(const Resource9& shared) const;
  // The same by its handle. The handle does not say how the resource was created, so the caller must.
  Resource9 open(Handle global_share, const ResourceOptions9& created_as) const;

  // What clear() and draw_triangles() change.
  HResult set_render_target(const Resource9& target, std::uint32_t surface = 0) const;
  HResult clear(std::uint32_t color) const;
  // `count` triangles, three Vertex9 each, from the beginning of a vertex buffer.
  HResult draw_triangles(const Resource9& vertices, std::uint32_t count) const;
  // All of the first surface, or a part of it.
  HResult color_fill(const Resource9& target, std::uint32_t color) const;
  HResult color_fill(const Resource9& target, std::uint32_t color, const Rect& rect) const;
  // All of the first surface to all of the other one's.
  HResult blt(const Resource9& from, const Resource9& to) const;
  HResult flush() const;

  // The nth call from now on of one of the runtime's callbacks fails: "pfnAllocateCb". False when there is none of that
  // name.
  bool fail_callback(const std::string& name, std::uint32_t nth = 1, HResult result = kOutOfMemory) const;

  // What resources it has, and the device itself (DestroyDevice).
  HResult destroy() const;

 private:
  friend class Direct3D9;
  Device9() = default;
  Resource9 settle(Resource9 made) const;
  bool has(const Resource9& resource) const;

  std::shared_ptr<internal::Direct3DDevice> device_;
  std::string why_;
};

// The user-mode driver of the host (HostOptions::umd) as a program of Direct3D 9 has it: an adapter that was opened
// through the driver's OpenAdapter. False when the driver was refused: why() says more. A value like a Process; what it
// has goes with it, or with its process, which ends in order: devices, the adapter, the rest.
class DRYDOCK_API Direct3D9 {
 public:
  explicit operator bool() const { return adapter_ != nullptr; }
  const std::string& why() const { return why_; }

  // The interface version that runtime and driver agreed on, D3D_UMD_INTERFACE_VERSION_….
  std::uint32_t version() const { return version_; }
  Device9 create_device() const;
  // Its devices, and the adapter itself (CloseAdapter).
  void close() const;

 private:
  friend class Process;
  Direct3D9() = default;

  std::shared_ptr<internal::Direct3D> adapter_;
  std::uint32_t version_ = 0;
  std::string why_;
};

}  // namespace drydock
