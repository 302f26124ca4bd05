#include "host/models/step_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace waferloom::models {
namespace {

double ceil_div(double a, double b) { return std::ceil(a / b); }

// Tokens of the fullest tile, padded as the planner pads.
double padded_tokens(std::int64_t sequences, std::int64_t sequence, int height) {
  const double row = ceil_div(static_cast<double>(sequences) * static_cast<double>(sequence), height);
  return 4 * std::ceil(row / 4);
}

bool has_bias(const Transformer& m, const Tensor& weight) {
  const std::string stem = weight.name.substr(0, weight.name.rfind('.'));
  return std::any_of(m.tensors.begin(), m.tensors.end(), [&](const Tensor& t) { return t.role == Role::kBias && t.name == stem + ".bias"; });
}

// Short name of a tensor within its block: "attn.c_attn", "self_attn.q_proj".
std::string short_name(const std::string& name) {
  std::string out = name.substr(0, name.rfind('.'));
  const std::size_t star = out.find("*.");
  if (star != std::string::npos) out = out.substr(star + 2);
  const std::size_t expert = out.find(".*.");
  if (expert != std::string::npos) out.replace(expert, 3, ".");
  return out;
}

enum class Part { kAttentionIn, kAttentionOut, kMlpUp, kMlpDown };

Part part_of(const Tensor& t) {
  const std::string name = short_name(t.name);
  auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
  if (has("attn.c_proj") || has("o_proj") || has("attention.dense") || has("attention.output")) return Part::kAttentionOut;
  if (has("attn") || has("attention")) return Part::kAttentionIn;
  if (has("mlp.c_proj") || has("down_proj") || has("w2") || has("4h_to_h") || name == "output.dense") return Part::kMlpDown;
  return Part::kMlpUp;
}

class Builder {
 public:
  Builder(const StepRequest& r, std::int64_t micro_sequences, bool recompute) : r_(r), m_(*r.model) {
    plan_.sequence = r.sequence;
    plan_.sequences = r.sequences;
    plan_.micro_sequences = micro_sequences;
    plan_.micro_batches = (r.sequences + micro_sequences - 1) / micro_sequences;
    plan_.tokens_per_pe = padded_tokens(micro_sequences, r.sequence, r.machine->user_height.value);
    plan_.recompute = recompute;
  }

  StepPlan build(const CostModel& cost) {
    if (cost.measures_attention()) attention_ = {Kernel::kAttention};
    const int layers = static_cast<int>(m_.layers);
    add({embedding(StepPass::kForward)}, -1);
    const std::vector<Step> forward = block(StepPass::kForward);
    repeat(place(forward), 0, layers, 1);
    add({norm(StepPass::kForward)}, -1);
    const std::vector<Step> head = head_products();
    for (const Step& step : head) add({with_pass(step, StepPass::kForward)}, -1);
    add({loss()}, -1);
    for (auto it = head.rbegin(); it != head.rend(); ++it) {
      add({with_pass(*it, StepPass::kGradient)}, -1);
      add({with_pass(*it, StepPass::kDelta)}, -1);
    }
    add({norm(StepPass::kDelta)}, -1);
    const std::vector<Step> again = block(StepPass::kRecompute);
    const std::vector<Step> back = block_back();
    std::vector<StepTask> backward = plan_.recompute ? place(again) : std::vector<StepTask>();
    for (const StepTask& task : place(back)) backward.push_back(task);
    repeat(backward, layers - 1, -1, -1);
    add({embedding(StepPass::kGradient)}, -1);
    for (const StepOperator& op : plan_.operators) plan_.prices.push_back(cost.price(op));
    for (const StepTask& task : plan_.tasks) {
      const Price& price = plan_.prices[task.op];
      plan_.wafer_cycles += price.cycles * static_cast<double>(task.repeats);
      if (plan_.operators[task.op].pass != StepPass::kRecompute) plan_.flops += price.flops * static_cast<double>(task.repeats);
    }
    return std::move(plan_);
  }

 private:
  struct Step {
    StepOperator op;
    std::int64_t repeats = 1;
  };

  StepOperator base(Kernel kernel, StepPass pass, const char* layer) const {
    StepOperator op;
    op.kernel = kernel;
    op.pass = pass;
    op.layer = layer;
    op.tokens_per_pe = plan_.tokens_per_pe;
    op.tokens = plan_.tokens();
    op.density = r_.density;
    return op;
  }
  Step with_pass(Step step, StepPass pass) const {
    step.op.pass = pass;
    return step;
  }
  Step embedding(StepPass pass) const {
    Step step{base(Kernel::kEmbedding, pass, "embedding")};
    step.op.features = static_cast<double>(m_.width);
    return step;
  }
  Step norm(StepPass pass, const char* layer = "head") const {
    Step step{base(Kernel::kNorm, pass, layer)};
    step.op.features = static_cast<double>(m_.width);
    return step;
  }
  Step loss() const {
    Step step{base(Kernel::kLoss, StepPass::kLoss, "head")};
    step.op.features = static_cast<double>(m_.vocabulary);
    return step;
  }
  Step activation(StepPass pass) const {
    Step step{base(Kernel::kActivation, pass, "block")};
    step.op.features = static_cast<double>(m_.feed_forward) * static_cast<double>(m_.experts > 1 ? m_.experts_per_token : 1) * (m_.gated ? 1.25 : 1);
    return step;
  }
  Step attention(Kernel kernel, StepPass pass) const {
    Step step{base(kernel, pass, "block")};
    step.op.query_width = static_cast<double>(m_.heads * m_.head_width);
    step.op.key_width = static_cast<double>(m_.key_value_heads * m_.head_width);
    step.op.head_width = static_cast<double>(m_.head_width);
    step.op.heads = static_cast<double>(m_.heads);
    step.op.keys = static_cast<double>(m_.sliding_window ? std::min(*m_.sliding_window, r_.sequence) : r_.sequence);
    step.op.mean_keys = m_.mean_context(r_.sequence);
    return step;
  }
  Step product(const Tensor& t, StepPass pass, const char* layer) const {
    Step step{base(Kernel::kStreamMatmul, pass, layer)};
    step.op.tensor = short_name(t.name);
    step.op.inputs = static_cast<double>(t.inputs);
    step.op.outputs = static_cast<double>(t.outputs);
    step.op.bias = has_bias(m_, t);
    if (t.role == Role::kHead || t.role == Role::kEmbedding) step.op.density = 1;
    if (t.role == Role::kExpert && m_.experts > 1) {
      const double share = static_cast<double>(m_.experts_per_token) / static_cast<double>(m_.experts);
      // The fullest row sets the pace: a weight passes all rows of its column.
      const double fullest = expected_fullest(plan_.tokens_per_pe, share, r_.machine->user_height.value);
      step.op.expert_tokens_per_pe = std::min(plan_.tokens_per_pe, 4 * std::ceil(fullest / 4));
      step.op.tokens = plan_.tokens() * share;
      step.repeats = m_.experts;
    }
    return step;
  }
  std::vector<Step> products(Part part, StepPass pass) const {
    std::vector<Step> steps;
    for (const Tensor& t : m_.tensors) {
      const bool weight = (t.role == Role::kMatmul || t.role == Role::kExpert) && t.count >= m_.layers && t.name.find('*') != std::string::npos;
      if (weight && part_of(t) == part) steps.push_back(product(t, pass, "block"));
    }
    return steps;
  }
  static void append(std::vector<Step>& to, std::vector<Step> more) {
    for (Step& step : more) to.push_back(std::move(step));
  }

  std::vector<Step> block(StepPass pass) const {
    std::vector<Step> steps = {norm(pass, "block")};
    append(steps, products(Part::kAttentionIn, pass));
    for (Kernel kernel : attention_) steps.push_back(attention(kernel, pass));
    append(steps, products(Part::kAttentionOut, pass));
    steps.push_back(norm(pass, "block"));
    append(steps, products(Part::kMlpUp, pass));
    steps.push_back(activation(pass));
    append(steps, products(Part::kMlpDown, pass));
    return steps;
  }
  std::vector<Step> block_back() const {
    std::vector<Step> steps;
    auto both = [&](Part part) {
      for (const Step& step : products(part, StepPass::kGradient)) {
        steps.push_back(step);
        steps.push_back(with_pass(step, StepPass::kDelta));
      }
    };
    both(Part::kMlpDown);
    steps.push_back(activation(StepPass::kDelta));
    both(Part::kMlpUp);
    steps.push_back(norm(StepPass::kDelta, "block"));
    both(Part::kAttentionOut);
    for (auto kernel = attention_.rbegin(); kernel != attention_.rend(); ++kernel) steps.push_back(attention(*kernel, StepPass::kDelta));
    both(Part::kAttentionIn);
    steps.push_back(norm(StepPass::kDelta, "block"));
    return steps;
  }
  // The output embedding (its own tensor, or the input embedding when tied) and matrices outside the blocks.
  std::vector<Step> head_products() const {
    std::vector<Step> steps;
    for (const Tensor& t : m_.tensors) {
      if (t.role == Role::kMatmul && t.name.find('*') == std::string::npos) steps.push_back(product(t, StepPass::kForward, "head"));
    }
    for (const Tensor& t : m_.tensors) {
      const bool tied = m_.tied && t.role == Role::kEmbedding;
      if (t.role != Role::kHead && !tied) continue;
      Step step = product(t, StepPass::kForward, "head");
      step.op.inputs = static_cast<double>(m_.width);
      step.op.outputs = static_cast<double>(m_.vocabulary);
      step.op.bias = m_.architecture == config::Architecture::kBert;
      steps.push_back(step);
    }
    return steps;
  }

  static bool same(const StepOperator& a, const StepOperator& b) {
    return a.kernel == b.kernel && a.pass == b.pass && a.layer == b.layer && a.tensor == b.tensor && a.features == b.features;
  }
  // Their places in the list of operators, which grows by those that are new.
  std::vector<StepTask> place(const std::vector<Step>& steps) {
    std::vector<StepTask> tasks;
    for (const Step& step : steps) {
      std::size_t at = 0;
      while (at < plan_.operators.size() && !same(plan_.operators[at], step.op)) ++at;
      if (at == plan_.operators.size()) {
        plan_.operators.push_back(step.op);
        plan_.counts.push_back(0);
      }
      tasks.push_back({at, -1, step.repeats});
    }
    return tasks;
  }
  void repeat(const std::vector<StepTask>& tasks, int from, int to, int by) {
    for (int layer = from; layer != to; layer += by) {
      for (StepTask task : tasks) {
        task.layer = layer;
        plan_.counts[task.op] += task.repeats;
        plan_.tasks.push_back(task);
      }
    }
  }
  void add(const std::vector<Step>& steps, int layer) { repeat(place(steps), layer, layer + 1, 1); }

  const StepRequest& r_;
  const Transformer& m_;
  StepPlan plan_;
  std::vector<Kernel> attention_ = {Kernel::kScores, Kernel::kSoftmax, Kernel::kValues};
};

// What a tile holds at the worst moment, for n tokens.
report::MemoryUse memory_of(const StepRequest& r, double n, bool recompute, std::int64_t segment) {
  const Transformer& m = *r.model;
  const double w = r.machine->user_width.value;
  const double f = ceil_div(static_cast<double>(m.width), w);
  const double q = ceil_div(static_cast<double>(m.heads * m.head_width), w);
  const double kv = ceil_div(static_cast<double>(m.key_value_heads * m.head_width), w);
  const double used = static_cast<double>(m.experts > 1 ? m.experts_per_token : 1);
  const double ff = ceil_div(static_cast<double>(m.feed_forward), w) * used;
  const double vocabulary = ceil_div(static_cast<double>(m.vocabulary), w);
  const double layers = static_cast<double>(m.layers);
  // Inputs of every product of a block: norm, query, key, value, attention, residual, norm, inside the MLP before and after the activation.
  const double block = n * 2 * (f + q + 2 * kv + q + f + f + ff * (m.gated ? 3 : 2));
  report::MemoryUse use;
  use.capacity_bytes = r.machine->sram_bytes.value;
  use.rows.push_back({"code, tables, records", r.code_bytes, "as the planner lays them out"});
  const double kept = recompute ? (std::ceil(layers / static_cast<double>(segment)) + static_cast<double>(segment > 1 ? segment : 0)) * n * 2 * f : layers * (block + n * 2 * f);
  use.rows.push_back({"activations kept", kept,
                      recompute ? fmt::format("inputs of every {} block{} and of the segment that is computed again", segment, segment == 1 ? "" : "s") : "inputs of every product, all blocks"});
  const double gradients = n * 2 * (std::max(ff * (m.gated ? 2 : 1), 2 * q + 2 * kv) + 2 * f);
  const double attention = n * (2 * 2 * kv * 2 + 8 * 4 + 3 * 4);
  const double working = (recompute ? block : 0) + gradients + attention;
  const double loss = n * (vocabulary * 4 + 2 * f + 5 * 4);
  if (working >= loss) {
    use.rows.push_back({"block on the way back", (recompute ? block : 0) + gradients, "its activations and gradients"});
    use.rows.push_back({"keys and values passing by", attention, "two buffers of each, scores of eight keys, softmax state"});
  } else {
    use.rows.push_back({"logits", loss, "binary32, turned into gradients in place; the block on the way back needs less"});
  }
  const double accumulators = 2 * n * (r.accumulate == config::Accumulate::kFp32 ? 4 : 2);
  if (accumulators > r.machine->accumulator_window_bytes.value) use.rows.push_back({"partial sums", accumulators, "two outputs; more than the window holds"});
  use.rows.push_back({"results and received rows", 2 * (std::max(f, ff) + 1) * 4 + n * 2 * 3, "gradient results of an output, the multicast row, the row of ones"});
  for (const report::MemoryRow& row : use.rows) use.used_bytes += row.bytes;
  use.fits = use.used_bytes <= use.capacity_bytes;
  return use;
}

struct Fit {
  report::MemoryUse use;
  bool recompute = false;
  std::int64_t segment = 1;
};

// The cheapest way in which n tokens fit, or the nearest to it.
Fit fit_tokens(const StepRequest& r, double n) {
  Fit best;
  if (r.recompute != config::Recompute::kAlways) {
    best.use = memory_of(r, n, false, 1);
    if (best.use.fits || r.recompute == config::Recompute::kNever) return best;
  }
  best.recompute = true;
  best.use = memory_of(r, n, true, 1);
  // Blocks kept and blocks of a segment: their sum has its least at the root of the layers.
  const auto longest = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(r.model->layers))));
  for (std::int64_t segment = 2; segment <= longest && !best.use.fits; ++segment) {
    const report::MemoryUse use = memory_of(r, n, true, segment);
    if (use.used_bytes < best.use.used_bytes) {
      best.use = use;
      best.segment = segment;
    }
  }
  return best;
}

}  // namespace

StepOutcome plan_step(const StepRequest& request, const CostModel& cost) {
  StepOutcome outcome;
  const int height = request.machine->user_height.value;
  auto fits = [&](std::int64_t sequences) { return fit_tokens(request, padded_tokens(sequences, request.sequence, height)); };
  const Fit least = fits(1);
  if (!least.use.fits) {
    const double n = padded_tokens(1, request.sequence, height);
    outcome.refusal = fmt::format("one sequence of {} tokens does not fit on a wafer of {}: {:.0f} tokens a tile need {:.0f} bytes, {:.0f} are there", request.sequence, request.machine->name, n,
                                  least.use.used_bytes, least.use.capacity_bytes);
    outcome.hint = request.recompute == config::Recompute::kNever ? "allow recomputation (`recompute: auto`), or shorten `sequence`" : "shorten `sequence`, or take a wafer with more tiles";
    return outcome;
  }
  const std::int64_t whole = request.sequences;
  // The most sequences at a time that fit: more tokens never need less memory.
  std::int64_t most = 1;
  for (std::int64_t above = whole + 1; above - most > 1;) {
    const std::int64_t middle = most + (above - most) / 2;
    (fits(middle).use.fits ? most : above) = middle;
  }
  const std::int64_t least_cuts = (whole + most - 1) / most;
  // More cuts than needed can be faster: accumulators that stay in the window, activations that need not be computed again.
  bool found = false;
  double best_cycles = 0;
  const std::int64_t first = request.micro_batches > 0 ? request.micro_batches : least_cuts;
  const std::int64_t last = request.micro_batches > 0 ? request.micro_batches : std::min(whole, std::max(4 * least_cuts, std::int64_t{8}));
  const std::int64_t stride = std::max<std::int64_t>(1, (last - first) / 24);
  for (std::int64_t cuts = first; cuts <= last; cuts += stride) {
    const std::int64_t sequences = (whole + cuts - 1) / cuts;
    const Fit fit = fits(sequences);
    if (!fit.use.fits) continue;
    StepPlan plan = Builder(request, sequences, fit.recompute).build(cost);
    const double cycles = plan.wafer_cycles * static_cast<double>(plan.micro_batches);
    if (found && cycles >= best_cycles) continue;
    found = true;
    best_cycles = cycles;
    plan.segment = fit.segment;
    plan.memory = fit.use;
    plan.memory.micro_batches = plan.micro_batches;
    outcome.plan = std::move(plan);
  }
  StepPlan& plan = outcome.plan;
  const Fit whole_fit = fits(whole);
  plan.memory.choice = plan.micro_batches > 1 ? "accumulate" : plan.recompute ? "recompute" : "keep";
  std::string reason;
  if (!whole_fit.use.fits) {
    reason = fmt::format("The batch of one system ({} sequences) would need {:.0f} bytes a tile of {:.0f}; it is cut into {} micro-batches of {}.", whole, whole_fit.use.used_bytes,
                         whole_fit.use.capacity_bytes, plan.micro_batches, plan.micro_sequences);
  } else if (plan.micro_batches > 1) {
    reason = fmt::format("The batch fits, but {} micro-batches of {} sequences are faster.", plan.micro_batches, plan.micro_sequences);
  } else {
    reason = "The batch of one system fits.";
  }
  if (plan.recompute) {
    reason += fmt::format(" Blocks are computed again on the way back{}: all activations would need {:.0f} bytes a tile.",
                          plan.segment > 1 ? fmt::format(" in segments of {}", plan.segment) : "", memory_of(request, plan.tokens_per_pe, false, 1).used_bytes);
  } else {
    reason += " Activations are kept.";
  }
  plan.memory.reason = reason;
  return outcome;
}

}  // namespace waferloom::models
