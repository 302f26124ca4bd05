// A first-in first-out queue in one contiguous ring that grows by doubling.
#pragma once
#include <cassert>
#include <cstddef>
#include <vector>

namespace waferloom::golden {

template <typename T>
class Fifo {
 public:
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  const T& front() const {
    assert(size_ > 0);
    return ring_[head_];
  }
  T& front_mutable() {
    assert(size_ > 0);
    return ring_[head_];
  }
  // Element number k from the front.
  const T& at(size_t k) const {
    assert(k < size_);
    return ring_[(head_ + k) & (ring_.size() - 1)];
  }
  void push(const T& value) {
    if (size_ == ring_.size()) grow();
    ring_[(head_ + size_) & (ring_.size() - 1)] = value;
    ++size_;
  }
  T pop() {
    assert(size_ > 0);
    const T value = ring_[head_];
    head_ = (head_ + 1) & (ring_.size() - 1);
    --size_;
    return value;
  }
  void clear() { head_ = size_ = 0; }

 private:
  void grow() {
    std::vector<T> bigger(ring_.empty() ? 4 : 2 * ring_.size());
    for (size_t k = 0; k < size_; ++k) bigger[k] = at(k);
    ring_.swap(bigger);
    head_ = 0;
  }
  std::vector<T> ring_;
  size_t head_ = 0;
  size_t size_ = 0;
};

}  // namespace waferloom::golden
