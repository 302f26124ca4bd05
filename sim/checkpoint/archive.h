#pragma once
// State as bytes: one function per type saves or loads it, so that the two can never differ.
//
//   template or member   void transfer(Archive& archive) { archive(a_, b_, c_); }
//
// Numbers keep their bits (a NaN too); lists carry their length. The bytes have no names and no versions: the file around them has
// (checkpoint_file.h). Loading never reads past the end: ok() then turns false and everything that is missing is zero or empty.
// Byte order is that of the host, which is little-endian on every machine that this runs on.
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace waferloom::checkpoint {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "checkpoints are written in the byte order of the host");

class Archive {
 public:
  Archive() = default;                                                               // saves
  explicit Archive(std::string bytes) : loading_(true), bytes_(std::move(bytes)) {}  // loads

  bool loading() const { return loading_; }
  bool ok() const { return ok_; }
  // Loading: everything has been read and nothing was missing.
  bool complete() const { return ok_ && at_ == bytes_.size(); }
  const std::string& bytes() const { return bytes_; }

  template <typename... T>
  void operator()(T&... values) {
    (one(values), ...);
  }

  // `count` bytes at `data`.
  __attribute__((noinline)) void raw(void* data, std::size_t count) {
    if (!loading_) {
      bytes_.append(static_cast<const char*>(data), count);
      return;
    }
    if (count > bytes_.size() - at_) {
      ok_ = false;
      std::memset(data, 0, count);
      at_ = bytes_.size();
      return;
    }
    std::memcpy(data, bytes_.data() + at_, count);
    at_ += count;
  }

 private:
  template <typename T, typename = void>
  struct HasTransfer : std::false_type {};
  template <typename T>
  struct HasTransfer<T, std::void_t<decltype(std::declval<T&>().transfer(std::declval<Archive&>()))>> : std::true_type {};

  template <typename T>
  void one(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t byte = value ? 1 : 0;
      raw(&byte, 1);
      value = byte != 0;
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      raw(&value, sizeof value);
    } else if constexpr (HasTransfer<T>::value) {
      value.transfer(*this);
    } else {
      transfer(*this, value);  // found beside the type
    }
  }
  void one(std::string& value) {
    value.resize(length(value.size(), 1));
    raw(value.data(), value.size());
  }
  template <typename T>
  void one(std::vector<T>& value) {
    static_assert(!std::is_same_v<T, bool>, "keep flags as bytes");
    if constexpr (std::is_arithmetic_v<T>) {
      value.resize(length(value.size(), sizeof(T)));
      raw(value.data(), value.size() * sizeof(T));
    } else {
      value.resize(length(value.size(), 1));
      for (T& element : value) one(element);
    }
  }
  template <typename T>
  void one(std::deque<T>& value) {
    value.resize(length(value.size(), 1));
    for (T& element : value) one(element);
  }
  template <typename T, std::size_t N>
  void one(T (&value)[N]) {
    for (T& element : value) one(element);
  }
  template <typename T>
  void one(std::optional<T>& value) {
    bool present = value.has_value();
    one(present);
    if (loading_) {
      value.reset();
      if (present) value.emplace();
    }
    if (present) one(*value);
  }
  template <typename A, typename B>
  void one(std::pair<A, B>& value) {
    one(value.first);
    one(value.second);
  }
  template <typename K, typename V>
  void one(std::map<K, V>& value) {
    const std::size_t count = length(value.size(), 1);
    if (!loading_) {
      for (auto& [key, element] : value) {
        K copy = key;
        one(copy);
        one(element);
      }
      return;
    }
    value.clear();
    for (std::size_t i = 0; i < count && ok_; ++i) {
      K key{};
      one(key);
      one(value[key]);
    }
  }

  // Of a list. A length that the bytes left cannot hold is a fault, not an allocation.
  std::size_t length(std::size_t size, std::size_t least_bytes) {
    std::uint64_t count = size;
    raw(&count, sizeof count);
    if (loading_ && count > (bytes_.size() - at_) / least_bytes) {
      ok_ = false;
      at_ = bytes_.size();
      return 0;
    }
    return static_cast<std::size_t>(count);
  }

  bool loading_ = false;
  bool ok_ = true;
  std::string bytes_;
  std::size_t at_ = 0;
};

}  // namespace waferloom::checkpoint
