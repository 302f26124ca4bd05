#include "host/block/reference.h"

#include "host/block/bounded.h"
#include "sim/macros/arith.h"

namespace waferloom::block {
namespace {

constexpr double kSlope = 1.5957691216057308;  // 2 sqrt(2 / pi)
constexpr double kCube = 0.044715;

double half_value(std::uint16_t bits) { return static_cast<double>(macros::to_float(macros::half_to_single(bits))); }

Num exact(float value) { return {static_cast<double>(value), 0}; }

class Reference {
 public:
  Reference(const Shape& shape, const Parameters& parameters, const Inputs& inputs, const TensorBits* machine)
      : s_(shape), p_(parameters), machine_(machine), tokens_(shape.tokens) {
    input_ = given(inputs.input);
    output_delta_ = given(inputs.output_delta);
  }

  std::map<std::string, Tensor> run() {
    const Matrix normal_1 = norm(input_, 0, "normal_1");
    const Matrix qkv = split(linear(normal_1, kQueriesKeysValues), "queries", "keys", "values");
    const Matrix attended = attention(qkv);
    const Matrix middle = sum_of(input_, linear(attended, kProjection), "middle");
    const Matrix normal_2 = norm(middle, 1, "normal_2");
    const Matrix hidden = keep("hidden", linear(normal_2, kFirst));
    const Matrix active = gelu(hidden);
    sum_of(middle, linear(active, kSecond), "output");

    gradient(active, output_delta_, kSecond);
    const Matrix active_delta = keep("active_delta", delta(output_delta_, kSecond));
    const Matrix hidden_delta = gelu_gradient(hidden, active_delta);
    gradient(normal_2, hidden_delta, kFirst);
    const Matrix normal_2_delta = keep("normal_2_delta", delta(hidden_delta, kFirst));
    const Matrix middle_delta = norm_gradient(middle, normal_2_delta, output_delta_, 1, "middle_delta");
    gradient(attended, middle_delta, kProjection);
    const Matrix attended_delta = keep("attended_delta", delta(middle_delta, kProjection));
    const Matrix qkv_delta = split(attention_gradient(qkv, attended, attended_delta), "query_delta", "key_delta", "value_delta");
    gradient(normal_1, qkv_delta, kQueriesKeysValues);
    const Matrix normal_1_delta = keep("normal_1_delta", delta(qkv_delta, kQueriesKeysValues));
    norm_gradient(input_, normal_1_delta, middle_delta, 0, "input_delta");
    return std::move(tensors_);
  }

 private:
  Matrix given(const std::vector<std::uint16_t>& bits) const {
    Matrix m(tokens_, s_.features);
    for (std::size_t i = 0; i < bits.size(); ++i) m.values[i].v = half_value(bits[i]);
    return m;
  }

  void put(const std::string& name, const Num& n) {
    tensors_[name].value.push_back(n.v);
    tensors_[name].bound.push_back(n.e);
  }

  // Notes a tensor; what follows goes on from it, or from what the machine has in its place.
  Matrix keep(const std::string& name, Matrix m) {
    for (const Num& n : m.values) put(name, n);
    if (machine_ == nullptr) return m;
    const Bits& bits = machine_->at(name);
    for (std::size_t i = 0; i < m.values.size(); ++i) m.values[i] = {bits.value(i), 0};
    return m;
  }

  // Columns are outputs in the machine's order: kept by feature.
  Matrix split(const Matrix& m, const char* queries, const char* keys, const char* values) {
    const char* names[3] = {queries, keys, values};
    Matrix parts[3] = {Matrix(tokens_, s_.features), Matrix(tokens_, s_.features), Matrix(tokens_, s_.features)};
    Matrix joined = m;
    for (int t = 0; t < tokens_; ++t) {
      for (int o = 0; o < m.columns; ++o) parts[part_of(s_, o).part].at(t, part_of(s_, o).feature) = m.at(t, o);
    }
    for (int i = 0; i < 3; ++i) parts[i] = keep(names[i], parts[i]);
    for (int t = 0; t < tokens_; ++t) {
      for (int o = 0; o < m.columns; ++o) joined.at(t, o) = parts[part_of(s_, o).part].at(t, part_of(s_, o).feature);
    }
    return joined;
  }

  Num weight(int layer, int o, int i) const { return {half_value(p_.layers[layer].weights[static_cast<std::size_t>(o * layer_inputs(s_, layer) + i)]), 0}; }

  Matrix linear(const Matrix& in, int layer) const {
    Matrix out(tokens_, layer_outputs(s_, layer));
    for (int t = 0; t < tokens_; ++t) {
      for (int o = 0; o < out.columns; ++o) {
        Sum sum;
        for (int i = 0; i < in.columns; ++i) sum.add(weight(layer, o, i), in.at(t, i));
        sum.add({half_value(p_.layers[layer].bias[static_cast<std::size_t>(o)]), 0});
        out.at(t, o) = to_half(sum.result(s_.width + 1));
      }
    }
    return out;
  }

  Matrix delta(const Matrix& out_delta, int layer) const {
    Matrix in(tokens_, layer_inputs(s_, layer));
    for (int t = 0; t < tokens_; ++t) {
      for (int i = 0; i < in.columns; ++i) {
        Sum sum;
        for (int o = 0; o < out_delta.columns; ++o) sum.add(weight(layer, o, i), out_delta.at(t, o));
        in.at(t, i) = to_half(sum.result(s_.width + 1));
      }
    }
    return in;
  }

  void gradient(const Matrix& in, const Matrix& out_delta, int layer) {
    for (int o = 0; o < out_delta.columns; ++o) {
      Sum bias;
      for (int t = 0; t < tokens_; ++t) bias.add(out_delta.at(t, o));
      put(layer_name(layer) + std::string(".bias"), bias.result(s_.height + 8));
      for (int i = 0; i < in.columns; ++i) {
        Sum sum;
        for (int t = 0; t < tokens_; ++t) sum.add(out_delta.at(t, o), in.at(t, i));
        put(layer_name(layer) + std::string(".weight"), sum.result(s_.height + 8));
      }
    }
  }

  Matrix sum_of(const Matrix& a, const Matrix& b, const char* name) {
    Matrix sum(tokens_, a.columns);
    for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] = to_half({a.values[i].v + b.values[i].v, a.values[i].e + b.values[i].e});
    return keep(name, sum);
  }

  struct Normal {
    std::vector<Num> values;
    Num inverse;
  };

  Normal normal_of(const Matrix& in, int t) const {
    const Num share = constant(1.0 / s_.features);
    Sum total;
    for (int i = 0; i < s_.features; ++i) total.add(in.at(t, i));
    const Num mean = mul(total.result(s_.width + 1), share);
    Sum squares;
    Normal normal;
    for (int i = 0; i < s_.features; ++i) {
      normal.values.push_back(sub(in.at(t, i), mean));
      squares.add(normal.values.back(), normal.values.back());
    }
    normal.inverse = inverse_root(add(mul(squares.result(s_.width + 1), share), exact(s_.epsilon)));
    for (Num& n : normal.values) n = mul(n, normal.inverse);
    return normal;
  }

  Matrix norm(const Matrix& in, int which, const char* name) {
    Matrix out(tokens_, s_.features);
    for (int t = 0; t < tokens_; ++t) {
      const Normal normal = normal_of(in, t);
      for (int i = 0; i < s_.features; ++i) {
        const auto at = static_cast<std::size_t>(i);
        out.at(t, i) = to_half(add(mul(normal.values[at], exact(p_.gain[which][at])), exact(p_.bias[which][at])));
      }
    }
    return keep(name, out);
  }

  Matrix norm_gradient(const Matrix& in, const Matrix& out_delta, const Matrix& passed_by, int which, const char* name) {
    const std::string norm_name = which == 0 ? "attention_norm" : "hidden_norm";
    std::vector<Sum> gain(static_cast<std::size_t>(s_.features)), bias(gain.size());
    Matrix in_delta(tokens_, s_.features);
    const Num share = constant(-1.0 / s_.features);
    for (int t = 0; t < tokens_; ++t) {
      const Normal normal = normal_of(in, t);
      std::vector<Num> weighted;
      Sum first, second;
      for (std::size_t i = 0; i < gain.size(); ++i) {
        const Num d = out_delta.at(t, static_cast<int>(i));
        gain[i].add(d, normal.values[i]);
        bias[i].add(d);
        weighted.push_back(mul(d, exact(p_.gain[which][i])));
        first.add(weighted[i]);
        second.add(weighted[i], normal.values[i]);
      }
      const Num a = mul(first.result(s_.width + 1), share), b = mul(second.result(s_.width + 1), share);
      for (std::size_t i = 0; i < gain.size(); ++i) {
        const Num shifted = add(add(weighted[i], a), mul(normal.values[i], b));
        in_delta.at(t, static_cast<int>(i)) = to_half(add(mul(shifted, normal.inverse), passed_by.at(t, static_cast<int>(i))));
      }
    }
    for (const Sum& sum : gain) put(norm_name + ".gain", sum.result(s_.height + 8));
    for (const Sum& sum : bias) put(norm_name + ".bias", sum.result(s_.height + 8));
    return keep(name, in_delta);
  }

  static Num sigmoid(Num x) {
    const Num exponent = mul(to_single(add(constant(-kSlope * kLog2E), mul(constant(-kSlope * kLog2E * kCube), mul(x, x)))), x);
    return reciprocal(add(exp2(exponent), {1, 0}));
  }

  Matrix gelu(const Matrix& in) {
    Matrix out(tokens_, in.columns);
    for (std::size_t i = 0; i < out.values.size(); ++i) out.values[i] = to_half(mul(sigmoid(in.values[i]), in.values[i]));
    return keep("active", out);
  }

  Matrix gelu_gradient(const Matrix& in, const Matrix& out_delta) {
    Matrix in_delta(tokens_, in.columns);
    for (std::size_t i = 0; i < in_delta.values.size(); ++i) {
      const Num x = in.values[i], s = sigmoid(x);
      const Num slope = mul(to_single(add(constant(kSlope), mul(constant(3 * kSlope * kCube), mul(x, x)))), x);
      const Num whole = mul(add(mul(slope, sub({1, 0}, s)), {1, 0}), s);
      in_delta.values[i] = to_half(mul(whole, out_delta.values[i]));
    }
    return keep("hidden_delta", in_delta);
  }

  // Column of feature `i` of `part` in the order of outputs.
  int column_of(int part, int i) const {
    const int f = s_.tile_features();
    return i / f * 3 * f + part * f + i % f;
  }

  // Softmax of a query over its keys. Sums of binary32; `weight` is relative to the maximum that the machine takes out, `share` to the sum.
  struct Weights {
    int first = 0;  // token of the first key
    std::vector<Num> weight, share;
    Num inverse;
  };

  Weights weights_of(const Matrix& qkv, int head, int q) const {
    Weights w;
    w.first = q / s_.sequence_tokens() * s_.sequence_tokens();
    const int keys = s_.causal ? q - w.first + 1 : s_.sequence_tokens();
    std::vector<Num> score;
    double high = -std::numeric_limits<double>::infinity(), low = -high, error = 0;
    for (int k = 0; k < keys; ++k) {
      Sum sum;
      for (int i = head * s_.head_features(); i < (head + 1) * s_.head_features(); ++i) sum.add(qkv.at(w.first + k, column_of(1, i)), qkv.at(q, column_of(0, i)));
      score.push_back(sum.result(s_.head_columns() + 1));
      high = std::max(high, score.back().v);
      low = std::min(low, score.back().v);
      error = std::max(error, score.back().e);
    }
    // The maximum cancels; what is left of it is rounding of differences: once for the score, once for each time that the maximum rose.
    const double c = s_.score_scale() * kLog2E, rises = s_.sequence_rows();
    const double argument = c * (high - low + 2 * error) * 3 * kUnit32 * (1 + rises);
    const double scaling = rises * 2 * (kSpecial + kUnit32);
    Sum sum;
    for (const Num& s : score) {
      Num e = exp2({c * (s.v - high), c * s.e + argument});
      e.e += scaling * e.v;
      w.weight.push_back(e);
      sum.add(e);
    }
    w.inverse = reciprocal(sum.result(rises + 1));
    for (const Num& e : w.weight) w.share.push_back(mul(e, w.inverse));
    return w;
  }

  Matrix attention(const Matrix& qkv) {
    Matrix out(tokens_, s_.features);
    for (int h = 0; h < s_.heads; ++h) {
      for (int q = 0; q < tokens_; ++q) {
        const Weights w = weights_of(qkv, h, q);
        for (int i = h * s_.head_features(); i < (h + 1) * s_.head_features(); ++i) {
          Sum sum;
          for (std::size_t k = 0; k < w.weight.size(); ++k) sum.add(to_half(w.weight[k]), qkv.at(w.first + static_cast<int>(k), column_of(2, i)));
          out.at(q, i) = to_half(mul(sum.result(2 * s_.sequence_rows() + 1), w.inverse));
        }
      }
    }
    return keep("attended", out);
  }

  Matrix attention_gradient(const Matrix& qkv, const Matrix& attended, const Matrix& attended_delta) {
    std::vector<Sum> sums(qkv.values.size());
    const auto sum_at = [&](int t, int part, int i) -> Sum& { return sums[static_cast<std::size_t>(t * qkv.columns + column_of(part, i))]; };
    for (int h = 0; h < s_.heads; ++h) {
      const int begin = h * s_.head_features(), end = begin + s_.head_features();
      for (int q = 0; q < tokens_; ++q) {
        const Weights w = weights_of(qkv, h, q);
        Sum dot;
        for (int i = begin; i < end; ++i) dot.add(attended_delta.at(q, i), attended.at(q, i));
        const Num whole = dot.result(s_.head_columns() + 1);
        for (std::size_t k = 0; k < w.share.size(); ++k) {
          const int key = w.first + static_cast<int>(k);
          Sum product;
          for (int i = begin; i < end; ++i) product.add(qkv.at(key, column_of(2, i)), attended_delta.at(q, i));
          const Num score_delta = to_half(mul(mul(sub(product.result(s_.head_columns() + 1), whole), w.share[k]), constant(s_.score_scale())));
          const Num weight = to_half(w.share[k]);
          for (int i = begin; i < end; ++i) {
            sum_at(q, 0, i).add(qkv.at(key, column_of(1, i)), score_delta);
            sum_at(key, 1, i).add(qkv.at(q, column_of(0, i)), score_delta);
            sum_at(key, 2, i).add(attended_delta.at(q, i), weight);
          }
        }
      }
    }
    Matrix in_delta(tokens_, qkv.columns);
    for (std::size_t i = 0; i < sums.size(); ++i) in_delta.values[i] = to_half(sums[i].result(s_.sequence_rows() + 1));
    return in_delta;
  }

  const Shape& s_;
  const Parameters& p_;
  const TensorBits* machine_;
  int tokens_;
  Matrix input_, output_delta_;
  std::map<std::string, Tensor> tensors_;
};

}  // namespace

double Bits::value(std::size_t i) const {
  return static_cast<double>(macros::to_float(single ? values[i] : macros::half_to_single(static_cast<std::uint16_t>(values[i]))));
}

std::map<std::string, Tensor> reference_pass(const Shape& shape, const Parameters& parameters, const Inputs& inputs, const TensorBits* machine) {
  return Reference(shape, parameters, inputs, machine).run();
}

}  // namespace waferloom::block
