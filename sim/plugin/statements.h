#pragma once
// The statements of a function that Verilator wrote, as a tree: enough structure to find out what is assigned before it is used, to
// leave out what nobody uses, and to write them out again. Verilator writes a small part of C++: simple statements, if, for, while, blocks.
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace waferloom::plugin {

struct Statement {
  enum class Kind { kSimple, kIf, kLoop, kBlock };
  Kind kind = Kind::kSimple;
  std::string text;  // simple: all of it, with the semicolon; if, loop: up to the closing parenthesis
  std::vector<Statement> body, otherwise;
};
using Statements = std::vector<Statement>;

// False: something is not understood (goto, switch, ...).
bool parse_statements(const std::string& text, Statements* out);
void write_statements(const Statements& statements, std::string* out);

// A mention of a member of the model: "vlSelf->NAME" or "vlSelfRef.NAME".
struct Mention {
  size_t start, name, end;  // where it starts, where its name begins and ends
};
bool next_mention(const std::string& text, size_t from, Mention* out);

bool is_name(char c);
std::set<std::string> mentioned_members(const std::string& text);

// What a simple statement assigns: a member or a variable of the function, all of it or one word of a wide one.
struct Target {
  bool found = false;
  bool member = false;
  std::string name;
  bool whole = true;      // else word `word`
  unsigned word = 0;
  size_t uses_from = 0;   // the rest of the statement are uses
};
Target target_of(const std::string& statement);

// A member that may become a variable.
struct Member {
  std::string name;
  std::string type;
  unsigned words = 1;  // to be assigned: more than one in a wide word
  std::string line;    // of the declaration
};
// For each member whether it is mentioned, and only behind assignments of all of it on every path (definite assignment).
std::vector<bool> assigned_before_use(const Statements& statements, const std::vector<Member>& members);

// Members of the set become variables of the function.
void make_local(Statements* statements, const std::set<std::string>& names);
// Leaves out assignments to members for which `which` holds.
void drop_assignments(Statements* statements, bool (*which)(const std::string& name));
// Leaves out assignments to variables, and to members for which `dead_member` holds, that no later statement uses; and what becomes empty.
void drop_unused(Statements* statements, bool (*dead_member)(const std::string& name));
// Tests of neighbouring "set" flags of delayed assignments share one variable, so that a run of them that is not set costs one test.
// `declarations` gets the variables.
void gather_flags(Statements* statements, std::string* declarations);

}  // namespace waferloom::plugin
