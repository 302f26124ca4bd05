// The rewriting of Verilator's functions into one per edge, on text small enough to see what must happen.
//
// What a wrong rewriting could do: make a variable of a member that is read before it is assigned (its value would come from nowhere), lose an
// assignment that something reads, or change the order. So each way to be not yet assigned has a case. That whole units behave the
// same is for the benches of the units, which all run on rewritten code.
#include "sim/plugin/one_pass.h"
#include "sim/plugin/statements.h"
#include "testbenches/lib/catch.h"

using namespace waferloom::plugin;

namespace {

struct Model {
  std::string members, settle, edge, other;
};

std::map<std::string, std::string> files(const Model& m) {
  const auto function = [](const std::string& name, const std::string& body) {
    return "void R___" + name + "(R* vlSelf) {\n    // Body\n" + body + "}\n";
  };
  return {{"R.h", m.members},
          {"R.cpp", function("settle", m.settle) + function("edge", m.edge) + function("other", m.other) +
                        function("ctor_var_reset", "    vlSelf->a = VL_RAND_RESET_I(8);\n    vlSelf->r_q = VL_RAND_RESET_I(8);\n")}};
}

bool rewrite(const Model& m, OnePass* out) { return one_pass(files(m), "R", {"R___settle"}, {"R___edge"}, {}, out); }

const char* const kMembers = "        CData/*7:0*/ a;\n        CData/*7:0*/ r_q;\n        VlWide<2>/*63:0*/ w;\n";

// True: `a` (or `w`) became a variable.
bool becomes_local(const std::string& settle, const std::string& edge, const std::string& name = "a", const std::string& other = "") {
  OnePass out;
  REQUIRE(rewrite({kMembers, settle, edge, other}, &out));
  const bool gone = out.files["R.h"].find(" " + name + ";") == std::string::npos;
  CHECK(gone == (out.edge.find(" " + name + ";") != std::string::npos));
  CHECK(gone == (out.edge.find("vlSelf->" + name) == std::string::npos));
  CHECK(out.files["R.h"].find("r_q") != std::string::npos);
  return gone;
}

}  // namespace

TEST_CASE("a member becomes a variable where every use is behind an assignment of all of it") {
  const std::string use = "    vlSelf->r_q = vlSelf->a;\n";
  CHECK(becomes_local("    vlSelf->a = 1U;\n", use));
  CHECK(becomes_local("    if (vlSelf->r_q) {\n vlSelf->a = 1U;\n } else {\n vlSelf->a = 2U;\n }\n", use));
  CHECK(becomes_local("    if (vlSelf->r_q) {\n vlSelf->a = 1U;\n vlSelf->r_q = vlSelf->a;\n }\n", "    vlSelf->r_q = 0U;\n"));
  CHECK(becomes_local("    if (vlSelf->r_q) {\n vlSelf->a = 1U;\n } else if ((2U == vlSelf->r_q)) {\n vlSelf->a = 2U;\n } else {\n vlSelf->a = 3U;\n }\n", use));

  CHECK_FALSE(becomes_local("    vlSelf->r_q = 3U;\n", use));                                       // never assigned
  CHECK_FALSE(becomes_local("    vlSelf->r_q = vlSelf->a;\n vlSelf->a = 1U;\n", use));              // read first
  CHECK_FALSE(becomes_local("    vlSelf->a = (1U + vlSelf->a);\n", use));                           // reads itself
  CHECK_FALSE(becomes_local("    if (vlSelf->r_q) {\n vlSelf->a = 1U;\n }\n", use));                // one way only
  CHECK_FALSE(becomes_local("    if (vlSelf->a) {\n vlSelf->a = 1U;\n }\n", use));                  // a condition reads it
  CHECK_FALSE(becomes_local("    vlSelf->r_q = ([&]() { vlSelf->a = 1U; }(), 2U);\n", use));       // in a literal: not looked into
  CHECK_FALSE(becomes_local("    for (int i = 0; (i < 2); ++i) {\n vlSelf->a = 1U;\n }\n", use));   // perhaps no round
  CHECK_FALSE(becomes_local("    if (vlSelf->r_q) {\n vlSelf->a = 1U;\n } else if ((2U == vlSelf->r_q)) {\n vlSelf->a = 2U;\n }\n", use));
  CHECK_FALSE(becomes_local("    vlSelf->a = 1U;\n", use, "a", "    vlSelf->r_q = vlSelf->a;\n"));  // another function uses it
}

TEST_CASE("a wide member needs each of its words") {
  const std::string use = "    vlSelf->r_q = vlSelf->w[1U];\n";
  CHECK(becomes_local("    vlSelf->w[0U] = 1U;\n vlSelf->w[1U] = 2U;\n", use, "w"));
  CHECK(becomes_local("    VL_ASSIGN_W(64, vlSelf->w, __Vtemp);\n", use, "w"));
  CHECK_FALSE(becomes_local("    vlSelf->w[0U] = 1U;\n", use, "w"));
  CHECK_FALSE(becomes_local("    vlSelf->w[vlSelf->r_q] = 1U;\n", use, "w"));
}

TEST_CASE("what is not understood changes nothing") {
  OnePass out;
  CHECK_FALSE(rewrite({kMembers, "    vlSelf->a = 1U;\n goto __Vlabel1;\n", "    vlSelf->r_q = vlSelf->a;\n", ""}, &out));
  CHECK_FALSE(rewrite({kMembers, "    if (vlSelf->r_q) vlSelf->a = 1U;\n", "    vlSelf->r_q = vlSelf->a;\n", ""}, &out));
  CHECK_FALSE(rewrite({kMembers, "    R____Vdpiimwrap_f(vlSelf->a);\n", "    vlSelf->r_q = vlSelf->a;\n", ""}, &out));  // would happen twice
  CHECK_FALSE(one_pass({}, "R", {"R___settle"}, {"R___edge"}, {}, &out));
  CHECK_FALSE(one_pass(files({kMembers, "    vlSelf->a = 1U;\n", "    vlSelf->r_q = 1U;\n", ""}), "R", {"R___missing"}, {"R___edge"}, {}, &out));
}

TEST_CASE("the reset of a variable goes, that of a register stays; the functions that are replaced are empty") {
  OnePass out;
  REQUIRE(rewrite({kMembers, "    vlSelf->a = 1U;\n", "    vlSelf->r_q = vlSelf->a;\n", ""}, &out));
  CHECK(out.files["R.cpp"].find("vlSelf->a") == std::string::npos);
  CHECK(out.files["R.cpp"].find("vlSelf->r_q = VL_RAND_RESET_I(8);") != std::string::npos);
  CHECK(out.files["R.cpp"].find("R___edge(R* vlSelf) {}") != std::string::npos);
}

TEST_CASE("assignments that nothing reads are left out, others keep their order") {
  Statements s;
  REQUIRE(parse_statements("x = 1U; y = x; if (y) { z = y; } vlSelf->r_q = y; x = 2U;", &s));
  drop_unused(&s, [](const std::string&) { return false; });
  std::string text;
  write_statements(s, &text);
  CHECK(text == "x = 1U;\ny = x;\nvlSelf->r_q = y;\n");

  Statements literal;  // a function literal assigns too, so its statement stays
  REQUIRE(parse_statements("x = (([&]() { vlSelf->r_q = 1U; }(), 2U)); y = 1U;", &literal));
  drop_unused(&literal, [](const std::string&) { return false; });
  REQUIRE(literal.size() == 1);
  CHECK(literal[0].text.find("r_q") != std::string::npos);

  Statements loop;  // what the loop's next round reads stays
  REQUIRE(parse_statements("while (go) { y = x; x = 1U; vlSelf->r_q = y; }", &loop));
  drop_unused(&loop, [](const std::string&) { return false; });
  REQUIRE(loop.size() == 1);
  CHECK(loop[0].body.size() == 3);
}

TEST_CASE("behind a signal named split_* what follows is written for both values") {
  OnePass out;
  REQUIRE(rewrite({"        CData/*0:0*/ t__DOT__split_b;\n        CData/*7:0*/ r_q;\n",
                   "    vlSelf->t__DOT__split_b = vlSelf->r_q;\n    vlSelf->out_o = 1U;\n", "    vlSelf->r_q = 7U;\n", ""},
                  &out));
  const size_t first = out.edge.find("if (vlSelf->t__DOT__split_b) {");
  const size_t second = out.edge.find("} else {");
  REQUIRE(first != std::string::npos);
  REQUIRE(second != std::string::npos);
  for (const size_t from : {first, second}) CHECK(out.edge.find("vlSelf->r_q = 7U;", from) != std::string::npos);
  CHECK(out.edge.find("vlSelf->r_q = 7U;", first) < second);
}

TEST_CASE("flags of delayed assignments share a variable and keep their meaning") {
  Statements s(1);
  s[0].kind = Statement::Kind::kBlock;
  REQUIRE(parse_statements("CData/*0:0*/ __Vdlyvset__a; __Vdlyvset__a = 0; CData/*0:0*/ __Vdlyvset__b; __Vdlyvset__b = 0U;"
                           "CData/*0:0*/ __Vdlyvset__c; __Vdlyvset__c = 0; CData/*7:0*/ __Vdlyvval__a; __Vdlyvval__a = 0;"
                           "if (vlSelf->r_q) { __Vdlyvset__a = 1U; __Vdlyvval__a = 3U; } __Vdlyvset__b = 1U; __Vdlyvset__c = 1U; x = __Vdlyvset__c;"
                           "if (__Vdlyvset__a) { vlSelf->m[0U] = __Vdlyvval__a; } if (__Vdlyvset__b) { vlSelf->m[1U] = 2U; }"
                           "if (__Vdlyvset__c) { vlSelf->m[2U] = 2U; }",
                           &s[0].body));
  std::string variables, text;
  gather_flags(&s, &variables);
  write_statements(s, &text);
  CHECK(variables == "uint32_t wl_set0 = 0;\n");
  CHECK(text.find("wl_set0 |= 1U;\n__Vdlyvval__a = 3U;") != std::string::npos);
  CHECK(text.find("wl_set0 |= 2U;") != std::string::npos);
  CHECK(text.find("if (wl_set0) {\nif (wl_set0 & 1U) {\nvlSelf->m[0U] = __Vdlyvval__a;\n}\nif (wl_set0 & 2U) {") != std::string::npos);
  CHECK(text.find("if (__Vdlyvset__c)") != std::string::npos);  // something else reads it: it stays
  CHECK(text.find("__Vdlyvset__c = 1U;") != std::string::npos);
}
