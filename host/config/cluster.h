// What stands around the wafer: MemoryX (weights and optimiser), SwarmX (broadcast down, sum up), and how many systems.
// Filled from configs/clusters/*.yaml.
#pragma once

#include <string>

#include "host/config/machine.h"

namespace waferloom::config {

struct Cluster {
  std::string name;
  Sourced<int> systems;
  Sourced<double> memoryx_bytes;            // capacity
  Sourced<double> memoryx_link_bits_per_s;  // to the fabric of the cluster
  Sourced<int> swarmx_fanout;               // children of a tree node
  Sourced<double> swarmx_link_bits_per_s;   // per system
  Sourced<double> swarmx_node_latency_s;    // one tree level, one way
  Sourced<double> host_link_latency_s;      // MemoryX or SwarmX to the wafer's edge, one way
};

}  // namespace waferloom::config
