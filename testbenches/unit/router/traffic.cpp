#include "testbenches/unit/router/traffic.h"

#include <cstdio>

namespace waferloom::router {

Traffic::Traffic(Mesh* mesh, Random* random, unsigned colours) : mesh_(mesh), random_(random), colours_(colours) {
  const unsigned n = mesh->size();
  trees_.resize(colours);
  sequence_.assign(colours, 0);
  expected_.resize(n);
  for (unsigned c = 0; c < colours; ++c) {
    Tree& tree = trees_[c];
    tree.source = static_cast<unsigned>(random->below(n));
    tree.delivers.assign(n, 0);
    std::vector<uint32_t> receive(n, 0), transmit(n, 0);
    std::vector<unsigned> members{tree.source};
    receive[tree.source] = bit(kRamp);
    const uint64_t growth = random->below(2 * n + 1);
    for (uint64_t k = 0; k < growth; ++k) {
      const unsigned from = members[random->below(members.size())];
      const unsigned d = static_cast<unsigned>(random->below(4));
      const int to = mesh->neighbour(from, d);
      if (to < 0 || receive[static_cast<unsigned>(to)] != 0) continue;
      transmit[from] |= bit(d);
      receive[static_cast<unsigned>(to)] = bit(opposite(d));
      members.push_back(static_cast<unsigned>(to));
    }
    for (unsigned node : members) {
      if (transmit[node] == 0 || random->chance(1, 3)) {
        transmit[node] |= bit(kRamp);
        tree.delivers[node] = 1;
        ++tree.destinations;
      }
      mesh->set_route(node, c, receive[node], transmit[node]);
    }
  }
  mesh->finish_configuration();
}

void Traffic::offer(unsigned count, unsigned control_every) {
  while (count-- > 0) {
    const unsigned c = static_cast<unsigned>(random_->below(colours_));
    const Tree& tree = trees_[c];
    uint64_t word = wavelet(c, sequence_[c]++ << 6 | c);
    if (control_every != 0 && random_->chance(1, control_every)) {
      // A command moves nothing here: one position, no ring.
      word = (word & ~uint64_t{0xc0}) | kControl | random_->below(4) << 6;
    }
    mesh_->element(tree.source).to_send[c].push_back(word);
    for (unsigned node = 0; node < mesh_->size(); ++node) {
      if (tree.delivers[node]) expected_[node][c].push_back(word);
    }
    ++offered_;
  }
}

std::string Traffic::check() {
  char text[200];
  for (unsigned node = 0; node < mesh_->size(); ++node) {
    if (mesh_->trap(node) != 0) {
      std::snprintf(text, sizeof text, "router %u trapped: %08x", node, mesh_->trap(node));
      return text;
    }
    for (const auto& [cycle, word] : mesh_->element(node).received) {
      const unsigned c = colour_of(word);
      auto* queue = c < kColours ? &expected_[node][c] : nullptr;
      if (queue == nullptr || queue->empty() || queue->front() != word) {
        std::snprintf(text, sizeof text, "router %u cycle %llu: got %010llx, expected %010llx", node,
                      static_cast<unsigned long long>(cycle), static_cast<unsigned long long>(word),
                      static_cast<unsigned long long>(queue == nullptr || queue->empty() ? 0 : queue->front()));
        return text;
      }
      queue->pop_front();
      ++delivered_;
    }
    mesh_->element(node).received.clear();
  }
  return "";
}

std::string Traffic::finish() {
  std::string error = check();
  if (!error.empty()) return error;
  for (unsigned node = 0; node < mesh_->size(); ++node) {
    for (unsigned c = 0; c < colours_; ++c) {
      if (!expected_[node][c].empty()) {
        return "router " + std::to_string(node) + " colour " + std::to_string(c) + " lacks " +
               std::to_string(expected_[node][c].size()) + " wavelets";
      }
    }
  }
  return "";
}

void stall_randomly(Mesh* mesh, Random* random, unsigned ready_percent, unsigned send_percent) {
  struct Burst {
    Random* random;
    unsigned percent;
    uint64_t left = 0;
    bool on = true;
    bool next() {
      if (left == 0) {
        on = random->below(100) < percent;
        left = 1 + random->below(12);
      }
      --left;
      return on;
    }
  };
  for (unsigned node = 0; node < mesh->size(); ++node) {
    Element& e = mesh->element(node);
    std::vector<Burst> bursts(kColours, Burst{random, ready_percent});
    e.ready_next = [bursts]() mutable {
      uint32_t ready = 0;
      for (unsigned c = 0; c < kColours; ++c) ready |= bursts[c].next() ? 1u << c : 0;
      return ready;
    };
    e.may_send = [burst = Burst{random, send_percent}]() mutable { return burst.next(); };
  }
}

}  // namespace waferloom::router
