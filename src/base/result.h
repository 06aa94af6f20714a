#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "abi/shared/ntstatus.h"
#include "base/check.h"
#include "base/here.h"

namespace base {

// Why something was refused: the status Windows' callers understand, the place that first said no, and a sentence for
// a person. The sentence is a string literal; it travels with the failure into the trace.
class [[nodiscard]] Failure {
 public:
  constexpr Failure(NTSTATUS code, const char* why, Here where = Here::now()) : code_(code), why_(why), where_(where) {
    CHECK(code < 0);  // never holds a success code
  }

  constexpr NTSTATUS code() const { return code_; }
  constexpr const char* why() const { return why_; }
  constexpr Here where() const { return where_; }

 private:
  NTSTATUS code_;
  const char* why_;
  Here where_;
};

// A value or the reason there is none. Success with information (STATUS_PENDING, …) is a value: Result<WaitOutcome>.
template <typename T = void>
class [[nodiscard]] Result {
 public:
  using Value = T;

  Result(T value) : value_(std::move(value)) {}
  Result(Failure failure) : failure_(failure) {}

  bool ok() const { return value_.has_value(); }
  NTSTATUS status() const { return ok() ? STATUS_SUCCESS : failure_->code(); }
  const Failure& failure() const {
    CHECK(!ok());
    return *failure_;
  }
  T take() {
    CHECK(ok());
    return std::move(*value_);
  }
  const T& value() const {
    CHECK(ok());
    return *value_;
  }

 private:
  std::optional<T> value_;
  std::optional<Failure> failure_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using Value = void;

  Result() = default;
  Result(Failure failure) : failure_(failure) {}

  bool ok() const { return !failure_; }
  NTSTATUS status() const { return ok() ? STATUS_SUCCESS : failure_->code(); }
  const Failure& failure() const {
    CHECK(!ok());
    return *failure_;
  }
  void take() const { CHECK(ok()); }

 private:
  std::optional<Failure> failure_;
};

// A value, or a reason that is not yet a status: a look-up's fault, which the code at the edge turns into a status; or
// a std::string, a sentence for a person (why a file cannot be read). It has functions of the same text as Result and
// is not its base: a Failure has no empty value, and errors of the compiler name one template instead of two.
template <typename T, typename E>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : value_(std::move(value)) {}
  Expected(E error) : error_(std::move(error)) {}

  bool ok() const { return value_.has_value(); }
  E error() const {
    CHECK(!ok());
    return error_;
  }
  T take() {
    CHECK(ok());
    return std::move(*value_);
  }
  const T& value() const {
    CHECK(ok());
    return *value_;
  }

 private:
  std::optional<T> value_;
  E error_{};
};

}  // namespace base

// The value of `expr`, or return its failure from this function.
#define TRY(expr)                                                                                            \
  __extension__({                                                                                            \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"") auto try_result_ = (expr); \
    _Pragma("GCC diagnostic pop") static_assert(!std::is_reference_v<decltype(try_result_)>);                \
    if (!try_result_.ok()) return try_result_.failure();                                                     \
    try_result_.take();                                                                                      \
  })
