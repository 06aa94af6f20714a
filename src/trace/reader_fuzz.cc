// Any bytes at all as a trace: the reader yields what is whole, says what is wrong, and lives.
#include <cstring>
#include <sstream>

#include "trace/reader.h"
#include "trace/text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<std::byte> bytes(size);
  if (size) std::memcpy(bytes.data(), data, size);
  trace::Reader reader(std::move(bytes));
  std::ostringstream out;
  base::Result<> result = trace::dump_text(reader, out);
  CHECK(result.ok() == reader.message().empty());
  return 0;
}
