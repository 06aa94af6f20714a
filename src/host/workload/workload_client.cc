#include "host/workload/workload_client.h"

#include <fmt/format.h>

#include <array>

namespace host {
namespace {

constexpr uint32_t kPrivateRoom = 4096;   // bytes of an allocation's, an escape's or a submission's private data
constexpr uint32_t kCommandRoom = 16384;  // bytes of one buffer
constexpr uint32_t kReferenceRoom = 8;    // of one piece of work

const char* operand_name(uint32_t operand) { return operand == DRYDOCK_OPERAND_TO ? "to" : "from"; }

// What is wrong with a reference, or empty.
std::string wrong(const DRYDOCK_WORK_REFERENCE& reference, const DRYDOCK_WORK& work, uint32_t used) {
  if (reference.operand > DRYDOCK_OPERAND_FROM) return fmt::format("refers to operand {}", reference.operand);
  const DRYDOCK_WORK_OPERAND& operand = reference.operand == DRYDOCK_OPERAND_TO ? work.to : work.from;
  if (operand.bytes == 0) {
    return fmt::format("refers to the operand '{}', which work of kind {} has not", operand_name(reference.operand),
                       work.kind);
  }
  if (reference.at >= used) return fmt::format("refers to byte {} of {} bytes of commands", reference.at, used);
  return "";
}

}  // namespace

std::unique_ptr<WorkloadClient> WorkloadClient::open(const Workload& workload,
                                                     const DRYDOCK_WORKLOAD_ADAPTER& adapter) {
  DRYDOCK_WORKLOAD_CLIENT* client = workload->open(&adapter);
  if (!client) return nullptr;
  return std::unique_ptr<WorkloadClient>(new WorkloadClient(*workload, client));
}

WorkloadClient::WorkloadClient(const DRYDOCK_WORKLOAD& description, DRYDOCK_WORKLOAD_CLIENT* client)
    : description_(description), client_(client), command_room_(kCommandRoom), private_room_(kPrivateRoom) {}

WorkloadClient::~WorkloadClient() { description_.close(client_); }

template <typename Write>
base::Expected<std::vector<uint8_t>, std::string> WorkloadClient::write(const char* function, Write write_bytes) const {
  DRYDOCK_WORKLOAD_BYTES bytes{private_room_.data(), kPrivateRoom, 0};
  int32_t answer = write_bytes(&bytes);
  if (answer != DRYDOCK_WORKLOAD_OK) return fmt::format("the workload {}: {}() answered {}", name(), function, answer);
  if (bytes.used > kPrivateRoom) {
    return fmt::format("the workload {}: {}() says that it wrote {} bytes into {}", name(), function, bytes.used,
                       kPrivateRoom);
  }
  return std::vector<uint8_t>(private_room_.begin(), private_room_.begin() + bytes.used);
}

base::Expected<std::vector<uint8_t>, std::string> WorkloadClient::describe(
    const DRYDOCK_WORKLOAD_MEMORY& memory) const {
  return write("describe", [&](DRYDOCK_WORKLOAD_BYTES* data) { return description_.describe(client_, &memory, data); });
}

bool WorkloadClient::can_misbehave(uint32_t kind) const {
  return misbehave({sizeof(DRYDOCK_WORKLOAD_HARDWARE), kind, 0, 0, 0}).ok();
}

base::Expected<std::vector<uint8_t>, std::string> WorkloadClient::misbehave(
    const DRYDOCK_WORKLOAD_HARDWARE& how) const {
  if (!description_.misbehave) return fmt::format("the workload {} has no misbehave()", name());
  return write("misbehave",
               [&](DRYDOCK_WORKLOAD_BYTES* escape) { return description_.misbehave(client_, &how, escape); });
}

base::Expected<BuiltCommands, std::string> WorkloadClient::build(std::span<const DRYDOCK_WORK> work) const {
  BuiltCommands built;
  std::array<DRYDOCK_WORK_REFERENCE, kReferenceRoom> references{};
  DRYDOCK_WORK_COMMANDS commands{};
  commands.size = sizeof(commands);
  commands.bytes = command_room_.data();
  commands.room = kCommandRoom;
  commands.references = references.data();
  commands.reference_room = kReferenceRoom;
  commands.private_data = private_room_.data();
  commands.private_room = kPrivateRoom;
  for (size_t i = 0; i < work.size(); ++i) {
    uint32_t before = commands.used;
    commands.reference_count = 0;
    int32_t answer = description_.build(client_, &work[i], &commands);
    auto wrong_build = [&](const std::string& what) {
      return fmt::format("the workload {}: build() of work of kind {} {}", name(), work[i].kind, what);
    };
    if (answer != DRYDOCK_WORKLOAD_OK) return wrong_build(fmt::format("answered {}", answer));
    if (commands.used < before || commands.used > kCommandRoom || commands.reference_count > kReferenceRoom ||
        commands.private_used > kPrivateRoom) {
      return wrong_build("says that it wrote more than there is room for");
    }
    for (uint32_t reference = 0; reference < commands.reference_count; ++reference) {
      std::string sentence = wrong(references[reference], work[i], commands.used);
      if (!sentence.empty()) return wrong_build(sentence);
      built.references.push_back({references[reference], i});
    }
  }
  built.bytes.assign(command_room_.begin(), command_room_.begin() + commands.used);
  built.private_data.assign(private_room_.begin(), private_room_.begin() + commands.private_used);
  return built;
}

}  // namespace host
