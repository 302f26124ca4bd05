// What stands around the wafer: MemoryX (weights and optimiser), SwarmX (broadcast down, sum up), and how many systems.
// Filled from configs/clusters/*.yaml.
#pragma once

#include <optional>
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
  std::optional<Sourced<double>> memoryx_dram_bytes;  // of the capacity; absent: all of it
  Sourced<double> memoryx_dram_bytes_per_s;           // that the optimiser reads and writes
  Sourced<double> memoryx_flash_bytes_per_s;          // the same for what lies in flash
  Sourced<double> prefetch_bytes;                     // weights that a system's edge holds ahead of the wafer
};

}  // namespace waferloom::config
