#pragma once
// Random traffic for fabrics of routers: for each colour a random tree from one host port to several, with one or two
// switch positions, random words, gaps and control wavelets, and hosts that read with random pauses.
#include <deque>
#include <set>

#include "sim/fabric/fabric.h"
#include "testbenches/lib/bench.h"
#include "testbenches/lib/catch.h"

namespace waferloom::test {

using fabric::Direction;
using fabric::Fabric;
using fabric::PortId;

inline plugin::Unit open_router(unsigned hop = 1, unsigned ramp_extra = 0, bool trace = false) {
  plugin::UnitSpec spec;
  spec.top = "wl_router";
  spec.params = {{"Hop", std::to_string(hop)}, {"RampExtra", std::to_string(ramp_extra)}, {"Depth", hop == 1 ? "3" : "4"}};
  spec.trace = trace;
  plugin::Unit unit;
  const std::string error = unit.open(spec);
  INFO(error);
  REQUIRE(error.empty());
  return unit;
}

inline std::unique_ptr<Fabric> make_fabric(const fabric::FabricOptions& options) {
  std::string error;
  auto fabric = Fabric::create(options, &error);
  INFO(error);
  REQUIRE(fabric);
  return fabric;
}

// Ports on every edge link and every ramp, by tile and direction (-1: none).
struct Ports {
  explicit Ports(Fabric* f) : width(f->width()) {
    std::string error;
    for (uint32_t y = 0; y < f->height(); ++y) {
      for (uint32_t x = 0; x < f->width(); ++x) {
        const bool border[5] = {y == 0, x + 1 == f->width(), y + 1 == f->height(), x == 0, true};
        for (unsigned d = 0; d < 5; ++d) {
          PortId port = 0;
          const bool done = border[d] && f->attach_port(x, y, static_cast<Direction>(d), &port, &error);
          REQUIRE(done == border[d]);
          ids.push_back(done ? static_cast<int>(port) : -1);
        }
      }
    }
  }
  int at(uint32_t x, uint32_t y, unsigned d) const { return ids[(y * width + x) * 5 + d]; }
  uint32_t width;
  std::vector<int> ids;
};

struct Received {
  PortId port;
  uint64_t cycle;
  uint64_t word;
  bool operator==(const Received& o) const { return port == o.port && cycle == o.cycle && word == o.word; }
};

class Traffic {
 public:
  // Lays the routes and attaches the ports. The same name and seed give the same traffic on any fabric of that size.
  Traffic(Fabric* fabric, const std::string& name, unsigned colours, bool slow_readers)
      : fabric_(fabric), ports_(fabric), random_(name), slow_readers_(slow_readers) {
    for (unsigned colour = 0; colour < colours; ++colour) plant(colour);
    if (!slow_readers) return;
    for (const int id : ports_.ids) {
      if (id >= 0) fabric_->ports().set_capacity(static_cast<PortId>(id), 1 + random_.below(6));
    }
  }

  // Sends and reads at random; to be called once before each cycle.
  void drive(bool sending = true) {
    for (size_t i = 0; sending && i < sources_.size(); ++i) {
      if (!random_.chance(1, 40)) continue;
      const uint64_t burst = random_.below(10);
      for (uint64_t k = 0; k < burst; ++k) {
        uint64_t word = static_cast<uint64_t>(sources_[i].second) << 32 | (random_.next() & 0xffffffff);
        if (random_.chance(1, 12)) word = (word & ~0xffull) | fabric::kControlBit | random_.below(3) << 6 | 5;
        const uint64_t delay = random_.chance(1, 8) ? random_.below(30) : 0;
        fabric_->ports().send(sources_[i].first, word, fabric_->cycle() + delay, random_.chance(1, 10));
        ++sent;
      }
    }
    for (const int id : ports_.ids) {
      if (id < 0) continue;
      fabric::ReceivedWord word;
      const PortId port = static_cast<PortId>(id);
      while (!(slow_readers_ && sending && random_.chance(2, 3)) && fabric_->ports().receive(port, &word)) {
        received.push_back({port, word.cycle, word.word});
      }
    }
  }
  const Ports& ports() const { return ports_; }

  std::vector<Received> received;
  uint64_t sent = 0;

 private:
  // Grows a tree over tiles that this colour has not reached, from a random source port.
  void plant(unsigned colour) {
    const uint32_t w = fabric_->width(), h = fabric_->height();
    struct Node {
      unsigned from;
      unsigned to[2] = {0, 0};
    };
    std::vector<Node> node(w * h, Node{5, {0, 0}});
    uint32_t tile = static_cast<uint32_t>(random_.below(w * h));
    std::vector<unsigned> ways;
    for (unsigned d = 0; d < 5; ++d) {
      if (ports_.at(tile % w, tile / w, d) >= 0) ways.push_back(d);
    }
    node[tile].from = ways[random_.below(ways.size())];
    sources_.emplace_back(static_cast<PortId>(ports_.at(tile % w, tile / w, node[tile].from)), colour);
    std::deque<uint32_t> open = {tile};
    const bool two_positions = random_.chance(1, 2);
    const int64_t step[4] = {-static_cast<int64_t>(w), 1, w, -1};
    while (!open.empty()) {
      tile = open.front();
      open.pop_front();
      Node& n = node[tile];
      for (unsigned d = 0; d < 5; ++d) {
        if (d == n.from && !(d == 4 && random_.chance(1, 4))) continue;
        bool leads = ports_.at(tile % w, tile / w, d) >= 0 && random_.chance(1, 3);
        if (d < 4 && ports_.at(tile % w, tile / w, d) < 0) {
          const uint32_t other = static_cast<uint32_t>(tile + step[d]);
          if (node[other].from == 5 && random_.chance(1, 2)) {
            node[other].from = d ^ 2u;
            open.push_back(other);
            leads = true;
          }
        }
        if (!leads) continue;
        if (!two_positions || random_.chance(2, 3)) n.to[0] |= 1u << d;
        if (!two_positions || random_.chance(2, 3)) n.to[1] |= 1u << d;
      }
      // A position that leads nowhere is not allowed: it ends at the ramp.
      for (unsigned& mask : n.to) mask |= mask == 0 ? 16u : 0u;
      if (!two_positions) n.to[1] = n.to[0];
    }
    for (tile = 0; tile < w * h; ++tile) {
      if (node[tile].from == 5) continue;
      const fabric::Region here{tile % w, tile / w, 1, 1};
      for (unsigned p = 0; p < (two_positions ? 2u : 1u); ++p) {
        REQUIRE(fabric_->set_route(here, colour, p, 1u << node[tile].from, node[tile].to[p]) == "");
      }
      if (two_positions) REQUIRE(fabric_->set_switch(here, colour, 0, 1, random_.chance(1, 2)) == "");
    }
  }

  Fabric* fabric_;
  Ports ports_;
  Random random_;
  bool slow_readers_;
  std::vector<std::pair<PortId, unsigned>> sources_;
};

}  // namespace waferloom::test
