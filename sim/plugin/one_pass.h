#pragma once
// Makes one function of the edge of a clocked model that Verilator wrote.
//
// Verilator evaluates an edge in two steps: registers take their new values, then everything combinational is worked out for the next edge and
// kept in members of the model, one store and one load for each signal between two modules. Here an edge works the signals out
// first and then clocks the registers, in one function whose signals are local variables: the compiler keeps them in machine registers, moves
// them to where they are used, and drops those that nobody looks at in this cycle. The members go, so an instance is smaller too.
//
// A signal named split_* in its module asks for more: all that follows it is written once for each of its values (where there are at
// most three such signals and not too much text, and no assertions are checked), so that the compiler knows the value and what follows from it.
//
// Sound by construction: a member becomes a local variable only if in this function every use of it is behind an assignment of all
// of it on every path (definite assignment, as Java has it), and if no other function mentions it. What is not understood stays a
// member; if the statements as a whole are not understood, nothing is changed.
#include <map>
#include <string>
#include <vector>

namespace waferloom::plugin {

struct OnePass {
  std::string edge;                         // body of the function of an edge
  std::string settle;                       // body of the function that brings the outputs up to date without an edge
  std::string externs;                      // declarations that both need
  std::map<std::string, std::string> files; // generated files by name, with the changes made to them
};

// `files`: what Verilator wrote, by file name. `root`: the model's class, whose functions are named ROOT___NAME and whose header is ROOT.h.
// `settle` and `edge`: names of the functions that work signals out from registers and inputs, and of those of an edge, in order;
// `dead`: names of functions that these replace. Keeps names that end in _q and ports where they are. False: not understood.
bool one_pass(const std::map<std::string, std::string>& files, const std::string& root, const std::vector<std::string>& settle,
              const std::vector<std::string>& edge, const std::vector<std::string>& dead, OnePass* out);

}  // namespace waferloom::plugin
