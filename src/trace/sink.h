#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/scoped.h"

namespace trace {

// Receives the bytes of a trace in order (encoding.h). Called under the writer's lock, so it must not emit and may take
// no lock of a lower rank.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual base::Result<> write(std::span<const std::byte> bytes) = 0;
};

// Keeps the trace in memory. Owned by the code that reads it afterwards; not to be read while a writer has it.
class MemorySink final : public Sink {
 public:
  base::Result<> write(std::span<const std::byte> bytes) override;
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// Writes the trace to a file. Owned by the code that opened it; must be taken from its writer before it is closed.
class FileSink final : public Sink {
 public:
  // Makes the file, or empties it.
  static base::Result<std::unique_ptr<FileSink>> create(const std::string& path);

  base::Result<> write(std::span<const std::byte> bytes) override;
  // Nothing is buffered here, but some file systems say only at the close that earlier writes were lost. Later calls do
  // nothing.
  base::Result<> close();

 private:
  explicit FileSink(base::ScopedFd file) : file_(std::move(file)) {}
  base::ScopedFd file_;
};

}  // namespace trace
