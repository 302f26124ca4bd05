#pragma once
// A fabric in a checkpoint: every unit by named register, private SRAM, SRAM that tiles share by content, host ports, the cycle, who is active.
//
// Any build of the same RTL loads it, the traced twin too. Evaluation, counts of evaluated and skipped units included, then goes on as if it had never
// stopped, with any number of threads. Tiles are saved and loaded in blocks, so that a whole wafer needs little more memory than it has.
// Sections of the file: "fabric", "router", "pe" and "memory" (the last three a block of tiles each), behind a prefix where one file holds several fabrics.
#include <string>

#include "sim/checkpoint/checkpoint_file.h"
#include "sim/fabric/fabric.h"

namespace waferloom::checkpoint {

// Between two steps. Brings counters up to date; changes nothing else. Errors are the writer's: see FileWriter::finish(). `prefix`: at most 16 characters.
void save_fabric(fabric::Fabric& fabric, FileWriter& writer, const std::string& prefix = {});

// Into a fabric of the same size with the same units and the same host ports, attached in the same order. What it held is replaced. After a fault it must not
// be used any more.
Fault load_fabric(fabric::Fabric& fabric, FileReader& reader, const std::string& prefix = {});

}  // namespace waferloom::checkpoint
