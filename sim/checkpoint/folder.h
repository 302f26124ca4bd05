#pragma once
// The checkpoints of one run: files checkpoint-NNNNNN.wlc in a folder, numbered on, the last few kept. And what they are of, so that no other run takes them up.
// Threads: one thread per object.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/checkpoint/checkpoint_file.h"

namespace waferloom::checkpoint {

// What a checkpoint is of: names and values ("run": the configuration as text; "router": a hash), all of which must be the same here. A value may have
// several lines: the first that differs is shown.
using Identity = std::vector<std::pair<std::string, std::string>>;

// Section "identity".
void save_identity(const Identity& identity, FileWriter& writer);
// kForeign with the first difference.
Fault compare_identity(const Identity& here, FileReader& reader);

// Files of that name in the folder, the newest first. A folder that cannot be read has none.
std::vector<std::string> checkpoints_in(const std::string& folder);

// Writes and keeps.
class Keeper {
 public:
  // `keep`: files that stay, at least 1. Nothing is made before the first checkpoint.
  Keeper(std::string folder, int keep) : folder_(std::move(folder)), keep_(keep) {}

  // Makes the folder if it has to. Returns where the next checkpoint goes, or "" and *error.
  std::string next(std::string* error);
  // After the one named by next() is in place: removes what is too old.
  void prune();

 private:
  std::string folder_;
  int keep_;
};

struct Opened {
  std::unique_ptr<FileReader> reader;  // null with a fault
  Fault fault;
  std::string where;                   // the file or folder that the fault is about
  std::vector<std::string> passed_over;  // newer ones that are damaged, with the reason
};

// The newest whole checkpoint that `place` (a file, a folder of checkpoints, or a result folder with a folder `checkpoints`) has. A damaged one is passed over
// for an older whole one; one that is of something else is a fault, as is none at all.
Opened open_newest(const std::string& place, const Identity& here);

}  // namespace waferloom::checkpoint
