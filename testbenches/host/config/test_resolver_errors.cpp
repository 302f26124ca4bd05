// Every message of the resolver, provoked once: the place, the text, the hint. Each case breaks a correct file in one
// place, so that exactly one error may come.
#include <sys/stat.h>

#include "host/config/resolver.h"
#include "testbenches/host/config/run_text.h"
#include "testbenches/lib/catch.h"
#include "testbenches/lib/temporary_folder.h"

using namespace waferloom::config;
using waferloom::test::kRun;
using waferloom::test::TemporaryFolder;
using waferloom::test::with;

namespace {

struct Case {
  std::string from;     // replaced in kRun ...
  std::string to;       // ... by this
  std::string message;  // "line:column: error: text"
  std::string hint;     // a part of it; empty: none is asked for
};

// The errors of run.yaml in `folder`, without the folder's name.
std::string errors_of(const TemporaryFolder& folder, const std::string& text) {
  const Result<Resolved<Run>> result = resolve_run(folder.write("run.yaml", text));
  if (result.ok()) return "no error";
  std::string out = render(result.errors());
  const std::string prefix = folder.path().string() + "/";
  for (std::size_t at = out.find(prefix); at != std::string::npos; at = out.find(prefix)) out.erase(at, prefix.size());
  return out;
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

void expect(const Case& c) {
  const TemporaryFolder folder;
  const std::string errors = errors_of(folder, with(kRun, c.from, c.to));
  INFO(errors);
  INFO("expected: " << c.message << " / " << c.hint);
  CHECK(errors.find("run.yaml:" + c.message + "\n") == 0);
  if (!c.hint.empty()) {
    CHECK(errors.find("hint: ") != std::string::npos);
    CHECK(errors.find(c.hint) != std::string::npos);
  }
  CHECK(count(errors, "error: ") == 1);
}

}  // namespace

TEST_CASE("the whole look of an error") {
  const TemporaryFolder folder;
  CHECK(errors_of(folder, with(kRun, "epochs: 2", "epohcs: 2\nepochs: 2")) ==
        "run.yaml:13:1: error: unknown key 'epohcs' in a run\n"
        "  epohcs: 2\n"
        "  ^~~~~~\n"
        "  hint: did you mean 'epochs'?\n");
}

TEST_CASE("unknown, repeated and missing keys") {
  for (const Case& c : std::vector<Case>{
           {"batch: 64", "batch: 64\nfrequency: 3", "13:1: error: unknown key 'frequency' in a run",
            "known keys: name, description, machine"},
           {"{width: 8, height: 4}", "{width: 8, height: 4, hieght: 5}",
            "3:30: error: unknown key 'hieght' in an array", "did you mean 'height'?"},
           {"machine: wse2", "machine: {extends: wse2, clock_mhz: 850}",
            "2:26: error: unknown key 'clock_mhz' in a machine",
            "did you mean 'clock_hz'? the unit stands in the key; write clock_hz: 850000000"},
           {"machine: wse2", "machine: {extends: wse2, clock_mhz: {value: 850, source: x}}",
            "2:26: error: unknown key 'clock_mhz' in a machine", "write clock_hz: 850000000"},
           {"machine: wse2", "machine: {extends: wse2, sram_kib: 48}",
            "2:26: error: unknown key 'sram_kib' in a machine", "write sram_bytes: 49152"},
           {"machine: wse2", "machine: {extends: wse2, clock: 1e9}", "2:26: error: unknown key 'clock' in a machine",
            "did you mean 'clock_hz'? the unit stands in the key"},
           {"machine: wse2", "machine: {extends: wse2, hop_cycles: {value: 1, sauce: x, source: y}}",
            "2:49: error: unknown key 'sauce' in 'hop_cycles'", "did you mean 'source'?"},
           {"machine: wse2", "machine: {extends: wse2, hop_cycles: {value: 1, page: 3, source: y}}",
            "2:49: error: unknown key 'page' in 'hop_cycles'", "known keys: value, source"},
           {"array: {", "array: {extends: other, ", "3:9: error: unknown key 'extends' in an array", ""},
           {"batch: 64", "batch: 64\nepochs: 3", "14:1: error: key 'epochs' is repeated; it first stands in line 13",
            "keep one of the two"},
           {"{width: 8, height: 4}", "{width: 8, height: 4, width: 9}",
            "3:30: error: key 'width' is repeated; it first stands in line 3", "keep one of the two"},
           {"batch: 64\n", "", "1:1: error: missing key 'batch' in a run", "add 'batch: ...' (rows in a step, of all systems together)"},
           {"data: {file: digits.csv.gz, train_rows: 898}\n", "", "1:1: error: missing key 'data' in a run",
            "add 'data:' (what is learnt)"},
           {"{width: 8, height: 4}", "{width: 8}", "3:8: error: missing key 'height' in an array",
            "add 'height: ...' (rows)"},
           {"  name: net\n", "", "6:3: error: missing key 'name' in a model", ""},
           {"- {outputs: 10}", "- {bias: false}", "10:7: error: missing key 'outputs' in a layer", ""},
           {"name: big, inputs: 128", "name: big",
            "17:5: error: missing key 'inputs' in an extrapolation of a dense layer", "or write 'workload: network'"},
           {"outputs: 64, tokens", "tokens", "17:5: error: missing key 'outputs' in an extrapolation of a dense layer",
            ""},
           {"machine: wse2", "machine: {extends: wse2, hop_cycles: {source: y}}",
            "2:38: error: missing key 'value' in 'hop_cycles'", "or the plain value"},
           {"machine: wse2", "machine: {extends: wse2, hop_cycles: {value: 1}}",
            "2:38: error: missing key 'source' in 'hop_cycles'", "source: assumed"},
           {"machine: wse2", "machine: {extends: wse2, hop_cycles: {value: 1, source: [a]}}",
            "2:57: error: the source of 'hop_cycles' must be text, found a list", "name the publication"},
           {"batch: 64", "batch:", "12:1: error: 'batch' has no value", "rows in a step"},
           {"batch: 64", "batch: ~", "12:1: error: 'batch' has no value", ""},
           {"batch: 64", "batch: null", "12:1: error: 'batch' has no value", ""},
       }) {
    expect(c);
  }
}

TEST_CASE("mistyped values") {
  for (const Case& c : std::vector<Case>{
           {"batch: 64", "batch: sixty", "12:8: error: 'batch' must be an integer, found 'sixty'", "rows in a step"},
           {"batch: 64", "batch: 64.5", "12:8: error: 'batch' must be an integer, found '64.5'", ""},
           {"batch: 64", "batch: 1e2", "12:8: error: 'batch' must be an integer, found '1e2'", "write 100"},
           {"batch: 64", "batch: \"64\"", "12:8: error: 'batch' must be an integer, found the text \"64\"",
            "remove the quotes"},
           {"batch: 64", "batch: 064", "12:8: error: 'batch' must be an integer, found '064'",
            "leading zeros could mean octal; write 64"},
           {"batch: 64", "batch: 0x40", "12:8: error: 'batch' must be an integer, found '0x40'", ""},
           {"batch: 64", "batch: true", "12:8: error: 'batch' must be an integer, found 'true'", ""},
           {"batch: 64", "batch: [64]", "12:8: error: 'batch' must be an integer, found a list", "rows in a step"},
           {"batch: 64", "batch: {n: 64}", "12:8: error: 'batch' must be an integer, found a mapping", ""},
           {"batch: 64", "batch: 99999999999999999999",
            "12:8: error: 'batch' must be an integer, found '99999999999999999999'", "too large"},
           {"momentum: 0.9", "momentum: high", "14:43: error: 'momentum' must be a number, found 'high'", ""},
           {"momentum: 0.9", "momentum: .nan", "14:43: error: 'momentum' must be a number, found '.nan'", ""},
           {"momentum: 0.9", "momentum: 1e999", "14:43: error: 'momentum' must be a number, found '1e999'",
            "too large"},
           {"momentum: 0.9", "momentum: 00", "14:43: error: 'momentum' must be a number, found '00'", "write 0"},
           {"momentum: 0.9", "momentum: \"0.9\"", "14:43: error: 'momentum' must be a number, found the text \"0.9\"",
            "remove the quotes"},
           {"batch: 64", "batch: 64\nshuffle: yes", "13:10: error: 'shuffle' must be true or false, found 'yes'",
            "write true"},
           {"batch: 64", "batch: 64\nshuffle: off", "13:10: error: 'shuffle' must be true or false, found 'off'",
            "write false"},
           {"batch: 64", "batch: 64\nshuffle: 2", "13:10: error: 'shuffle' must be true or false, found '2'",
            "write true or false"},
           {"batch: 64", "batch: 64\ndescription: 5", "13:14: error: 'description' must be text, found '5'",
            "write \"5\" in quotes"},
           {"batch: 64", "batch: 64\ndescription: [a]", "13:14: error: 'description' must be text, found a list", ""},
           {"name: tiny", "name: a b", "1:7: error: 'name' must be a name, found 'a b'", "letters, digits"},
           {"name: tiny", "name: ../../etc", "1:7: error: 'name' must be a name, found '../../etc'", "letters, digits"},
           {"name: tiny", "name: ..", "1:7: error: 'name' must be a name, found '..'", "not beginning with '.'"},
           {"activation: relu", "activation: rleu", "9:33: error: 'activation' cannot be 'rleu'",
            "did you mean 'relu'? one of: none, relu"},
           {"activation: relu", "activation: sigmoid", "9:33: error: 'activation' cannot be 'sigmoid'",
            "one of: none, relu"},
           {"activation: relu", "activation: [relu]", "9:33: error: 'activation' must be a word, found a list",
            "one of: none, relu"},
           {"loss_scale: dynamic", "loss_scale: dinamic", "15:13: error: 'mode' cannot be 'dinamic'",
            "did you mean 'dynamic'?"},
           {"loss_scale: dynamic", "loss_scale: -1", "15:13: error: 'initial' cannot be negative: -1", ""},
           {"loss_scale: dynamic", "pruning: 20 %", "15:10: error: 'kept' must be a number, found '20 %'", ""},
           {"loss_scale: dynamic", "pruning: half", "15:10: error: 'kept' must be a number, found 'half'", ""},
           {"batch: 64", "batch: 64\nreport: loss", "13:9: error: 'report' must be a list, found 'loss'",
            "write [loss]"},
           {"batch: 64", "batch: 64\nreport: [loss, lots]", "13:16: error: 'report' cannot be 'lots'",
            "one of: loss, cycles"},
           {"batch: 64", "batch: 64\nreport: [loss, loss]", "13:16: error: 'loss' is repeated in 'report'",
            "keep one of the two"},
           {"array: {width: 8, height: 4}", "array: 8x4", "3:8: error: expected the keys of an array, found '8x4'",
            "one 'key: value' per line"},
           {"array: {width: 8, height: 4}", "array: [8, 4]", "3:8: error: expected the keys of an array, found a list",
            ""},
           {"  - {name: big, inputs: 128, outputs: 64, tokens_per_pe: 16}", "  - big",
            "17:5: error: expected the keys of an extrapolation, found 'big'", ""},
           {"  - {name: big, inputs: 128, outputs: 64, tokens_per_pe: 16}", "  {name: big}",
            "17:3: error: 'extrapolate' must be a list, found a mapping", "begin each entry with '- '"},
           {"machine: wse2", "machine: [wse2]", "2:10: error: expected the keys of a machine, found a list", ""},
           {"machine: wse2", "machine: {extends: [wse2]}", "2:20: error: 'extends' takes one name or file", ""},
           {"machine: wse2", "machine: {extends: wse2, input_queue_depths: 4}",
            "2:46: error: 'input_queue_depths' must be a list, found '4'", "write [4]"},
           {"machine: wse2", "machine: {extends: wse2, input_queue_depths: [4, x, 4, 4, 4, 4, 4, 4]}",
            "2:50: error: 'input_queue_depths' must be a list of integers, found 'x'", ""},
       }) {
    expect(c);
  }
}

TEST_CASE("units in values") {
  for (const Case& c : std::vector<Case>{
           {"machine: wse2", "machine: {extends: wse2, sram_bytes: 48 KiB}",
            "2:38: error: 'sram_bytes' must be an integer, found '48 KiB'",
            "the unit stands in the key; write sram_bytes: 49152"},
           {"machine: wse2", "machine: {extends: wse2, sram_bytes: {value: 48KiB, source: x}}",
            "2:46: error: 'sram_bytes' must be an integer, found '48KiB'", "write sram_bytes: 49152"},
           {"machine: wse2", "machine: {extends: wse2, clock_hz: 1.1 GHz}",
            "2:36: error: 'clock_hz' must be a number, found '1.1 GHz'", "write clock_hz: 1100000000"},
           {"machine: wse2", "machine: {extends: wse2, hop_cycles: 2 cycles}",
            "2:38: error: 'hop_cycles' must be an integer, found '2 cycles'", "write hop_cycles: 2"},
           {"machine: wse2", "machine: {extends: wse2, io_bits_per_s: 1.2 Tb/s}",
            "2:41: error: 'io_bits_per_s' must be a number, found '1.2 Tb/s'", "write io_bits_per_s: 1200000000000"},
       }) {
    expect(c);
  }
}

TEST_CASE("ranges") {
  for (const Case& c : std::vector<Case>{
           {"batch: 64", "batch: -64", "12:8: error: 'batch' cannot be negative: -64", "allowed: from 1 to 1048576"},
           {"batch: 64", "batch: 0", "12:8: error: 'batch' is out of range: 0", "allowed: from 1 to 1048576"},
           {"width: 8", "width: -8", "3:16: error: 'width' cannot be negative: -8", "allowed: from 1 to 4096"},
           {"width: 8", "width: 5000000000", "3:16: error: 'width' is out of range: 5000000000",
            "allowed: from 1 to 4096"},
           {"learning_rate: 0.1", "learning_rate: 0", "14:28: error: 'learning_rate' is out of range: 0",
            "allowed: more than 0"},
           {"momentum: 0.9", "momentum: 1", "14:43: error: 'momentum' is out of range: 1",
            "allowed: from 0 to 0.999999"},
           {"machine: wse2", "machine: {extends: wse2, lanes: 3}", "2:33: error: 'lanes' cannot be 3",
            "one of: 2, 4, 8"},
           {"machine: wse2", "machine: {extends: wse2, microthreads: 4}", "2:40: error: 'microthreads' cannot be 4",
            "only 8 is built"},
           {"machine: wse2", "machine: {extends: wse2, input_queue_depths: [4, 4, 4]}",
            "2:46: error: 'input_queue_depths' has 3 entries, needs 8", ""},
           {"machine: wse2", "machine: {extends: wse2, input_queue_depths: [1, 1, 4, 4, 4, 4, 4, 4]}",
            "2:47: error: 'input_queue_depths' is out of range: 1", ""},
           {"  layers:\n    - {outputs: 32, activation: relu}\n    - {outputs: 10}\n", "  layers: []\n",
            "8:11: error: 'layers' has 0 entries, needs 1 to 4096", ""},
       }) {
    // The queue list has the same fault twice; one is enough to look at.
    if (c.to.find("[1, 1,") != std::string::npos) {
      const TemporaryFolder folder;
      CHECK(errors_of(folder, with(kRun, c.from, c.to)).find("run.yaml:" + c.message) == 0);
      continue;
    }
    expect(c);
  }
}

TEST_CASE("values that do not fit each other") {
  for (const Case& c : std::vector<Case>{
           {"machine: wse2", "machine: {extends: wse2, user_width: 755}",
            "2:38: error: the user rectangle ends in column 759, the fabric has 757", "user_x + user_width"},
           {"machine: wse2", "machine: {extends: wse2, user_height: 996}",
            "2:39: error: the user rectangle ends in row 997, the fabric has 996", "user_y + user_height"},
           {"machine: wse2", "machine: {extends: wse2, hop_cycles: 2, router_queue_depth: 3}",
            "2:61: error: a router with hop_cycles 2 needs a queue of at least 4 words, has 3", "under way"},
           {"machine: wse2", "machine: {extends: wse2, ramp_cycles: 4}",
            "2:39: error: ramp_cycles is 4; a router queue of 3 words allows at most 3", "under way on the ramp"},
           {"machine: wse2", "machine: {extends: wse2, input_queue_depths: [6, 6, 4, 4, 2, 2, 2, 2]}",
            "2:46: error: the tile has one depth for queues 0 and 1 and one for queues 2 to 7", "make them equal"},
           {"machine: wse2", "machine: {extends: wse2, output_queue_depths: [4, 4, 4, 6]}",
            "2:47: error: the tile has one depth for all output queues", "make them equal"},
           {"width: 8", "width: 751", "3:16: error: an array of 751 x 4 does not fit machine 'wse2'",
            "programs may use 750 x 994 tiles"},
           {"height: 4", "height: 995", "3:27: error: an array of 8 x 995 does not fit machine 'wse2'",
            "programs may use 750 x 994 tiles"},
           {"batch: 64", "batch: 899", "12:8: error: a batch of 899 is larger than the 898 training rows",
            "make 'batch' smaller"},
           {"train_rows: 898", "train_rows: 898, value_min: 3, value_max: 3",
            "11:71: error: 'value_max' must be greater than 'value_min'", ""},
           {"loss_scale: dynamic", "loss_scale: {mode: dynamic, minimum: 8, maximum: 4}",
            "15:50: error: 'maximum' must not be less than 'minimum'", ""},
           {"loss_scale: dynamic", "loss_scale: {mode: dynamic, initial: 2, minimum: 4}",
            "15:38: error: the initial loss scale lies outside 'minimum' and 'maximum'", "4 and 65536"},
           {"- {outputs: 10}", "- {outputs: 10, activation: relu}",
            "10:33: error: the last layer feeds softmax and cannot have an activation", "activation: none"},
           {"- {outputs: 10}", "- {outputs: 1}", "10:17: error: softmax needs at least two outputs", ""},
           {"- {outputs: 10}", "- {name: layer0, outputs: 10}", "10:7: error: two layers are called 'layer0'",
            "a name of its own"},
           {"tokens_per_pe: 16}", "tokens_per_pe: 16}\n  - {name: big, inputs: 1, outputs: 2, tokens_per_pe: 1}",
            "18:12: error: two extrapolations are called 'big'", "different names"},
           {"{name: big, inputs: 128, outputs: 64,", "{name: big, workload: network, inputs: 128,",
            "17:44: error: 'inputs' cannot be given for the network; its sizes are the model's", "remove the line"},
           {"batch: 64", "batch: 64\noutputs: \"\"", "13:10: error: 'outputs' is empty", "name a folder"},
       }) {
    expect(c);
  }
}

TEST_CASE("of values that do not fit each other the one that was written last is to blame") {
  struct Derived {
    std::string base_from, base_to;  // in kRun
    std::string text;                // of the run that extends it
    std::string message;
  };
  for (const Derived& c : std::vector<Derived>{
           {"width: 8", "width: 700", "machine: wse1\n", "run.yaml:2:10: error: an array of 700 x 4 does not fit machine 'wse1'"},
           {"width: 8", "width: 700", "machine: {user_width: 600}\n", "run.yaml:2:23: error: an array of 700 x 4 does not fit machine 'wse2-variant'"},
           {"width: 8", "width: 700", "machine: small.yaml\n", "run.yaml:2:10: error: an array of 700 x 4 does not fit machine 'wse2-variant'"},
           {"machine: wse2", "machine: wse1", "array: {width: 700, height: 4}\n", "run.yaml:2:16: error: an array of 700 x 4 does not fit machine 'wse1'"},
           {"machine: wse2", "machine: {extends: wse2, user_x: 0}", "machine: {user_width: 757, fabric_width: 756}\n", "run.yaml:2:23: error: the user rectangle ends in column 757, the fabric has 756"},
           {"machine: wse2", "machine: {extends: wse2, user_width: 753}", "machine: {user_x: 5}\n", "run.yaml:2:19: error: the user rectangle ends in column 758, the fabric has 757"},
           {"machine: wse2", "machine: {extends: wse2, router_queue_depth: 3}", "machine: {hop_cycles: 2}\n", "run.yaml:2:23: error: a router with hop_cycles 2 needs a queue of at least 4 words, has 3"},
           {"batch: 64", "batch: 500", "data: {train_rows: 400}\n", "run.yaml:2:20: error: a batch of 500 is larger than the 400 training rows"},
           {"batch: 64", "batch: 64\nsystems: 8", "batch: 4\n", "run.yaml:2:8: error: 8 systems cannot share a batch of 4 rows"},
           {"train_rows: 898", "train_rows: 898, value_max: 3", "data: {value_min: 4}\n", "run.yaml:2:19: error: 'value_max' must be greater than 'value_min'"},
           {"loss_scale: dynamic", "loss_scale: {mode: dynamic, initial: 2}", "loss_scale: {minimum: 4}\n", "run.yaml:2:23: error: the initial loss scale lies outside 'minimum' and 'maximum'"},
           // Nothing in the derived file has to do with it: the base is to blame.
           {"batch: 64", "batch: 899", "epochs: 3\n", "base.yaml:12:8: error: a batch of 899 is larger than the 898 training rows"},
           // A default is never to blame.
           {"epochs: 2", "epochs: 2", "loss_scale: {mode: dynamic, minimum: 100000, maximum: 200000}\n", "run.yaml:2:38: error: the initial loss scale lies outside"},
       }) {
    const TemporaryFolder folder;
    folder.write("base.yaml", with(kRun, c.base_from, c.base_to));
    folder.write("small.yaml", "extends: wse2\nuser_width: 600\n");
    const std::string errors = errors_of(folder, "extends: base.yaml\n" + c.text);
    INFO(errors);
    INFO("expected: " << c.message);
    CHECK(errors.find(c.message) == 0);
    CHECK(count(errors, "error: ") == 1);
  }
  // A machine of the command line has no line: the array's stands for both.
  const TemporaryFolder folder;
  const Result<Resolved<Run>> other = resolve_run_on(folder.write("run.yaml", with(kRun, "width: 8", "width: 700")), "wse1");
  REQUIRE(!other.ok());
  CHECK(render(other.errors()).find("run.yaml:3:16: error: an array of 700 x 4 does not fit machine 'wse1'") != std::string::npos);
}

TEST_CASE("names and files that do not exist") {
  for (const Case& c : std::vector<Case>{
           {"machine: wse2", "machine: wes2", "2:10: error: no machine is called 'wes2'",
            "did you mean 'wse2'? known: nano, wse1, wse2, wse3"},
           {"machine: wse2", "machine: tpu", "2:10: error: no machine is called 'tpu'",
            "known: nano, wse1, wse2, wse3"},
           {"machine: wse2", "machine: \"\"", "2:10: error: the name of a machine is empty", ""},
           {"machine: wse2", "machine: {extends: wse9000}", "2:20: error: no machine is called 'wse9000'",
            "known: nano"},
           {"name: tiny", "name: tiny\nextends: ../nowhere/base.yaml", "2:10: error: no such file: '",
            "relative to the file that names it"},
           {"digits.csv.gz", "digit.csv.gz", "11:14: error: no such data file: 'digit.csv.gz'",
            "did you mean 'digits.csv.gz'? looked for "},
       }) {
    const TemporaryFolder folder;
    const std::string errors = errors_of(folder, with(kRun, c.from, c.to));
    INFO(errors);
    CHECK(errors.find("run.yaml:" + c.message) == 0);
    CHECK(errors.find(c.hint) != std::string::npos);
  }
  const TemporaryFolder folder;
  const Result<Resolved<Run>> base = resolve_run(folder.write("base.yaml", "extends: ../" + folder.path().filename().string() + "/\n"));
  REQUIRE(!base.ok());
  CHECK(base.errors()[0].fault == Fault::kInputOutput);
  CHECK(base.errors()[0].where.line == 1);
  CHECK(base.errors()[0].where.column == 10);
  CHECK(base.errors()[0].message.find("is a folder, not a file") != std::string::npos);
  const Result<Resolved<Run>> missing = resolve_run(folder.path() / "run.yaml");
  REQUIRE(!missing.ok());
  CHECK(missing.errors()[0].fault == Fault::kInputOutput);
  CHECK(missing.errors()[0].message == "no such file");
  const Result<Resolved<Run>> directory = resolve_run(folder.path());
  REQUIRE(!directory.ok());
  CHECK(directory.errors()[0].message == "is a folder, not a file");
  CHECK(::mkfifo((folder.path() / "pipe.yaml").c_str(), 0600) == 0);
  const Result<Resolved<Run>> pipe = resolve_run(folder.path() / "pipe.yaml");
  REQUIRE(!pipe.ok());
  CHECK(pipe.errors()[0].message == "is not a regular file");
  const Result<Resolved<Run>> large = resolve_run(folder.write("large.yaml", std::string((16U << 20U) + 1, '#')));
  REQUIRE(!large.ok());
  CHECK(large.errors()[0].message.find("is too large") == 0);
}

TEST_CASE("a missing file beside a similar one is guessed") {
  const TemporaryFolder folder;
  folder.write("base.yaml", kRun);
  CHECK(errors_of(folder, "extends: bsae.yaml\n").find("did you mean 'base.yaml'?") != std::string::npos);
}

TEST_CASE("extends in a circle") {
  const TemporaryFolder folder;
  CHECK(errors_of(folder, "extends: run.yaml\n")
            .find("run.yaml:1:10: error: 'extends' goes in a circle: run.yaml -> run.yaml\n") == 0);
  folder.write("a.yaml", "extends: b.yaml\n");
  folder.write("b.yaml", "name: b\nextends: ./a.yaml\n");
  const std::string errors = errors_of(folder, "extends: a.yaml\n");
  INFO(errors);
  CHECK(errors.find("b.yaml:2:10: error: 'extends' goes in a circle: a.yaml -> b.yaml -> a.yaml\n") !=
        std::string::npos);
  CHECK(errors.find("hint: a file cannot be its own base") != std::string::npos);
}

TEST_CASE("an error in another file is reported there") {
  const TemporaryFolder folder;
  folder.write("base.yaml", with(kRun, "batch: 64", "btach: 64"));
  const std::string errors = errors_of(folder, "extends: base.yaml\nbatch: 3\n");
  INFO(errors);
  CHECK(errors.find("base.yaml:12:1: error: unknown key 'btach' in a run\n  btach: 64\n") == 0);
  folder.write("m.yaml", "extends: wse2\nlanes: 5\n");
  CHECK(errors_of(folder, with(kRun, "machine: wse2", "machine: m.yaml"))
            .find("m.yaml:2:8: error: 'lanes' cannot be 5") == 0);
}

TEST_CASE("several errors come at once, in the order of the text") {
  const TemporaryFolder folder;
  const std::string errors = errors_of(
      folder, with(with(with(kRun, "batch: 64", "batch: x"), "epochs: 2", "epochs: -2"), "width: 8", "wdith: 8"));
  INFO(errors);
  CHECK(count(errors, "error: ") == 4);
  CHECK(errors.find("run.yaml:3:8") < errors.find("run.yaml:3:9"));
  CHECK(errors.find("run.yaml:3:9") < errors.find("run.yaml:12:8"));
  CHECK(errors.find("run.yaml:12:8") < errors.find("run.yaml:13:9"));
}

TEST_CASE("what YAML allows and a configuration does not") {
  const TemporaryFolder folder;
  const auto begins = [&](const std::string& text, const std::string& message) {
    const std::string errors = errors_of(folder, text);
    INFO(errors);
    CHECK(errors.find("run.yaml:" + message) == 0);
  };
  begins("", "1:1: error: the file is empty\n");
  begins("# only a comment\n", "1:1: error: the file is empty\n");
  begins("---\n...\n", "1:1: error: the file is empty\n");
  begins("just words\n", "1:1: error: expected the keys of a run, found 'just words'\n");
  begins("- a\n- b\n", "1:1: error: expected the keys of a run, found a list\n");
  begins(kRun + "---\nname: two\n", "19:1: error: a second document begins here\n");
  begins("a: &x 1\n", "1:4: error: anchors are not supported\n");
  begins("<<: {a: 1}\n", "1:1: error: merge keys are not supported\n");
  begins("batch: !!int 3\n", "1:");
  CHECK(errors_of(folder, "batch: !!int 3\n").find("tags are not supported") != std::string::npos);
  CHECK(errors_of(folder, "a: &x 1\nb: *x\n").find("aliases are not supported") != std::string::npos);
  begins("[a, b]: 3\n", "1:1: error: a key must be a plain word\n");
  begins("batch: [1, 2\n", "2:1: error: not valid YAML: ");
  begins("batch: 'open\n", "1:8: error: the quote is never closed\n");
  begins("batch: \"open \\\" it\n", "");
  begins("batch: 'it''s\n", "1:8: error: the quote is never closed\n");
  begins("a: b: c\n", "1:5: error: not valid YAML: ");
  begins("array:\n\twidth: 3\n", "2:");
  CHECK(errors_of(folder, "array:\n\twidth: 3\n").find("YAML does not allow tabs") != std::string::npos);
  begins(std::string("name: a\0b\n", 10), "1:1: error: is not a text file: it holds a zero byte\n");
  begins(std::string("\xff\xfe\x00\x01", 4), "1:1: error: is not a text file");
  // A bomb of brackets must end in an error, not in an overflow of the stack.
  begins(std::string(200000, '['), "1:");
  begins(std::string(100000, '{'), "1:");
  std::string deep;
  for (int i = 0; i < 3000; ++i) deep += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  CHECK(errors_of(folder, deep).find("error: nested too deeply\n") != std::string::npos);
  begins("name: a\ndescription: \"M\xFCller\"\n", "2:16: error: is not UTF-8 from here on\n");
  begins("# \xC3\xA9\nname: \xC3\n", "2:7: error: is not UTF-8 from here on\n");
}

TEST_CASE("Windows line ends and a byte order mark are read") {
  const TemporaryFolder folder;
  std::string text;
  for (const char c : kRun) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  CHECK(errors_of(folder, text) == "no error");
  CHECK(errors_of(folder, "\xEF\xBB\xBF" + kRun) == "no error");
}

TEST_CASE("an unreadable configuration folder is no crash") {
  const TemporaryFolder folder;
  ResolveOptions options;
  options.configs = folder.path() / "nothing";
  const Result<Resolved<Machine>> machine = resolve_machine("wse2", options);
  REQUIRE(!machine.ok());
  CHECK(render(machine.errors()).find("there is none in") != std::string::npos);
  CHECK(list_names(FileKind::kRun, options).empty());
}
