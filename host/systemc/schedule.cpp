#include "host/systemc/schedule.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <numeric>
#include <utility>

#include "host/optimiser/parameters.h"
#include "host/plan/geometry.h"

namespace waferloom::systemc {
namespace {

constexpr std::uint64_t kShuffleDomain = 0x73687566;  // any constant, different from the other domains

void add_batches(Schedule& schedule, const std::vector<int>& order, int batch, config::PartialBatch partial, const StepSpec& like) {
  const std::size_t size = static_cast<std::size_t>(batch);
  for (std::size_t begin = 0; begin < order.size(); begin += size) {
    const std::size_t count = std::min(size, order.size() - begin);
    if (count < size && begin > 0 && partial == config::PartialBatch::kDrop) return;
    StepSpec step = like;
    step.rows.assign(order.begin() + static_cast<std::ptrdiff_t>(begin), order.begin() + static_cast<std::ptrdiff_t>(begin + count));
    schedule.steps.push_back(std::move(step));
  }
}

}  // namespace

Schedule make_schedule(const config::Run& run, const config::Dataset& data) {
  assert(data.train.rows() >= 1 && run.batch >= 1);
  Schedule schedule;
  for (int epoch = 1; epoch <= run.epochs; ++epoch) {
    std::vector<int> order(static_cast<std::size_t>(data.train.rows()));
    std::iota(order.begin(), order.end(), 0);
    if (run.shuffle) {
      const std::uint64_t domain = kShuffleDomain + (static_cast<std::uint64_t>(epoch) << 32U);
      std::vector<std::pair<std::uint64_t, int>> keys;
      for (int row : order) keys.emplace_back(optimiser::hash_random(run.seed, domain, static_cast<std::uint64_t>(row)), row);
      std::sort(keys.begin(), keys.end());
      for (std::size_t i = 0; i < keys.size(); ++i) order[i] = keys[i].second;
    }
    add_batches(schedule, order, run.batch, run.partial_batch, {plan::StepKind::kTrain, epoch, false, {}});
    std::vector<int> test(static_cast<std::size_t>(data.test.rows()));
    std::iota(test.begin(), test.end(), 0);
    add_batches(schedule, test, run.batch, config::PartialBatch::kKeep, {plan::StepKind::kEvaluate, epoch, true, {}});
  }
  return schedule;
}

Rows rows_of(const StepSpec& step, int system, int systems) {
  const plan::Split split{static_cast<int>(step.rows.size()), systems};
  return {split.first(system), split.size(system)};
}

int rows_per_system(const config::Run& run) { return plan::Split{run.batch, run.cluster.systems.value}.largest(); }

StepBatch gather(const StepSpec& step, const config::Dataset& data, const Rows& rows) {
  const config::Samples& from = step.held_out ? data.test : data.train;
  StepBatch batch;
  batch.samples.reserve(static_cast<std::size_t>(rows.count) * static_cast<std::size_t>(from.features));
  for (int i = rows.first; i < rows.first + rows.count; ++i) {
    const int row = step.rows[static_cast<std::size_t>(i)];
    batch.samples.insert(batch.samples.end(), from.row(row), from.row(row) + from.features);
    batch.labels.push_back(from.labels[static_cast<std::size_t>(row)]);
  }
  return batch;
}

}  // namespace waferloom::systemc
