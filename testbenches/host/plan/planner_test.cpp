// The planner's promises that need no fabric: splits, shapes, layouts, refusals, images, schedules and counts.
//
// State space: sizes around every corner of a split, arrays from one tile to a whole wafer, schedules read word by word. What is left out: whether the
// images compute what they should (training_test).
#include <map>
#include <set>

#include "firmware/assembler/assembler.h"
#include "host/plan/protocol.h"
#include "host/plan/routes.h"
#include "sim/generated/fabric.h"
#include "sim/generated/packet.h"
#include "sim/generated/registers.h"
#include "testbenches/host/plan/golden_array.h"
#include "testbenches/lib/catch.h"

namespace waferloom {
namespace {

using plan::Split;

plan::Target array(int width, int height) {
  plan::Target target;
  target.width = width;
  target.height = height;
  return target;
}

plan::Plan planned(const plan::NetworkSpec& network, const plan::Target& target, int batch) {
  auto made = plan::make_plan(network, target, batch);
  if (const plan::Refusal* refusal = std::get_if<plan::Refusal>(&made)) FAIL(refusal->message);
  return std::get<plan::Plan>(std::move(made));
}

plan::Refusal refused(const plan::NetworkSpec& network, const plan::Target& target, int batch) {
  auto made = plan::make_plan(network, target, batch);
  if (std::holds_alternative<plan::Plan>(made)) FAIL("was laid out");
  return std::get<plan::Refusal>(std::move(made));
}

TEST_CASE("a split covers its items in ascending blocks that differ by at most one") {
  for (int items = 0; items <= 40; ++items) {
    for (int parts = 1; parts <= 13; ++parts) {
      const Split split{items, parts};
      int next = 0;
      for (int part = 0; part < parts; ++part) {
        REQUIRE(split.first(part) == next);
        REQUIRE((split.size(part) == items / parts || split.size(part) == items / parts + 1));
        REQUIRE((part == 0 || split.size(part) <= split.size(part - 1)));
        for (int i = 0; i < split.size(part); ++i) REQUIRE(split.owner(next + i) == part);
        next += split.size(part);
      }
      REQUIRE(next == items);
    }
  }
}

TEST_CASE("the host's numbers are the microcode's") {
  assembler::Assembler assembler;
  const assembler::Outcome outcome = assembler.assemble_file((plan::default_firmware() / "train.wl").string());
  INFO(assembler::render(outcome.errors));
  REQUIRE(outcome.ok());
  const std::map<std::string, int> expected = {
      {"TASK_PHASE", plan::kTaskPhase},           {"TASK_OUTPUT_A", plan::kTaskOutputA},     {"TASK_OUTPUT_B", plan::kTaskOutputB},
      {"TASK_GRADIENT_A", plan::kTaskGradientA},  {"TASK_GRADIENT_B", plan::kTaskGradientB}, {"TASK_STORED", plan::kTaskStored},
      {"TASK_HALT", plan::kTaskHalt},             {"TASK_NOTHING", plan::kTaskNothing},      {"COLOUR_WEIGHTS", plan::kWeights},
      {"COLOUR_LOAD", plan::kLoad},               {"COLOUR_RING_A", plan::kRingA},           {"COLOUR_RING_B", plan::kRingB},
      {"COLOUR_RING_C", plan::kRingC},            {"COLOUR_CHAIN_X_EVEN", plan::kChainXEven}, {"COLOUR_CHAIN_X_ODD", plan::kChainXOdd},
      {"COLOUR_BROADCAST_X", plan::kBroadcastX},  {"COLOUR_MULTICAST_WEST", plan::kMulticastWest},
      {"COLOUR_MULTICAST_EAST", plan::kMulticastEast}, {"COLOUR_CHAIN_Y_EVEN", plan::kChainYEven}, {"COLOUR_CHAIN_Y_ODD", plan::kChainYOdd},
  };
  for (const auto& [name, value] : expected) {
    INFO(name);
    REQUIRE(outcome.program->symbol(name).has_value());
    CHECK(*outcome.program->symbol(name) == value);
  }
}

TEST_CASE("routes: every colour has one sender per link and a receiver that expects it") {
  for (const auto& [width, height] : std::vector<std::pair<int, int>>{{1, 1}, {1, 4}, {4, 1}, {2, 2}, {3, 3}, {5, 4}, {6, 2}}) {
    INFO(width << " x " << height);
    // transmit[tile][colour][position], receive likewise
    std::map<std::tuple<int, int, int, int>, std::uint32_t> words;
    std::map<std::tuple<int, int>, std::set<int>> bound;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        for (const plan::BootStore& store : plan::boot_stores(plan::position_of(x, y, width, height))) {
          const std::uint32_t offset = store.address - spec::kMmioBase;
          if (offset >= spec::kMmioRoute) {
            const int colour = static_cast<int>((offset - spec::kMmioRoute) / 32);
            const int position = static_cast<int>((offset - spec::kMmioRoute) / 4 % 8);
            CHECK(words.count({x, y, colour, position}) == 0);
            words[{x, y, colour, position}] = store.value;
          } else {
            CHECK((store.value & 0x80u) != 0);
            CHECK(bound[{x, y}].insert(static_cast<int>(store.value & 31u)).second);
          }
        }
      }
    }
    const int dx[4] = {0, 1, 0, -1};
    const int dy[4] = {-1, 0, 1, 0};
    for (const auto& [key, word] : words) {
      const auto [x, y, colour, position] = key;
      if (position == static_cast<int>(spec::kControlWordIndex)) continue;
      INFO("tile (" << x << ", " << y << "), colour " << colour << ", position " << position);
      const std::uint32_t transmit = spec::route_transmit(word);
      const std::uint32_t receive = spec::route_receive(word);
      CHECK(transmit != 0);
      CHECK(receive != 0);
      if ((transmit & 16u) != 0) CHECK(bound[{x, y}].count(colour) == 1);
      for (int d = 0; d < 4; ++d) {
        const int nx = x + dx[d];
        const int ny = y + dy[d];
        const bool inside = nx >= 0 && nx < width && ny >= 0 && ny < height;
        if ((transmit >> d & 1u) != 0) {
          const bool edge = ny < 0 && colour == plan::kChainYEven;  // results leave here
          CHECK((inside || edge));
          if (inside) {
            REQUIRE(words.count({nx, ny, colour, 0}) == 1);
            CHECK((spec::route_receive(words[{nx, ny, colour, 0}]) >> ((d + 2) % 4) & 1u) == 1u);
          }
        }
        if ((receive >> d & 1u) != 0) CHECK((inside || ny < 0));
      }
    }
    CHECK(bound.size() == static_cast<std::size_t>(width * height));
  }
}

TEST_CASE("what does not fit is refused with numbers and advice") {
  const plan::NetworkSpec wide = testing::network({16384, 1024, 10});
  const plan::Refusal refusal = refused(wide, array(8, 8), 64);
  CHECK(refusal.available_bytes == 49152);
  CHECK(refusal.needed_bytes > 49152);
  CHECK(refusal.message.find("tile (0, 0)") != std::string::npos);
  CHECK(refusal.message.find("needs " + std::to_string(refusal.needed_bytes) + " bytes") != std::string::npos);
  CHECK(refusal.message.find("has 49152 bytes") != std::string::npos);
  CHECK(refusal.message.find("slab0") != std::string::npos);
  CHECK(refusal.hint.find("a batch of at most 32") != std::string::npos);
  CHECK(refusal.hint.find("8 x 16") != std::string::npos);
  CHECK(refusal.hint.find("16 x 8") != std::string::npos);

  // The advice holds.
  CHECK_NOTHROW(planned(wide, array(8, 8), 32));
  CHECK_NOTHROW(planned(wide, array(8, 16), 64));
  CHECK_NOTHROW(planned(wide, array(16, 8), 64));

  // Exactly what fits is laid out, one byte less is not.
  plan::Target target = array(3, 3);
  const plan::NetworkSpec small = testing::network({30, 20, 10});
  target.sram_bytes = static_cast<int>(planned(small, target, 12).sram_needed);
  CHECK_NOTHROW(planned(small, target, 12));
  target.sram_bytes -= 8;
  CHECK(refused(small, target, 12).needed_bytes == static_cast<std::uint64_t>(target.sram_bytes) + 8);

  target = array(4, 4);
  target.colours = 8;
  CHECK(refused(small, target, 12).message.find("needs 12 colours, the machine has 8") != std::string::npos);

  plan::NetworkSpec relu_at_end = small;
  relu_at_end.layers.back().relu = true;
  CHECK(refused(relu_at_end, array(2, 2), 4).message.find("layer1") != std::string::npos);

  CHECK(refused(small, array(70000, 1), 4).message.find("70000 x 1") != std::string::npos);

  auto made = plan::make_plan(small, array(2, 2), 4, "/nowhere/at/all");
  REQUIRE(std::holds_alternative<plan::Refusal>(made));
  CHECK(std::get<plan::Refusal>(made).message.find("does not assemble") != std::string::npos);
}

TEST_CASE("advice with no way out says so") {
  plan::Target target = array(1, 1);
  target.sram_bytes = 1024;
  const plan::Refusal refusal = refused(testing::network({4, 4}), target, 1);
  CHECK(refusal.hint.find("more SRAM") != std::string::npos);
}

TEST_CASE("accumulators go into the window when it holds both") {
  plan::Target target = array(2, 2);
  target.window_bytes = 256;
  const plan::NetworkSpec network = testing::network({8, 4});
  CHECK(planned(network, target, 64).window_needed == 256);   // 32 tokens, 4 bytes, two of them
  CHECK(planned(network, target, 66).window_needed == 0);     // 36 tokens
  CHECK(planned(network, target, 64).address("accumulator0") == spec::kWindowBase);
  target.accumulate = config::Accumulate::kFp16;
  CHECK(planned(network, target, 128).window_needed == 256);
}

TEST_CASE("a whole wafer has few images") {
  const plan::NetworkSpec network = testing::network({12288, 12288, 1000});
  const plan::Plan plan = planned(network, array(757, 996), 16 * 996);
  CHECK(plan.images.size() <= 40);
  CHECK(plan.tokens_padded == 16);
  CHECK(plan.features[0].largest() == 17);
  CHECK(plan.words_out(plan::StepKind::kEvaluate, 0) == 2);
  CHECK(plan.words_out(plan::StepKind::kEvaluate, 1) == 0);
}

TEST_CASE("the graph names every operator once, in an order that its needs allow") {
  const plan::Plan plan = planned(testing::network({64, 32, 10}), array(8, 8), 64);
  std::set<std::string> names;
  for (const plan::Operator& op : plan.operators) {
    INFO(op.name);
    CHECK(names.insert(op.name).second);
    CHECK(&op - plan.operators.data() == op.id);
    for (const int before : op.after) CHECK(before < op.id);
    CHECK(op.where.tiles() >= 1);
  }
  const auto find = [&](const std::string& name) -> const plan::Operator& {
    for (const plan::Operator& op : plan.operators) {
      if (op.name == name) return op;
    }
    FAIL("no operator " << name);
    return plan.operators.front();
  };
  const plan::Operator& forward = find("layer0.forward.matmul");
  CHECK(forward.kind == plan::OperatorKind::kStreamMatmul);
  CHECK(forward.weights == plan::WeightSource::kMemoryX);
  CHECK(forward.repeats == 32);
  CHECK(forward.elements == 8);
  CHECK(forward.weights_per_repeat == 9);
  const plan::Operator& dot = find("layer0.gradient.matmul");
  CHECK(dot.weights == plan::WeightSource::kSram);
  CHECK(find("layer1.forward.reduce").axis == plan::Axis::kX);
  CHECK(find("layer1.gradient.reduce").axis == plan::Axis::kY);
  CHECK(find("layer1.delta.relu").flavour == plan::Flavour::kReluGradient);
  // What the graph says about the edge is what the schedule does, with dense weights.
  const testing::Weights weights = testing::random_weights(plan.network, 1);
  const std::vector<plan::PhaseCount> counts = plan::count_phases(plan, plan::StepKind::kTrain, weights.view());
  for (std::size_t p = 0; p < counts.size(); ++p) {
    std::int64_t in = 0;
    std::int64_t out = 0;
    for (const int id : plan.train_step[p].operators) {
      in += plan.operators[static_cast<std::size_t>(id)].edge_words_in;
      out += plan.operators[static_cast<std::size_t>(id)].edge_words_out;
    }
    INFO(plan.train_step[p].name);
    std::int64_t zeros = 0;
    for (const testing::Weights::Layer& layer : weights.layers) {
      for (const std::uint16_t w : layer.weights) zeros += w == 0 ? 1 : 0;
    }
    CHECK(zeros == 0);
    CHECK(static_cast<std::uint64_t>(in) == counts[p].words);
    CHECK(static_cast<std::uint64_t>(out) == counts[p].results);
  }
}

TEST_CASE("the edge schedule: order, counts, zero filter, resumption at any word") {
  plan::NetworkSpec network = testing::network({13, 9, 5});
  const plan::Plan plan = planned(network, array(4, 3), 10);
  testing::Weights weights = testing::random_weights(network, 4, 0.5);
  weights.layers[0].weights[3] = 0x8000;  // a negative zero is a zero too
  weights.layers[1].bias[2] = 0;
  const testing::Batch batch = testing::random_batch(network, 7, 4);
  const plan::StepInputs inputs{plan::StepKind::kTrain, batch.samples.data(), batch.labels.data(), batch.rows, batch.factor};

  std::vector<plan::EdgeWord> words;
  std::vector<plan::EdgeCursor> cursors;
  std::vector<plan::PhaseCount> counts(plan.train_step.size());
  plan::EdgeStream stream(plan, inputs, weights.view());
  cursors.push_back(stream.cursor());
  for (plan::EdgeWord word; stream.next(word);) {
    words.push_back(word);
    cursors.push_back(stream.cursor());
    ++counts[stream.phase()].words;
    const bool control = spec::link_control(word.link);
    const std::uint32_t colour = spec::link_colour(word.link);
    CHECK((word.column == plan::kEveryColumn) == (control && colour == plan::kWeights));
    if (colour == plan::kWeights && !control) CHECK((spec::weight_weight(spec::link_data(word.link)) & 0x7fffu) != 0);
  }
  const std::vector<plan::PhaseCount> expected = plan::count_phases(plan, plan::StepKind::kTrain, weights.view());
  for (std::size_t p = 0; p < counts.size(); ++p) CHECK(counts[p].words == expected[p].words);

  for (std::size_t at = 0; at < words.size(); at += 97) {
    plan::EdgeStream again(plan, inputs, weights.view(), cursors[at]);
    plan::EdgeWord word;
    for (std::size_t i = at; i < std::min(at + 5, words.size()); ++i) {
      REQUIRE(again.next(word));
      CHECK(word.column == words[i].column);
      CHECK(word.link == words[i].link);
    }
  }
}

TEST_CASE("the collector refuses what the plan does not have") {
  const plan::NetworkSpec network = testing::network({5, 3});
  const plan::Plan plan = planned(network, array(2, 2), 4);
  const testing::Weights weights = testing::random_weights(network, 1);
  plan::Collector collector(plan, plan::StepKind::kEvaluate, weights.view());
  CHECK(collector.outstanding() == 2);
  CHECK(collector.accept(0, spec::link_word(0, plan::kChainYOdd)).find("colour 11") != std::string::npos);
  CHECK(collector.accept(0, spec::link_word(0, plan::kChainYEven, true)).find("control") != std::string::npos);
  CHECK(collector.accept(2, spec::link_word(0, plan::kChainYEven)).find("no such column") != std::string::npos);
  CHECK(collector.accept(1, spec::link_word(0, plan::kChainYEven)).find("more than the plan") != std::string::npos);
  CHECK(collector.accept(0, spec::link_word(0x3f800000, plan::kChainYEven)).empty());
  CHECK(collector.accept(0, spec::link_word(0x40000000, plan::kChainYEven)).empty());
  CHECK(collector.complete());
  CHECK(collector.result().loss_sum == 1.0f);
  CHECK(collector.result().wrong == 2.0f);
  CHECK(collector.accept(0, spec::link_word(0, plan::kChainYEven)).find("more than the plan") != std::string::npos);
}

}  // namespace
}  // namespace waferloom
