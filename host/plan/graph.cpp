#include "host/plan/graph.h"

#include <utility>

namespace waferloom::plan {
namespace {

class GraphBuilder {
 public:
  explicit GraphBuilder(Plan& plan) : plan_(plan), all_{0, 0, plan.target.width, plan.target.height} {}

  void phase(Phase& p) {
    switch (p.kind) {
      case PhaseKind::kLoad: load(p); break;
      case PhaseKind::kForward: forward(p); break;
      case PhaseKind::kLoss: loss(p); break;
      case PhaseKind::kGradient: gradient(p); break;
      case PhaseKind::kDelta: delta(p); break;
    }
  }

 private:
  int n() const { return plan_.tokens_padded; }
  const LinearSpec& layer(const Phase& p) const { return plan_.network.layers[static_cast<std::size_t>(p.layer)]; }
  const Split& inputs(const Phase& p) const { return plan_.features[static_cast<std::size_t>(p.layer)]; }
  const Split& outputs(const Phase& p) const { return plan_.features[static_cast<std::size_t>(p.layer) + 1]; }

  // A new operator of the phase; it needs the results of the operators given, or of the last one made.
  Operator& add(Phase& p, const std::string& name, OperatorKind kind, Flavour flavour, Axis axis = Axis::kNone) {
    Operator op;
    op.id = static_cast<int>(plan_.operators.size());
    op.name = p.name + "." + name;
    op.kind = kind;
    op.flavour = flavour;
    op.axis = axis;
    op.where = all_;
    op.tokens = n();
    if (op.id > 0) op.after = {op.id - 1};
    p.operators.push_back(op.id);
    plan_.operators.push_back(std::move(op));
    return plan_.operators.back();
  }

  void load(Phase& p) {
    Operator& op = add(p, "io", OperatorKind::kIo, Flavour::kLoad);
    std::int64_t words = 1;
    const std::int64_t classes_at = static_cast<std::int64_t>(plan_.features.size()) - 1;
    for (int x = 0; x < all_.width; ++x) {
      const std::int64_t rows = plan_.features.front().size(x) + 1 + plan_.features[static_cast<std::size_t>(classes_at)].size(x);
      words += all_.height * (rows * n() / 2 + 2);
    }
    op.repeats = 1;
    op.elements = (plan_.features.front().largest() + 1 + plan_.features.back().largest()) * std::int64_t{n()} + 2;
    op.edge_words_in = words;
    for (const Split& split : plan_.features) {
      if (&split == &plan_.features.front() || &split == &plan_.features.back()) continue;
      op.elements += n();
    }
  }

  // The streamed product and its ring reduction: `from` features on each column, `to` outputs.
  void product(Phase& p, const Split& from, const Split& to, bool bias) {
    Operator& matmul = add(p, "matmul", OperatorKind::kStreamMatmul, Flavour::kAxpy);
    matmul.weights = WeightSource::kMemoryX;
    matmul.repeats = to.items;
    matmul.elements = n();
    matmul.weights_per_repeat = from.largest() + (bias ? 1 : 0);
    matmul.edge_words_in = std::int64_t{from.items} * to.items + (bias ? to.items : 0) + to.items + 1 + (p.finish != 0 ? 1 : 0);
    Operator& ring = add(p, "reduce", OperatorKind::kAxisReduce, Flavour::kRing, Axis::kX);
    ring.repeats = to.items;
    ring.elements = n();
  }

  void forward(Phase& p) {
    product(p, inputs(p), outputs(p), layer(p).bias);
    if (p.finish == 0) return;
    add(p, "relu", OperatorKind::kElementwise, Flavour::kRelu).elements = std::int64_t{outputs(p).largest()} * n();
  }

  void delta(Phase& p) {
    product(p, outputs(p), inputs(p), false);
    if (p.finish == 0) return;
    add(p, "relu", OperatorKind::kElementwise, Flavour::kReluGradient).elements = std::int64_t{inputs(p).largest()} * n();
  }

  void gradient(Phase& p) {
    const LinearSpec& spec = layer(p);
    Operator& multicast = add(p, "multicast", OperatorKind::kMulticast, Flavour::kBroadcast, Axis::kX);
    multicast.repeats = outputs(p).items;
    multicast.elements = n();
    Operator& dot = add(p, "matmul", OperatorKind::kStreamMatmul, Flavour::kDot);
    dot.weights = spec.stored_only ? WeightSource::kMemoryX : WeightSource::kSram;
    dot.repeats = outputs(p).items;
    dot.elements = n();
    dot.weights_per_repeat = inputs(p).largest() + (spec.bias ? 1 : 0);
    const std::int64_t results = std::int64_t{inputs(p).items} * outputs(p).items + (spec.bias ? outputs(p).items : 0);
    dot.edge_words_in = 1 + (spec.stored_only ? results + 2 * std::int64_t{outputs(p).items} : outputs(p).items);
    Operator& chain = add(p, "reduce", OperatorKind::kAxisReduce, Flavour::kChain, Axis::kY);
    chain.repeats = outputs(p).items;
    chain.elements = dot.weights_per_repeat;
    Operator& store = add(p, "io", OperatorKind::kIo, Flavour::kStore);
    store.where = {0, 0, all_.width, 1};
    store.repeats = outputs(p).items;
    store.elements = chain.elements;
    store.edge_words_out = results;
  }

  void loss(Phase& p) {
    Operator& softmax = add(p, "softmax", OperatorKind::kElementwise, Flavour::kSoftmaxCrossEntropy);
    softmax.elements = std::int64_t{plan_.features.back().largest()} * n();
    softmax.edge_words_in = 1;
    Operator& chain = add(p, "reduce", OperatorKind::kAxisReduce, Flavour::kChain, Axis::kX);  // maximum, sum, label
    chain.repeats = 3;
    chain.elements = n();
    Operator& broadcast = add(p, "broadcast", OperatorKind::kMulticast, Flavour::kBroadcast, Axis::kX);  // maximum, sum
    broadcast.repeats = 2;
    broadcast.elements = n();
    Operator& losses = add(p, "losses", OperatorKind::kAxisReduce, Flavour::kChain, Axis::kY);
    losses.where = {0, 0, 1, all_.height};
    losses.elements = 2;
    Operator& store = add(p, "io", OperatorKind::kIo, Flavour::kStore);
    store.where = {0, 0, 1, 1};
    store.elements = 2;
    store.edge_words_out = 2;
  }

  Plan& plan_;
  Rect all_;
};

}  // namespace

void make_graph(Plan& plan) {
  GraphBuilder builder(plan);
  for (Phase& phase : plan.train_step) builder.phase(phase);
  for (std::size_t i = 0; i < plan.evaluate_step.size(); ++i) plan.evaluate_step[i].operators = plan.train_step[i].operators;
}

const char* to_string(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::kStreamMatmul: return "stream_matmul";
    case OperatorKind::kAxisReduce: return "axis_reduce";
    case OperatorKind::kMulticast: return "multicast";
    case OperatorKind::kRotate: return "rotate";
    case OperatorKind::kExchange: return "exchange";
    case OperatorKind::kElementwise: return "elementwise";
    case OperatorKind::kIo: return "io";
  }
  return "";
}

const char* to_string(WeightSource source) {
  switch (source) {
    case WeightSource::kNone: return "none";
    case WeightSource::kMemoryX: return "memoryx";
    case WeightSource::kSram: return "sram";
    case WeightSource::kNeighbour: return "neighbour";
  }
  return "";
}

const char* to_string(Flavour flavour) {
  switch (flavour) {
    case Flavour::kNone: return "none";
    case Flavour::kAxpy: return "axpy";
    case Flavour::kDot: return "dot";
    case Flavour::kRing: return "ring";
    case Flavour::kChain: return "chain";
    case Flavour::kBroadcast: return "broadcast";
    case Flavour::kLoad: return "load";
    case Flavour::kStore: return "store";
    case Flavour::kRelu: return "relu";
    case Flavour::kReluGradient: return "relu_gradient";
    case Flavour::kSoftmaxCrossEntropy: return "softmax_cross_entropy";
  }
  return "";
}

const char* to_string(PhaseKind kind) {
  switch (kind) {
    case PhaseKind::kLoad: return "load";
    case PhaseKind::kForward: return "forward";
    case PhaseKind::kLoss: return "loss";
    case PhaseKind::kGradient: return "gradient";
    case PhaseKind::kDelta: return "delta";
  }
  return "";
}

}  // namespace waferloom::plan
