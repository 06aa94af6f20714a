#include <utility>

#include "api/client.h"
#include "drydock/client.h"

namespace drydock {

Process::Process(std::shared_ptr<internal::Client> client) : client_(std::move(client)) {}

const std::string& Process::name() const { return client_->name(); }

Status Process::call_sized(const char* function, void* arguments, std::size_t bytes) const {
  return client_->call(function, arguments, bytes);
}

std::string Process::why() const { return client_->why(); }

Handle Process::open_adapter() const { return client_->open_adapter(); }

Device Process::open_device() const {
  Device device(client_);
  D3DKMT_CREATEDEVICE args{};
  args.hAdapter = client_->open_adapter();
  // Without an adapter this call reports once more why there is none.
  device.status_ = client_->call(kmt::Thunk::CreateDevice, &args);
  if (device.status_ < 0) device.why_ = client_->why();
  device.handle_ = args.hDevice;
  return device;
}

Ledger Process::ledger() const { return client_->ledger(); }

void Process::end() const { client_->end(); }

}  // namespace drydock
