#include "client/utf32_thunks.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <vector>

#include "base/align.h"
#include "base/utf.h"
#include "kmt/client/raw_enum.h"
#include "nt/store/registry.h"

namespace client::utf32 {
namespace {

using base::Failure;
using base::Result;

// --- Text ---

void append(std::u16string& to, Char c) {
  base::append_character(to, base::is_character(c) ? c : base::kReplacementCharacter);
}

std::u16string narrow_all(std::span<const Char> from) {
  std::u16string text;
  for (Char c : from) append(text, c);
  return text;
}

// --- D3DKMTQueryAdapterInfo ---

// A structure with text in it: some bytes, characters, some bytes. Both layouts are aligned to four, so nothing else
// moves.
struct TextLayout {
  uint32_t type;
  size_t head, characters, tail;

  size_t narrow_bytes() const { return head + characters * sizeof(char16_t) + tail; }
  size_t wide_bytes() const { return head + characters * sizeof(Char) + tail; }
};

#define TEXT_LAYOUT(type, structure, field)                                       \
  TextLayout {                                                                    \
    type, offsetof(structure, field), sizeof(structure::field) / sizeof(WCHAR),   \
        sizeof(structure) - offsetof(structure, field) - sizeof(structure::field) \
  }

constexpr size_t kRegistryTexts = sizeof(D3DKMT_ADAPTERREGISTRYINFO) / sizeof(WCHAR);  // four of them in a row
constexpr TextLayout kLayouts[] = {
    TEXT_LAYOUT(KMTQAITYPE_UMDRIVERNAME, D3DKMT_UMDFILENAMEINFO, UmdFileName),
    TEXT_LAYOUT(KMTQAITYPE_UMOPENGLINFO, D3DKMT_OPENGLINFO, UmdOpenGlIcdFileName),
    {KMTQAITYPE_ADAPTERREGISTRYINFO, 0, kRegistryTexts, 0},
    {KMTQAITYPE_ADAPTERREGISTRYINFO_RENDER, 0, kRegistryTexts, 0},
    TEXT_LAYOUT(KMTQAITYPE_NODEMETADATA, D3DKMT_NODEMETADATA, NodeData.FriendlyName),
    TEXT_LAYOUT(KMTQAITYPE_QUERYREGISTRY, D3DDDI_QUERYREGISTRY_INFO, ValueName),
    TEXT_LAYOUT(KMTQAITYPE_QUERY_ADAPTER_UNIQUE_GUID, D3DKMT_QUERY_ADAPTER_UNIQUE_GUID, AdapterUniqueGUID),
    TEXT_LAYOUT(KMTQAITYPE_DRIVER_DESCRIPTION, D3DKMT_DRIVER_DESCRIPTION, DriverDescription),
    TEXT_LAYOUT(KMTQAITYPE_DRIVER_DESCRIPTION_RENDER, D3DKMT_DRIVER_DESCRIPTION, DriverDescription),
};
#undef TEXT_LAYOUT

const TextLayout* layout_of(uint32_t type) {
  auto row = std::ranges::find(kLayouts, type, &TextLayout::type);
  return row == std::end(kLayouts) ? nullptr : row;
}

// Registry information is four texts in one; each ends by itself.
size_t texts_in(const TextLayout& layout) { return layout.characters == kRegistryTexts ? 4 : 1; }

template <typename To, typename From, typename F>
void convert(const TextLayout& layout, std::vector<uint8_t>& to, const std::vector<uint8_t>& from, F convert_text) {
  size_t count = layout.characters / texts_in(layout);
  std::memcpy(to.data(), from.data(), layout.head);
  std::vector<To> to_text(count);
  std::vector<From> from_text(count);
  for (size_t i = 0; i < texts_in(layout); ++i) {
    std::memcpy(from_text.data(), from.data() + layout.head + i * count * sizeof(From), count * sizeof(From));
    convert_text(std::span<To>(to_text), std::span<const From>(from_text));
    std::memcpy(to.data() + layout.head + i * count * sizeof(To), to_text.data(), count * sizeof(To));
  }
  std::memcpy(to.data() + to.size() - layout.tail, from.data() + from.size() - layout.tail, layout.tail);
}

Result<NTSTATUS> query_text(kmt::Client& client, const D3DKMT_QUERYADAPTERINFO& args, const TextLayout& layout) {
  // A value of the registry may follow its structure; all others are to be exact (observed).
  bool fits = layout.type == KMTQAITYPE_QUERYREGISTRY ? args.PrivateDriverDataSize >= layout.wide_bytes()
                                                      : args.PrivateDriverDataSize == layout.wide_bytes();
  if (!fits) {
    return Failure(STATUS_INVALID_PARAMETER,
                   "the size is not that of the structure with four bytes a character, as Linux clients have it");
  }
  std::vector<uint8_t> wide_data(layout.wide_bytes()), narrow_data(layout.narrow_bytes());
  TRY(client.memory().read(std::span(wide_data), args.pPrivateDriverData));
  convert<char16_t, Char>(layout, narrow_data, wide_data, [](auto to, auto from) { narrow(to, from); });
  D3DKMT_QUERYADAPTERINFO inner = args;
  inner.pPrivateDriverData = narrow_data.data();
  inner.PrivateDriverDataSize = static_cast<UINT>(narrow_data.size());
  NTSTATUS status = kmt::QueryAdapterInfo(client, &inner);
  if (status < 0) return status;  // the ledger has the reason
  convert<Char, char16_t>(layout, wide_data, narrow_data, [](auto to, auto from) { widen(to, from); });
  TRY(client.memory().write(args.pPrivateDriverData, std::span<const uint8_t>(wide_data)));
  return status;
}

// --- Names in the client's memory ---

constexpr size_t kMaxNameCharacters = 32767;  // as a UNICODE_STRING can hold of UTF-16

// The text at a pointer to a zero-terminated one, read in pieces that do not go beyond a page that is there.
Result<std::u16string> read_text(kmt::Client& client, const void* user) {
  std::u16string text;
  uint64_t at = kmt::UserMemory::address(user);
  for (size_t left = kMaxNameCharacters; left != 0;) {
    Char piece[64];
    size_t count = std::clamp<size_t>((base::kPageBytes - at % base::kPageBytes) / sizeof(Char), 1,
                                      std::min(left, std::size(piece)));
    TRY(client.memory().read(piece, at, count * sizeof(Char)));
    for (size_t i = 0; i < count; ++i) {
      if (piece[i] == 0) return text;
      append(text, piece[i]);
    }
    at += count * sizeof(Char);
    left -= count;
  }
  return Failure(STATUS_INVALID_PARAMETER, "a name has no end");
}

// A client's OBJECT_ATTRIBUTES with its name converted, for as long as one call lasts.
class NarrowAttributes {
 public:
  NarrowAttributes() = default;
  NarrowAttributes(const NarrowAttributes&) = delete;
  NarrowAttributes& operator=(const NarrowAttributes&) = delete;

  Result<> read(kmt::Client& client, const OBJECT_ATTRIBUTES* user) {
    if (!user) return {};
    attributes_ = TRY(client.memory().read(user));
    if (!attributes_->ObjectName) return {};
    string_ = TRY(client.memory().read(attributes_->ObjectName));
    if (string_.Length % sizeof(Char) != 0) {
      return Failure(STATUS_INVALID_PARAMETER, "a name's length is no multiple of the four bytes of a character");
    }
    std::vector<Char> characters(string_.Length / sizeof(Char));
    TRY(client.memory().read(std::span(characters), string_.Buffer));
    text_ = narrow_all(characters);
    string_.Buffer = text_.data();
    string_.Length = string_.MaximumLength = static_cast<USHORT>(text_.size() * sizeof(char16_t));
    attributes_->ObjectName = &string_;
    return {};
  }

  OBJECT_ATTRIBUTES* get() { return attributes_ ? &*attributes_ : nullptr; }

 private:
  std::optional<OBJECT_ATTRIBUTES> attributes_;
  UNICODE_STRING string_{};
  std::u16string text_;
};

// The two functions that open by a name differ in nothing but their types.
template <typename Args>
Result<NTSTATUS> open_by_name(kmt::Client& client, Args* user, NTSTATUS (*thunk)(kmt::Client&, Args*)) {
  Args args = TRY(client.memory().read(user));
  NarrowAttributes attributes;
  TRY(attributes.read(client, args.pObjAttrib));
  args.pObjAttrib = attributes.get();
  NTSTATUS status = thunk(client, &args);
  if (status < 0) return status;
  Result<> told = client.memory().write(&user->hNtHandle, args.hNtHandle);
  if (!told.ok()) {
    static_cast<void>(client.handles().close(args.hNtHandle));
    return told.failure();
  }
  return status;
}

Result<NTSTATUS> open_gdi(kmt::Client& client, GdiDisplayName* user) {
  // Observed: what other functions answer with STATUS_INVALID_PARAMETER, this one does with STATUS_UNSUCCESSFUL.
  auto read = client.memory().read(user);
  if (!read.ok()) return Failure(STATUS_UNSUCCESSFUL, read.failure().why(), read.failure().where());
  GdiDisplayName args = read.take();
  D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME inner{};
  narrow(std::span<char16_t>(inner.DeviceName), std::span<const Char>(args.DeviceName));
  NTSTATUS status = kmt::OpenAdapterFromGdiDisplayName(client, &inner);
  if (status < 0) return status;
  args.hAdapter = inner.hAdapter;
  args.AdapterLuid = inner.AdapterLuid;
  args.VidPnSourceId = inner.VidPnSourceId;
  TRY(client.memory().write(user, args));
  return status;
}

Result<NTSTATUS> open_device_name(kmt::Client& client, D3DKMT_OPENADAPTERFROMDEVICENAME* user) {
  D3DKMT_OPENADAPTERFROMDEVICENAME args = TRY(client.memory().read(user));
  std::u16string name;
  const auto* users_name = args.pDeviceName;
  if (users_name) name = TRY(read_text(client, users_name));
  args.pDeviceName = users_name ? name.c_str() : nullptr;
  NTSTATUS status = kmt::OpenAdapterFromDeviceName(client, &args);
  if (status < 0) return status;
  args.pDeviceName = users_name;
  TRY(client.memory().write(user, args));
  return status;
}

// A failure of our own is recorded here; a thunk's has been already.
NTSTATUS finish(kmt::Client& client, const char* function, const Result<NTSTATUS>& result) {
  return result.ok() ? result.value() : client.finish(function, result);
}

}  // namespace

void narrow(std::span<char16_t> to, std::span<const Char> from) {
  std::u16string text = narrow_all(from.first(static_cast<size_t>(std::ranges::find(from, 0u) - from.begin())));
  std::ranges::fill(to, u'\0');
  if (text.size() >= to.size()) text.resize(to.size() - 1);
  if (!text.empty() && base::is_high_surrogate(text.back())) text.pop_back();  // cut in the middle of a pair
  std::ranges::copy(text, to.begin());
}

void widen(std::span<Char> to, std::span<const char16_t> from) {
  std::ranges::fill(to, 0u);
  std::u16string_view left(from.data(), from.size());
  for (size_t out = 0; !left.empty() && left[0] != 0 && out + 1 < to.size(); ++out) {
    auto c = base::first_character(left);
    to[out] = c ? c->value : base::kReplacementCharacter;
    left.remove_prefix(c ? c->length : 1);
  }
}

size_t query_bytes(KMTQUERYADAPTERINFOTYPE type) {
  const TextLayout* layout = layout_of(type);
  return layout ? layout->wide_bytes() : 0;
}

NTSTATUS QueryAdapterInfo(kmt::Client& client, D3DKMT_QUERYADAPTERINFO* user) {
  auto args = client.memory().read(user);
  const TextLayout* layout = args.ok() ? layout_of(kmt::raw(args.value().Type)) : nullptr;
  if (!layout) return kmt::QueryAdapterInfo(client, user);
  return finish(client, "D3DKMTQueryAdapterInfo", query_text(client, args.value(), *layout));
}

NTSTATUS OpenAdapterFromGdiDisplayName(kmt::Client& client, D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME* user) {
  return finish(client, "D3DKMTOpenAdapterFromGdiDisplayName",
                open_gdi(client, reinterpret_cast<GdiDisplayName*>(user)));
}

NTSTATUS OpenAdapterFromDeviceName(kmt::Client& client, D3DKMT_OPENADAPTERFROMDEVICENAME* user) {
  return finish(client, "D3DKMTOpenAdapterFromDeviceName", open_device_name(client, user));
}

// The structure is our own: only what its pointers point to is the client's memory.
NTSTATUS ShareObjects(kmt::Client& client, const kmt::ShareObjectsArgs* args) {
  NarrowAttributes attributes;
  Result<> read = attributes.read(client, args->pObjectAttributes);
  if (!read.ok()) return client.finish("D3DKMTShareObjects", read);
  kmt::ShareObjectsArgs inner = *args;
  inner.pObjectAttributes = attributes.get();
  return kmt::ShareObjects(client, &inner);
}

NTSTATUS OpenNtHandleFromName(kmt::Client& client, D3DKMT_OPENNTHANDLEFROMNAME* user) {
  return finish(client, "D3DKMTOpenNtHandleFromName", open_by_name(client, user, &kmt::OpenNtHandleFromName));
}

NTSTATUS OpenSyncObjectNtHandleFromName(kmt::Client& client, D3DKMT_OPENSYNCOBJECTNTHANDLEFROMNAME* user) {
  return finish(client, "D3DKMTOpenSyncObjectNtHandleFromName",
                open_by_name(client, user, &kmt::OpenSyncObjectNtHandleFromName));
}

}  // namespace client::utf32
