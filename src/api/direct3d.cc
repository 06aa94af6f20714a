#include "api/direct3d.h"

#include <utility>

#include "api/direct3d_device.h"

namespace drydock::internal {

bool Direct3D::open() {
  D3DKMT_HANDLE kernel_adapter = client_->open_adapter();
  if (!kernel_adapter) return false;
  std::string why;
  Status reached = client_->run([&](host::Graphics& graphics, kmt::Client& process) {
    if (!umd::Runtime::of(graphics.machine())) {
      why = "the host has no user-mode driver: HostOptions::umd names one";
      return;
    }
    auto opened = umd::Adapter9::open(umd::Runtime::current(), process, kernel_adapter);
    if (!opened.ok()) {
      why = opened.error();
      return;
    }
    adapter_ = opened.take();
    version_ = adapter_->version();
    client_->add(shared_from_this());
  });
  if (reached < 0) return false;
  if (!why.empty()) client_->refuse(kInvalidCall, why);
  return why.empty();
}

std::shared_ptr<Direct3DDevice> Direct3D::create_device() {
  std::shared_ptr<Direct3DDevice> made;
  std::string why;
  Status reached = client_->run([&](host::Graphics&, kmt::Client&) {
    if (!adapter_) {
      why = "the adapter was closed";
      return;
    }
    auto device = adapter_->create_device();
    if (!device.ok()) {
      why = device.error();
      return;
    }
    made = devices_.emplace_back(std::make_shared<Direct3DDevice>(client_, device.take()));
  });
  if (reached >= 0 && !made) client_->refuse(kInvalidCall, why);
  return made;
}

void Direct3D::close() {
  client_->run([&](host::Graphics&, kmt::Client&) { close_here(); });
}

void Direct3D::close_here() {
  for (const auto& device : std::exchange(devices_, {})) device->destroy_here();
  adapter_.reset();
}

void Direct3D::abandon() {
  for (const auto& device : std::exchange(devices_, {})) device->abandon();
  static_cast<void>(adapter_.release());
}

}  // namespace drydock::internal
