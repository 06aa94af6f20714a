#include "host/workload/gpu_model.h"

#include <algorithm>
#include <cstring>

#include "base/align.h"

namespace host {

ModelBuffer::ModelBuffer(GpuClient& client, const GpuBuffer& its_buffer, GpuCommands& commands, uint32_t pattern)
    : buffer(its_buffer), bytes(its_buffer.bytes), client_(&client) {
  fill(commands, 0, buffer.bytes, pattern);
}

std::optional<ModelBuffer> ModelBuffer::make(GpuClient& client, GpuCommands& commands, uint64_t bytes, uint32_t pattern,
                                             GpuClient::Place place) {
  auto buffer = client.make_buffer(bytes, place);
  if (!buffer) return std::nullopt;
  return ModelBuffer(client, *buffer, commands, pattern);
}

void ModelBuffer::fill(GpuCommands& commands, uint64_t offset, uint64_t count, uint32_t pattern) {
  commands.fill(buffer, offset, count, pattern);
  for (uint64_t i = 0; i < count; ++i) bytes[offset + i] = static_cast<uint8_t>(pattern >> (8 * (i % 4)));
}

void ModelBuffer::copy(GpuCommands& commands, uint64_t offset, const ModelBuffer& from, uint64_t from_offset,
                       uint64_t count) {
  commands.copy(from.buffer, from_offset, buffer, offset, count);
  std::memmove(bytes.data() + offset, from.bytes.data() + from_offset, count);
}

void ModelBuffer::take_long(GpuCommands& commands, uint32_t words, uint32_t rounds) {
  commands.take_long(buffer, words, rounds);
  client_->workload().apply(long_work(uint64_t{words} * 4, rounds), bytes.data(), nullptr);
}

void ModelBuffer::scribble(GpuCommands& commands, ScenarioEnvironment& environment) {
  auto size = static_cast<uint32_t>(buffer.bytes);
  uint32_t half = size / 2, unit = client_->alignment();
  auto some = [&](uint32_t most) { return static_cast<uint32_t>(base::round_down(environment.choose(most), unit)); };
  auto count = [&](uint32_t most) { return base::round_up(1 + environment.choose(most), unit); };
  for (uint32_t i = 1 + environment.choose(3); i > 0; --i) {
    uint32_t offset = some(size);
    switch (environment.choose(4)) {
      case 0:
        copy(commands, 0, *this, half, count(half));
        break;
      case 1:
        copy(commands, half, *this, 0, count(half));
        break;
      default:
        fill(commands, offset, count(size - offset), environment.choose(0x7FFFFFFF));
    }
  }
}

std::unique_ptr<Oracle> Oracle::make(GpuClient& client, uint64_t largest_buffer) {
  auto copy = client.make_buffer(largest_buffer, GpuClient::Place::Readback);
  if (!copy) return nullptr;
  return std::unique_ptr<Oracle>(new Oracle(client, *copy));
}

bool Oracle::check(GpuContext& context, const ModelBuffer& model) {
  GpuCommands commands;
  bool by_checksum = context.knows(DRYDOCK_WORK_CHECKSUM) && client_.machine().executor().choose(2) != 0;
  if (by_checksum) {
    commands.checksum(model.buffer, copy_, 0);
  } else {
    commands.copy(model.buffer, 0, copy_, 0, model.buffer.bytes);
  }
  if (context.submit(commands) < 0 || context.finish() < 0) return false;
  if (!client_.reliable()) return true;
  std::vector<uint8_t> seen = client_.read(copy_);
  if (seen.empty()) return false;
  bool same = std::equal(model.bytes.begin(), model.bytes.end(), seen.begin());
  if (by_checksum) {
    uint8_t right[4] = {};
    client_.workload().apply(checksum_work(model.bytes.size()), right, model.bytes.data());
    same = std::equal(right, right + sizeof(right), seen.begin());
  }
  if (!same && client_.lost()) return false;
  client_.expect_content(same,
                         "a buffer does not hold what was written to it, although the fence behind it has passed");
  return true;
}

void Oracle::check_locked(const ModelBuffer& model) {
  std::vector<uint8_t> seen = client_.read(model.buffer);
  if (!client_.reliable() || seen.empty()) return;
  client_.expect_content(seen == model.bytes, "a locked buffer does not show what was written to it");
}

void crowd_out(ScenarioEnvironment& environment, const std::string& name, uint64_t bytes, uint32_t rounds) {
  GpuClient client(environment.graphics(), name);
  if (!client.expect(client.open())) return;
  auto gpu = GpuContext::create(client, 0);
  if (!client.expect(gpu != nullptr)) return;
  for (uint32_t round = 0; round < rounds; ++round) {
    auto buffer = client.make_buffer(bytes, GpuClient::Place::Video);
    if (!buffer) continue;  // too much with what else there is
    GpuCommands commands;
    commands.fill(*buffer, 0, buffer->bytes, round);
    client.succeeds(gpu->submit(commands));
    client.succeeds(gpu->finish());
    client.succeeds(client.destroy_buffer(*buffer));
  }
}

}  // namespace host
