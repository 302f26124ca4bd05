#include "host/plan/records.h"

#include <cassert>

#include "host/plan/protocol.h"
#include "sim/generated/registers.h"

namespace waferloom::plan {
namespace {

using spec::Descriptor;
using spec::ElementType;
using spec::Kind;
using spec::OnControl;

constexpr ElementType kF16 = ElementType::kF16;
constexpr ElementType kF32 = ElementType::kF32;

int bytes_of(ElementType type) { return type == kF16 ? 2 : 4; }

Descriptor memory(std::uint32_t base, int length, ElementType type) {
  Descriptor d;
  d.set_kind(Kind::kMem1d);
  d.set_type(type);
  d.set_base(base);
  d.set_len0(static_cast<std::uint32_t>(length));
  d.set_stride0(bytes_of(type));
  return d;
}

// The next row each time it has been used.
Descriptor rows_in_turn(std::uint32_t base, int length, ElementType type) {
  Descriptor d = memory(base, length, type);
  d.set_save(true);
  return d;
}

// One row of `length`, run over `rows` times.
Descriptor repeated_row(std::uint32_t base, int length, int rows, ElementType type) {
  Descriptor d = memory(base, length, type);
  d.set_kind(Kind::kMem2d);
  d.set_len1(static_cast<std::uint32_t>(rows));
  d.set_stride1(0);
  return d;
}

// One element, over and over.
Descriptor constant(std::uint32_t base, ElementType type) {
  Descriptor d = memory(base, 1, type);
  d.set_stride0(0);
  return d;
}

Descriptor fabric_in(std::uint8_t queue, ElementType type, OnControl on_control = OnControl::kTrap) {
  Descriptor d;
  d.set_kind(Kind::kFabricIn);
  d.set_type(type);
  d.set_queue(queue);
  d.set_on_control(on_control);
  d.set_pack(type == kF16);
  return d;
}

Descriptor stream_in(OnControl on_control) {
  Descriptor d = fabric_in(kInWeights, kF16, on_control);
  d.set_pack(false);
  return d;
}

Descriptor fabric_out(std::uint8_t queue, std::uint8_t colour, int length, ElementType type) {
  Descriptor d;
  d.set_kind(Kind::kFabricOut);
  d.set_type(type);
  d.set_queue(queue);
  d.set_colour(colour);
  d.set_len0(static_cast<std::uint32_t>(length));
  d.set_pack(type == kF16);
  return d;
}

// The byte offsets of `count` rows.
Descriptor row_offsets(int count, int row_bytes) {
  Descriptor d;
  d.set_kind(Kind::kIota);
  d.set_type(ElementType::kI16);
  d.set_len0(static_cast<std::uint32_t>(count));
  d.set_stride0(row_bytes);
  return d;
}

// Where the descriptors of a record start, and how many each kind has.
constexpr std::uint32_t kHeadBytes = 16;
constexpr int kDescriptorBytes = 16;

int descriptor_count(const RecordId& id, const NetworkSpec& network) {
  switch (id.kind) {
    case RecordKind::kLoad: return 7 + static_cast<int>(network.layers.size()) - 1;
    case RecordKind::kPass: return 7;
    case RecordKind::kLoss: return 23;
    case RecordKind::kGradient: return 15;
    case RecordKind::kRelu: return 1;
    case RecordKind::kReluGradient: return 2;
  }
  return 0;
}

// All that the record builders look at.
struct Builder {
  const NetworkSpec& network;
  const Layout& layout;
  const Share& share;
  int n;  // tokens per tile, padded
  config::Accumulate accumulate;

  int layers() const { return static_cast<int>(network.layers.size()); }
  int local(int index) const { return share.features[static_cast<std::size_t>(index)]; }
  bool single() const { return share.position.first_column && share.position.last_column; }
  std::uint32_t slab(int layer) const { return layout.slab[static_cast<std::size_t>(layer)]; }
  std::uint32_t mask_row(int layer) const { return slab(layer) + static_cast<std::uint32_t>(2 * n * local(layer)); }

  std::vector<Descriptor> load() const {
    const int classes = local(layers());
    std::vector<Descriptor> d = {
        memory(slab(0), (local(0) + 1) * n, kF16),
        memory(layout.targets, classes * n, kF16),
        memory(layout.factor, 2, kF32),
        fabric_in(kInLoad, kF16),
        fabric_in(kInLoad, kF32, OnControl::kConsume),
        memory(layout.factor_row, n, kF32),
        memory(mask_row(0), n, kF16),
    };
    for (int l = 1; l < layers(); ++l) d.push_back(memory(mask_row(l), n, kF16));
    return d;
  }

  std::vector<Descriptor> pass(PhaseKind phase, int layer) const {
    const bool forward = phase == PhaseKind::kForward;
    const bool logits = forward && layer == layers() - 1;
    const ElementType sums = accumulate == config::Accumulate::kFp32 ? kF32 : kF16;
    const std::uint32_t from = forward ? slab(layer) : layout.delta[layer % 2];
    const std::uint32_t to = logits ? layout.logits : forward ? slab(layer + 1) : layout.delta[(layer + 1) % 2];
    const int from_rows = forward ? local(layer) + 1 : local(layer + 1);
    return {
        stream_in(OnControl::kLeave),
        memory(from, from_rows * n, kF16),
        memory(layout.accumulator[0], n, sums),
        memory(layout.accumulator[1], n, sums),
        single() ? memory(layout.factor_row, 0, kF32) : fabric_out(kOutRing, ring_out_colour(share.position), n, kF32),
        single() ? constant(layout.zero, kF32) : fabric_in(kInRing, kF32),
        rows_in_turn(to, n, logits ? kF32 : kF16),
    };
  }

  std::vector<Descriptor> gradient(int layer) const {
    const LinearSpec& spec = network.layers[static_cast<std::size_t>(layer)];
    const int rows = local(layer);
    const int owner_rows = rows + (spec.bias ? 1 : 0);
    const std::uint32_t delta = layout.delta[layer % 2];
    const std::uint8_t out = chain_y_out_colour(share.position);
    std::vector<Descriptor> d = {
        single() ? memory(layout.unused, n, kF16) : fabric_out(kOutMulticast, kMulticastWest, n, kF16),
        single() ? memory(layout.unused, n, kF16) : fabric_out(kOutMulticast, kMulticastEast, n, kF16),
        single() ? rows_in_turn(delta, n, kF16) : fabric_in(kInMulticastWest, kF16),
        single() ? rows_in_turn(delta, n, kF16) : fabric_in(kInMulticastEast, kF16),
        single() ? memory(delta, n, kF16) : rows_in_turn(delta, n, kF16),
        single() ? memory(delta, n, kF16) : rows_in_turn(delta, n, kF16),
        memory(layout.received, n, kF16),
        memory(layout.result[0], owner_rows, kF32),
        memory(layout.result[1], owner_rows, kF32),
        row_offsets(rows, 2 * n),
        row_offsets(owner_rows, 2 * n),
        memory(slab(layer), n, kF16),
        share.position.last_row ? constant(layout.zero, kF32) : fabric_in(kInChainY, kF32),
        fabric_out(kOutChainY, out, rows, kF32),
        fabric_out(kOutChainY, out, owner_rows, kF32),
    };
    if (spec.stored_only) {
      // The number of results follows from the stream: result 0 moves on as they are written, result 1 reads them from the start.
      d[7] = memory(layout.result[0], owner_rows, kF32);
      d[7].set_save(true);
      d[8] = memory(layout.result[0], owner_rows, kF32);
      d[9] = stream_in(OnControl::kConsume);
      d[10] = d[9];
    }
    return d;
  }

  std::vector<Descriptor> loss() const {
    const int classes = local(layers());
    const Position& p = share.position;
    const int all = classes * n;
    const std::uint8_t out = chain_x_out_colour(p);
    const auto chain_in = [&](std::uint32_t neutral) { return p.last_column ? constant(neutral, kF32) : fabric_in(kInChainX, kF32); };
    const auto chain_out = [&](std::uint32_t row) { return p.first_column ? memory(row, n, kF32) : fabric_out(kOutChainX, out, n, kF32); };
    return {
        /* 0 */ memory(layout.logits, all, kF32),
        /* 1 */ repeated_row(layout.maximum, n, classes, kF32),
        /* 2 */ memory(layout.maximum, n, kF32),
        /* 3 */ repeated_row(layout.sum, n, classes, kF32),
        /* 4 */ memory(layout.sum, n, kF32),
        /* 5 */ repeated_row(layout.label, n, classes, kF32),
        /* 6 */ memory(layout.label, n, kF32),
        /* 7 */ memory(layout.targets, all, kF16),
        /* 8 */ memory(layout.delta[(layers() - 1) % 2], all, kF16),
        /* 9 */ memory(layout.factor_row, n, kF32),
        /* 10 */ memory(mask_row(0), n, kF16),
        /* 11 */ chain_in(layout.infinity),
        /* 12 */ chain_in(layout.zero),
        /* 13 */ chain_out(layout.maximum),
        /* 14 */ chain_out(layout.sum),
        /* 15: a column that receives the broadcast passes none on itself */
        p.first_column && !single() ? fabric_out(kOutChainX, kBroadcastX, n, kF32) : memory(layout.factor_row, 0, kF32),
        /* 16 */ single() ? memory(layout.maximum, n, kF32) : fabric_in(kInBroadcast, kF32),
        /* 17 */ chain_out(layout.label),
        /* 18 */ memory(layout.losses, 1, kF32),
        /* 19 */ memory(layout.losses + 4, 1, kF32),
        /* 20 */ memory(layout.losses, 2, kF32),
        /* 21 */ p.last_row ? constant(layout.zero, kF32) : fabric_in(kInChainY, kF32),
        /* 22 */ fabric_out(kOutChainY, chain_y_out_colour(p), 2, kF32),
    };
  }

  std::vector<Descriptor> relu(int layer) const { return {memory(slab(layer + 1), local(layer + 1) * n, kF16)}; }

  // After the delta pass of `layer`: the gradient of the layer before, where that layer's output is positive.
  std::vector<Descriptor> relu_gradient(int layer) const {
    return {memory(layout.delta[(layer + 1) % 2], local(layer) * n, kF16), memory(slab(layer), local(layer) * n, kF16)};
  }
};

}  // namespace

std::uint32_t record_bytes(const RecordId& id, const NetworkSpec& network) {
  return kHeadBytes + static_cast<std::uint32_t>(kDescriptorBytes * descriptor_count(id, network));
}

std::vector<std::uint32_t> record_words(const RecordId& id, const NetworkSpec& network, const Layout& layout, const Share& share,
                                        int tokens_padded, config::Accumulate accumulate, const Entries& entries) {
  const Builder build{network, layout, share, tokens_padded, accumulate};
  std::vector<Descriptor> descriptors;
  std::uint32_t head[4] = {0, 0, 0, 0};
  switch (id.kind) {
    case RecordKind::kLoad:
      descriptors = build.load();
      head[0] = entries.load;
      head[1] = layout.factor;
      head[2] = static_cast<std::uint32_t>(build.layers() - 1);
      break;
    case RecordKind::kPass:
      descriptors = build.pass(id.phase, id.layer);
      head[0] = entries.pass;
      break;
    case RecordKind::kLoss:
      descriptors = build.loss();
      head[0] = entries.loss;
      break;
    case RecordKind::kGradient:
      descriptors = build.gradient(id.layer);
      head[0] = network.layers[static_cast<std::size_t>(id.layer)].stored_only ? entries.gradient_stored : entries.gradient;
      break;
    case RecordKind::kRelu:
      descriptors = build.relu(id.layer);
      head[0] = entries.relu;
      break;
    case RecordKind::kReluGradient:
      descriptors = build.relu_gradient(id.layer);
      head[0] = entries.relu_gradient;
      break;
  }
  assert(static_cast<int>(descriptors.size()) == descriptor_count(id, network));
  std::vector<std::uint32_t> words(head, head + 4);
  for (const Descriptor& d : descriptors) words.insert(words.end(), d.words.begin(), d.words.end());
  return words;
}

}  // namespace waferloom::plan
