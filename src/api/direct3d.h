#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/client.h"
#include "drydock/direct3d.h"
#include "umd/d3d9/adapter9.h"

namespace drydock::internal {

class Direct3DDevice;

// The implementation of a Direct3D9: the adapter, as the user-mode driver opened it. Shared by that value, by its
// devices and, until it ends, by its process. Any thread; its members are used on the machine's thread.
class Direct3D : public std::enable_shared_from_this<Direct3D> {
 public:
  explicit Direct3D(std::shared_ptr<Client> client) : client_(std::move(client)) {}

  Client& client() { return *client_; }
  // False when the driver was refused; the client says why.
  bool open();
  uint32_t version() const { return version_; }
  // Null when the driver refused; the client says why.
  std::shared_ptr<Direct3DDevice> create_device();
  void close();

  // On the machine's thread.
  void close_here();
  // After the machine's end.
  void abandon();

 private:
  const std::shared_ptr<Client> client_;
  uint32_t version_ = 0;
  std::unique_ptr<umd::Adapter9> adapter_;                // on the machine; null before open() and after the end
  std::vector<std::shared_ptr<Direct3DDevice>> devices_;  // all that there were
};

}  // namespace drydock::internal
