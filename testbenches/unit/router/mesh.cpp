#include "testbenches/unit/router/mesh.h"

#include <cstdio>

#include "testbenches/lib/waves.h"

namespace waferloom::router {

namespace {
const char* const kNames[kPorts] = {"north", "east", "south", "west", "ramp"};
}

Mesh::Mesh(const MeshOptions& options) : options_(options) {
  if (options_.depth == 0) options_.depth = options_.hop == 1 ? 3 : 4;
  plugin::UnitSpec spec;
  spec.top = "wl_router";
  spec.params = {{"Hop", std::to_string(options_.hop)},
                 {"RampExtra", std::to_string(options_.ramp_extra)},
                 {"Depth", std::to_string(options_.depth)}};
  spec.assertions = true;
  const std::string wave = next_wave_file();
  spec.trace = !wave.empty();
  const std::string error = unit_.open(spec);
  if (!error.empty()) throw std::runtime_error(error);
  api_ = &unit_.api();
  const WlCreate create{size(), options_.reset, bench_seed()};
  arena_ = api_->create(&create);
  if (arena_ == nullptr) throw std::runtime_error(api_->last_error());
  if (!wave.empty()) {
    if (api_->open_trace(arena_, 0, wave.c_str()) != 0) throw std::runtime_error(api_->last_error());
    std::printf("waves of the mesh's first router in %s\n", wave.c_str());
  }
  for (unsigned port = 0; port < kPorts; ++port) {
    const std::string name = kNames[port];
    in_[port] = find(name + "_i");
    out_[port] = find(name + "_o");
    ready_in_[port] = find(name + "_ready_i");
    ready_out_[port] = find(name + "_ready_o");
  }
  edge_ = find("edge_i");
  cfg_ = find("cfg_i");
  quiet_ = find("quiet_o");
  class_ = find("class_o");
  trap_ = find("trap_o");
  reset_ = find("rst_ni");
  class_count_ = find_register("class_cnt_q");
  link_count_ = find_register("link_cnt_q");
  elements_.resize(size());
  writes_.resize(size());
  driven_.assign(size() * 4, 0);
  edge_ready_.assign(size() * 4, 0);
  must_evaluate_.assign(size(), 1);
  changed_.resize(size());
  for (unsigned node = 0; node < size(); ++node) {
    state_.push_back(static_cast<char*>(api_->state(arena_, node)));
    uint32_t edges = 0;
    for (unsigned d = 0; d < 4; ++d) edges |= neighbour(node, d) < 0 ? bit(d) : 0;
    put(node, edge_, edges);
    for (unsigned port = 0; port < kPorts; ++port) {
      put(node, in_[port], 0);
      put(node, ready_in_[port], 0);
    }
    put(node, cfg_, 0);
    put(node, reset_, 0);
    api_->tick(arena_, node);
    api_->tick(arena_, node);
    put(node, reset_, 1);
    api_->set_cycle(arena_, node, 0);
  }
}

Mesh::~Mesh() { api_->destroy(arena_); }

Mesh::Handle Mesh::find(const std::string& name) const {
  const WlPort* p = unit_.port(name);
  if (p == nullptr) throw std::runtime_error("wl_router has no port " + name);
  return {p->offset, p->bytes, false};
}

Mesh::Handle Mesh::find_register(const std::string& name) const {
  const WlRegister* r = unit_.reg(name);
  if (r == nullptr) throw std::runtime_error("wl_router has no register " + name);
  return {r->offset, r->element_bytes, false};
}

int Mesh::neighbour(unsigned node, unsigned direction) const {
  const unsigned x = node % options_.width, y = node / options_.width;
  switch (direction) {
    case kNorth: return y > 0 ? static_cast<int>(node - options_.width) : -1;
    case kEast: return x + 1 < options_.width ? static_cast<int>(node + 1) : -1;
    case kSouth: return y + 1 < options_.height ? static_cast<int>(node + options_.width) : -1;
    default: return x > 0 ? static_cast<int>(node - 1) : -1;
  }
}

void Mesh::configure(unsigned node, unsigned colour, unsigned word, uint32_t data) {
  writes_[node].push_back(1ull << 40 | uint64_t{colour} << 35 | uint64_t{word} << 32 | data);
}

void Mesh::finish_configuration() {
  for (bool pending = true; pending;) {
    pending = false;
    for (const auto& queue : writes_) pending = pending || !queue.empty();
    cycle();
  }
  cycle();  // the ready words of the new routes are registers
}

void Mesh::drive(unsigned node, unsigned port, uint64_t word) { driven_[node * 4 + port] = word; }

void Mesh::step_element(unsigned node) {
  Element& e = elements_[node];
  const uint64_t arrived = get(node, out_[kRamp]);
  if (arrived != 0) e.received.emplace_back(now_, arrived);
  const uint32_t ready = ready_to(node, kRamp);
  const uint64_t last = e.word;
  e.word = 0;
  if (!e.may_send || e.may_send()) {
    for (unsigned k = 0; k < kColours; ++k) {
      const unsigned c = (e.turn + k) % kColours;
      if (e.to_send[c].empty() || !(ready >> c & 1)) continue;
      if ((last & kControl) && colour_of(last) == c) continue;
      e.word = e.to_send[c].front();
      e.to_send[c].pop_front();
      e.turn = c + 1;
      ++e.sent;
      break;
    }
  }
  if (e.ready_next) e.ready = e.ready_next();
}

void Mesh::cycle() {
  // Phase one: every input is a copy of a register of the cycle that ends.
  for (unsigned node = 0; node < size(); ++node) {
    bool changed = false;
    auto give = [&](Handle h, uint64_t value) {
      if (get(node, h) == value) return;
      put(node, h, value);
      changed = true;
    };
    for (unsigned d = 0; d < 4; ++d) {
      const int other = neighbour(node, d);
      if (other >= 0) {
        give(in_[d], get(static_cast<unsigned>(other), out_[opposite(d)]));
        give(ready_in_[d], get(static_cast<unsigned>(other), ready_out_[opposite(d)]));
      } else {
        give(in_[d], driven_[node * 4 + d]);
        give(ready_in_[d], edge_ready_[node * 4 + d]);
        driven_[node * 4 + d] = 0;
      }
    }
    give(in_[kRamp], elements_[node].word);
    give(ready_in_[kRamp], elements_[node].ready);
    uint64_t write = 0;
    if (!writes_[node].empty()) {
      write = writes_[node].front();
      writes_[node].pop_front();
    }
    give(cfg_, write);
    must_evaluate_[node] = !options_.skip || changed || !quiet(node);
  }
  for (unsigned node = 0; node < size(); ++node) step_element(node);
  // Phase two.
  list_.clear();
  for (unsigned node = 0; node < size(); ++node) {
    if (must_evaluate_[node]) list_.push_back(node);
  }
  evaluations_ += list_.size();
  if (!list_.empty() && api_->tick_batch(arena_, list_.data(), static_cast<uint32_t>(list_.size()), now_, changed_.data())) {
    throw std::runtime_error(api_->last_error());
  }
  ++now_;
}

bool Mesh::all_quiet() const {
  for (unsigned node = 0; node < size(); ++node) {
    if (!quiet(node)) return false;
  }
  return true;
}

bool Mesh::drained() const {
  for (unsigned node = 0; node < size(); ++node) {
    if (!quiet(node) || get(node, class_) != 0 || elements_[node].word != 0) return false;
    for (const auto& queue : elements_[node].to_send) {
      if (!queue.empty()) return false;
    }
  }
  return true;
}

uint64_t Mesh::class_count(unsigned node, unsigned cls) {
  api_->credit(arena_, node, now_);
  Handle h = class_count_;
  h.offset += cls * h.bytes;
  return get(node, h);
}

uint64_t Mesh::link_count(unsigned node, unsigned port) {
  Handle h = link_count_;
  h.offset += port * h.bytes;
  return get(node, h);
}

uint64_t Mesh::boundary_hash() const {
  uint64_t hash = 1469598103934665603ull;
  auto mix = [&](uint64_t v) { hash = (hash ^ v) * 1099511628211ull; hash ^= hash >> 29; };
  for (unsigned node = 0; node < size(); ++node) {
    for (unsigned port = 0; port < kPorts; ++port) {
      mix(output(node, port));
      mix(ready_to(node, port));
    }
    mix(trap(node));
  }
  return hash;
}

}  // namespace waferloom::router
