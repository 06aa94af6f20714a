#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/client.h"
#include "drydock/direct3d.h"
#include "umd/d3d9/device9.h"

namespace drydock::internal {

// The implementation of a Device9 and the resources it names. Shared by those values and, until it ends, by its
// adapter. Any thread, one at a time; its members are used on the machine's thread.
class Direct3DDevice {
 public:
  using Id = uint64_t;  // of a resource; never used again

  // A surface of a resource, all of it or a part.
  struct Part {
    Id resource = 0;
    uint32_t surface = 0;
    const Rect* rect = nullptr;  // null: all of it
  };

  Direct3DDevice(std::shared_ptr<Client> client, std::unique_ptr<umd::Device9> device);

  // Each answers what the driver did; the client knows why something failed.
  HResult create(const ResourceOptions9& options, Id* id, Handle* global_share);
  HResult open(Handle global_share, const ResourceOptions9& options, Id* id);
  HResult destroy(Id resource);
  HResult write(Id resource, uint32_t surface, const std::vector<uint8_t>& bytes);
  HResult read(Id resource, uint32_t surface, std::vector<uint8_t>* bytes);
  HResult set_render_target(Id resource, uint32_t surface);
  HResult clear(uint32_t color);
  HResult draw_triangles(Id vertices, uint32_t count);
  HResult color_fill(const Part& part, uint32_t color);
  HResult blt(const Part& from, const Part& to);
  HResult flush();
  bool fail_callback(const std::string& name, uint32_t nth, HResult result);
  HResult destroy();

  // For a call that names something of another device.
  HResult refuse(std::string why) { return client_->refuse(kInvalidCall, std::move(why)); }
  std::string why() { return client_->why(); }

  // On the machine's thread.
  HResult destroy_here();
  // After the machine's end.
  void abandon();

 private:
  struct Made {
    umd::Resource* resource;
    ResourceOptions9 options;
  };
  struct Shape {
    uint32_t row_bytes = 0;
    uint32_t rows = 0;
  };

  // What the driver answered, or why it was not asked.
  using Answer = base::Expected<HRESULT, std::string>;

  // `what` on the machine's thread, while there is a device.
  HResult call(const char* function, const std::function<Answer()>& what);
  base::Expected<const Made*, std::string> find(Id id) const;
  base::Expected<const Made*, std::string> find(Id id, uint32_t surface) const;
  static Shape shape_of(const ResourceOptions9& options, uint32_t surface);
  base::Expected<umd::Place, std::string> place(const Part& part) const;
  HRESULT prepare_to_draw();

  const std::shared_ptr<Client> client_;
  std::unique_ptr<umd::Device9> device_;  // on the machine; null after the end
  std::map<Id, Made> resources_;
  Id last_id_ = 0;
  Id target_ = 0;
  uint32_t target_surface_ = 0;
  HANDLE vertex_declaration_ = nullptr;  // once something was drawn
  bool ready_to_draw_ = false;           // the driver has all the state that drawing needs
};

}  // namespace drydock::internal
