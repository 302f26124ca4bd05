#include "sim/fabric/waits_for.h"

#include <algorithm>
#include <unordered_map>

#include "sim/fabric/wait_graph.h"

namespace waferloom::fabric {
namespace {

using waiting::Edge;
using waiting::Graph;

// Depth first over what waits: finds a cycle, and for each cause the places that lead to it.
class Search {
 public:
  explicit Search(const Graph& graph) : graph_(graph) {}

  void from(uint64_t start) {
    if (places_.count(start) != 0) return;
    push(start, false, start);
    while (!path_.empty()) {
      Frame& top = path_.back();
      if (top.next == top.edges.size()) {
        pop();
        continue;
      }
      const Edge& edge = top.edges[top.next++];
      if (edge.cause) {
        add_cause(&top, {cause_number(edge.sentence, top.key), !edge.maybe});
        continue;
      }
      const auto found = places_.find(edge.to);
      if (found == places_.end()) {
        push(edge.to, edge.maybe, top.key);
      } else if (found->second.on_path) {
        note_cycle(edge.to, edge.maybe);
      } else {
        for (const Reason& reason : found->second.causes) add_cause(&top, {reason.cause, reason.certain && !edge.maybe});
        if (found->second.found_from == edge.to) found->second.found_from = top.key;  // nobody was known to wait for it
      }
    }
  }

  void report(size_t causes_at_most, WaitReport* report) const {
    report->places = places_.size();
    if (!certain_cycle_.empty()) {
      report->cycle = sentences(certain_cycle_, true);
    } else if (causes_.empty() && !possible_cycle_.empty()) {
      report->cycle = sentences(possible_cycle_, true);
    }
    std::vector<const Cause*> order;
    for (const Cause& cause : causes_) order.push_back(&cause);
    std::stable_sort(order.begin(), order.end(), [](const Cause* a, const Cause* b) { return a->certain != b->certain ? a->certain > b->certain : a->places > b->places; });
    for (size_t i = 0; i < order.size() && i < causes_at_most; ++i) {
      WaitChain chain;
      chain.places = order[i]->places;
      // Back from the cause, to who was found to wait for it.
      std::vector<uint64_t> keys{order[i]->at};
      while (keys.size() < kChain) {
        const uint64_t before = places_.at(keys.back()).found_from;
        if (std::find(keys.begin(), keys.end(), before) != keys.end()) break;
        keys.push_back(before);
      }
      std::reverse(keys.begin(), keys.end());
      chain.waits = sentences(keys, false);
      chain.waits.push_back(wait(order[i]->at, order[i]->sentence));
      report->causes.push_back(std::move(chain));
    }
  }

 private:
  static constexpr size_t kChain = 8;             // places shown on the way to a cause
  static constexpr size_t kCausesPerPlace = 4;    // followed; a place with more waits for these at least
  static constexpr size_t kCauses = 4096;         // told apart
  struct Reason {
    uint32_t cause = 0;
    bool certain = false;  // no way round it was seen
  };
  struct State {
    bool on_path = true;
    uint64_t found_from = 0;
    std::vector<Reason> causes;
  };
  struct Frame {
    uint64_t key = 0;
    bool maybe = false;  // entered by an edge that need not hold it up alone
    std::vector<Edge> edges;
    size_t next = 0;
    std::vector<Reason> causes;
  };
  struct Cause {
    std::string sentence;
    uint64_t at = 0;
    uint64_t places = 0;
    uint64_t certain = 0;  // of them
  };

  void push(uint64_t key, bool maybe, uint64_t from) {
    State state;
    state.found_from = from;
    places_.emplace(key, state);
    path_.push_back({key, maybe, graph_.edges(key), 0, {}});
  }
  void pop() {
    Frame top = std::move(path_.back());
    path_.pop_back();
    for (const Reason& reason : top.causes) {
      ++causes_[reason.cause].places;
      causes_[reason.cause].certain += reason.certain ? 1 : 0;
      if (!path_.empty()) add_cause(&path_.back(), {reason.cause, reason.certain && !top.maybe});
    }
    State& state = places_[top.key];
    state.on_path = false;
    state.causes = std::move(top.causes);
  }
  static void add_cause(Frame* frame, const Reason& reason) {
    for (Reason& known : frame->causes) {
      if (known.cause != reason.cause) continue;
      known.certain = known.certain || reason.certain;
      return;
    }
    if (frame->causes.size() < kCausesPerPlace) frame->causes.push_back(reason);
  }
  uint32_t cause_number(const std::string& sentence, uint64_t at) {
    const auto found = numbers_.find(sentence);
    if (found != numbers_.end()) return found->second;
    if (causes_.size() == kCauses) return static_cast<uint32_t>(kCauses - 1);
    const uint32_t number = static_cast<uint32_t>(causes_.size());
    numbers_.emplace(sentence, number);
    causes_.push_back({sentence, at, 0, 0});
    return number;
  }
  void note_cycle(uint64_t first, bool maybe) {
    size_t begin = path_.size();
    while (path_[begin - 1].key != first) --begin;
    for (size_t i = begin; i < path_.size(); ++i) maybe = maybe || path_[i].maybe;
    std::vector<uint64_t>* cycle = maybe ? &possible_cycle_ : &certain_cycle_;
    if (!cycle->empty()) return;
    for (size_t i = begin - 1; i < path_.size(); ++i) cycle->push_back(path_[i].key);
  }
  Wait wait(uint64_t key, const std::string& sentence) const {
    const auto [x, y] = graph_.position(key);
    return {x, y, sentence};
  }
  // What each place says about the next one; of a cycle the last about the first.
  std::vector<Wait> sentences(const std::vector<uint64_t>& keys, bool closed) const {
    std::vector<Wait> waits;
    for (size_t i = 0; i < keys.size() - (closed ? 0 : 1); ++i) {
      const uint64_t next = keys[(i + 1) % keys.size()];
      for (const Edge& edge : graph_.edges(keys[i])) {
        if (edge.cause || edge.to != next) continue;
        waits.push_back(wait(keys[i], edge.sentence));
        break;
      }
    }
    return waits;
  }

  const Graph& graph_;
  std::unordered_map<uint64_t, State> places_;
  std::vector<Frame> path_;
  std::vector<Cause> causes_;
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<uint64_t> certain_cycle_, possible_cycle_;
};

void print(const std::vector<Wait>& waits, size_t lines, std::string* text) {
  const size_t head = waits.size() <= lines ? waits.size() : lines / 2;
  for (size_t i = 0; i < waits.size(); ++i) {
    if (i == head && head != waits.size()) {
      *text += "    ... " + std::to_string(waits.size() - lines) + " more\n";
      i = waits.size() - (lines - head);
    }
    *text += "  " + waits[i].sentence + "\n";
  }
}

}  // namespace

WaitReport waits_for(const Fabric& fabric, const TaskNames& names, size_t causes_at_most) {
  fabric.collect();
  WaitReport report;
  const Graph graph(fabric, names);
  if (!graph.error().empty()) {
    report.trouble = "who waits for whom cannot be told: " + graph.error();
    return report;
  }
  Search search(graph);
  for (const uint64_t place : graph.waiting()) search.from(place);
  search.report(causes_at_most, &report);
  return report;
}

std::string WaitReport::text(size_t lines) const {
  if (!trouble.empty()) return trouble + "\n";
  std::string out;
  if (!cycle.empty()) {
    out += "a cycle of waiting, each for the next and the last for the first:\n";
    print(cycle, lines, &out);
  }
  for (const WaitChain& chain : causes) {
    out += std::to_string(chain.places) + (chain.places == 1 ? " place waits for this:\n" : " places wait for this:\n");
    print(chain.waits, lines, &out);
  }
  return out;
}

}  // namespace waferloom::fabric
