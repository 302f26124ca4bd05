#include "host/cluster/simulate.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <systemc>

namespace waferloom::cluster {
namespace {

using sc_core::sc_time;

constexpr int kSteps = 4;

sc_time seconds(double s) { return sc_time(s, sc_core::SC_SEC); }

// A stream of one tensor on its way: the first byte arrives with the message, the last one at `last`.
struct Stream {
  std::size_t number = 0;  // running number of the task, over all steps
  sc_time last;
};

class System;
class Memory;

// One node of the tree. Down: every child gets the stream. Up: a stream goes on when every child has sent its own.
class Node : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Node);
  Node(const sc_core::sc_module_name& name, const sc_time& latency) : sc_core::sc_module(name), latency_(latency) {
    SC_METHOD(run);
    dont_initialize();
    sensitive << wake_;
  }
  Node* parent = nullptr;
  Memory* memory = nullptr;  // of the root
  std::vector<Node*> nodes;
  std::vector<System*> systems;

  void down(const Stream& stream) { post({true, stream, sc_core::sc_time_stamp() + latency_}); }
  void up(std::size_t number) {
    if (++arrived_[number] < nodes.size() + systems.size()) return;
    arrived_.erase(number);
    post({false, {number, sc_core::SC_ZERO_TIME}, sc_core::sc_time_stamp() + latency_});
  }
  std::uint64_t messages = 0;

 private:
  struct Post {
    bool down = true;
    Stream stream;
    sc_time at;
  };
  void post(const Post& post) {
    ++messages;
    posts_.push_back(post);
    if (posts_.size() == 1) wake_.notify(post.at - sc_core::sc_time_stamp());
  }
  void run();

  sc_time latency_;
  sc_core::sc_event wake_;
  std::deque<Post> posts_;  // equal latency: in order of time
  std::map<std::size_t, std::size_t> arrived_;
};

// Streams weights in order, and applies updates in the order in which gradients arrive.
class Memory : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Memory);
  Memory(const sc_core::sc_module_name& name, const StepTasks& tasks, const Fabric& fabric) : sc_core::sc_module(name), tasks_(tasks), fabric_(fabric) {
    rate_ = std::min(fabric.memoryx_bytes_per_s, fabric.swarmx_bytes_per_s);
    updates_.assign(static_cast<std::size_t>(std::max(tasks.tensors, 1)), 0);
    SC_METHOD(stream);
    sensitive << stream_;
    SC_METHOD(update);
    dont_initialize();
    sensitive << update_;
  }
  Node* root = nullptr;
  std::vector<Busy> sent;
  std::vector<Busy> updated;

  // Every system has consumed this task.
  void consumed(std::size_t number) {
    held_ -= tasks_.tasks[number % tasks_.tasks.size()].down_bytes;
    stream_.notify(sc_core::SC_ZERO_TIME);
  }
  void gradients(std::size_t number) {
    waiting_.push_back(number);
    if (!updating_) update_.notify(sc_core::SC_ZERO_TIME);
  }

 private:
  void stream() {
    const std::size_t all = tasks_.tasks.size();
    while (next_ < kSteps * all) {
      const Task& task = tasks_.tasks[next_ % all];
      if (task.down_bytes <= 0) {
        ++next_;
        continue;
      }
      const sc_time now = sc_core::sc_time_stamp();
      if (now < free_) return stream_.notify(free_ - now);
      const bool room = held_ < 0.5 || held_ + task.down_bytes <= fabric_.prefetch_bytes;
      // In step s a tensor's stream wants s updates behind it.
      const bool fresh = task.tensor < 0 || updates_[static_cast<std::size_t>(task.tensor)] >= static_cast<int>(next_ / all);
      if (!room || !fresh) return;  // consumed() or update() wakes it
      held_ += task.down_bytes;
      free_ = now + seconds(task.down_bytes / rate_);
      sent.push_back({now.to_seconds(), free_.to_seconds(), next_});
      root->down({next_, free_});
      ++next_;
    }
  }
  void update() {
    if (updating_) {
      const Task& done = tasks_.tasks[waiting_.front() % tasks_.tasks.size()];
      updated.back().end = sc_core::sc_time_stamp().to_seconds();
      if (done.update) ++updates_[static_cast<std::size_t>(done.tensor)];
      waiting_.pop_front();
      updating_ = false;
      stream_.notify(sc_core::SC_ZERO_TIME);
    }
    if (waiting_.empty()) return;
    updating_ = true;
    const double now = sc_core::sc_time_stamp().to_seconds();
    updated.push_back({now, now, waiting_.front()});
    update_.notify(seconds(tasks_.tasks[waiting_.front() % tasks_.tasks.size()].update_s));
  }

  const StepTasks& tasks_;
  const Fabric& fabric_;
  double rate_ = 1;
  double held_ = 0;
  std::size_t next_ = 0;
  sc_time free_;
  bool updating_ = false;
  std::deque<std::size_t> waiting_;
  std::vector<int> updates_;
  sc_core::sc_event stream_;
  sc_core::sc_event update_;
};

// One wafer: tasks in order, each when its weights begin to arrive.
class System : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(System);
  System(const sc_core::sc_module_name& name, const StepTasks& tasks, const Fabric& fabric) : sc_core::sc_module(name), tasks_(tasks), fabric_(fabric) {
    SC_METHOD(run);
    sensitive << wake_;
  }
  Node* node = nullptr;
  std::function<void(std::size_t)> consumed;
  std::vector<Busy> done;
  std::vector<Busy> sent;

  void weights(const Stream& stream) {
    arrived_.push_back(stream);
    wake_.notify(sc_core::SC_ZERO_TIME);
  }

 private:
  void run() {
    const std::size_t all = tasks_.tasks.size();
    const sc_time now = sc_core::sc_time_stamp();
    if (busy_) {
      if (now < end_) return wake_.notify(end_ - now);  // woken by an arrival, which took the place of the end
      busy_ = false;
      const Task& task = tasks_.tasks[next_ % all];
      if (task.down_bytes > 0) consumed(next_);
      if (task.up_bytes > 0 || task.update_s > 0 || task.update) node->up(next_);
      ++next_;
    }
    if (next_ >= kSteps * all) return;
    const Task& task = tasks_.tasks[next_ % all];
    sc_time last = now;
    if (task.down_bytes > 0) {
      if (arrived_.empty()) return;
      last = arrived_.front().last;
      arrived_.pop_front();
    }
    end_ = std::max(now + seconds(task.wafer_s), last);
    if (task.up_bytes > 0) {
      const sc_time begin = std::max(now, up_free_);
      end_ = std::max(end_, begin + seconds(task.up_bytes / fabric_.swarmx_bytes_per_s));
      end_ = std::max(end_, begin + seconds(task.up_bytes / fabric_.memoryx_bytes_per_s));
      up_free_ = end_;
      sent.push_back({begin.to_seconds(), end_.to_seconds(), next_});
    }
    done.push_back({now.to_seconds(), end_.to_seconds(), next_});
    busy_ = true;
    wake_.notify(end_ - now);
  }

  const StepTasks& tasks_;
  const Fabric& fabric_;
  std::deque<Stream> arrived_;
  std::size_t next_ = 0;
  bool busy_ = false;
  sc_time end_;
  sc_time up_free_;
  sc_core::sc_event wake_;
};

void Node::run() {
  while (!posts_.empty() && posts_.front().at <= sc_core::sc_time_stamp()) {
    const Post post = posts_.front();
    posts_.pop_front();
    if (post.down) {
      Stream stream = post.stream;
      stream.last += latency_;
      for (Node* child : nodes) child->down(stream);
      for (System* system : systems) system->weights(stream);
    } else if (parent != nullptr) {
      parent->up(post.stream.number);
    } else {
      memory->gradients(post.stream.number);
    }
  }
  if (!posts_.empty()) wake_.notify(posts_.front().at - sc_core::sc_time_stamp());
}

std::vector<Busy> last_step(const std::vector<Busy>& all, std::size_t tasks, double zero) {
  std::vector<Busy> some;
  for (const Busy& busy : all) {
    if (busy.task / tasks == kSteps - 1) some.push_back({busy.begin - zero, busy.end - zero, busy.task % tasks});
  }
  return some;
}

SimulatedStep run_here(const StepTasks& tasks, const Fabric& fabric, int leaves) {
  SimulatedStep result;
  Memory memory("memoryx", tasks, fabric);
  std::vector<std::unique_ptr<Node>> nodes;
  for (int level = 0; level < fabric.levels; ++level) {
    // The links at both ends of the tree are taken together with its levels.
    nodes.push_back(std::make_unique<Node>(("node" + std::to_string(level)).c_str(), seconds(fabric.latency_s / fabric.levels)));
    if (level == 0) {
      nodes[0]->memory = &memory;
      memory.root = nodes[0].get();
    } else {
      nodes.back()->parent = nodes[nodes.size() - 2].get();
      nodes[nodes.size() - 2]->nodes.push_back(nodes.back().get());
    }
  }
  std::vector<std::unique_ptr<System>> systems;
  std::map<std::size_t, int> consumed;
  for (int i = 0; i < leaves; ++i) {
    systems.push_back(std::make_unique<System>(("system" + std::to_string(i)).c_str(), tasks, fabric));
    systems.back()->node = nodes.back().get();
    systems.back()->consumed = [&](std::size_t number) {
      if (++consumed[number] < leaves) return;
      consumed.erase(number);
      memory.consumed(number);
    };
    nodes.back()->systems.push_back(systems.back().get());
  }
  sc_core::sc_start();
  const std::size_t all = tasks.tasks.size();
  const std::vector<Busy>& wafer = systems[0]->done;
  if (wafer.size() != kSteps * all) {
    result.error = "the simulation of the cluster stopped after task " + std::to_string(wafer.size()) + " of " + std::to_string(kSteps * all);
    return result;
  }
  const double zero = wafer[(kSteps - 1) * all].begin;
  result.timing.modelled_s = zero - wafer[(kSteps - 2) * all].begin;
  result.timing.wafer = last_step(wafer, all, zero);
  result.timing.up = last_step(systems[0]->sent, all, zero);
  result.timing.down = last_step(memory.sent, all, zero);
  result.timing.update = last_step(memory.updated, all, zero);
  if (tasks.modelled >= 2) {
    const std::size_t last = all - tasks.tasks_per_batch;
    result.timing.batch_s = result.timing.wafer[last].begin - result.timing.wafer[last - tasks.tasks_per_batch].begin;
  }
  result.timing.step_s = result.timing.modelled_s + static_cast<double>(tasks.micro_batches - tasks.modelled) * result.timing.batch_s;
  for (const auto& node : nodes) result.messages += node->messages;
  return result;
}

// ---- From the child to its parent: plain bytes on a pipe.

void put(std::string& out, const void* at, std::size_t bytes) { out.append(static_cast<const char*>(at), bytes); }

std::string pack(const SimulatedStep& s) {
  std::string out;
  const std::uint64_t error = s.error.size();
  put(out, &error, sizeof error);
  out += s.error;
  const double numbers[] = {s.timing.step_s, s.timing.batch_s, s.timing.modelled_s, static_cast<double>(s.messages)};
  put(out, numbers, sizeof numbers);
  for (const std::vector<Busy>* list : {&s.timing.down, &s.timing.wafer, &s.timing.up, &s.timing.update}) {
    const std::uint64_t count = list->size();
    put(out, &count, sizeof count);
    put(out, list->data(), count * sizeof(Busy));
  }
  return out;
}

bool unpack(const std::string& in, SimulatedStep& s) {
  std::size_t at = 0;
  auto get = [&](void* to, std::size_t bytes) {
    if (bytes > in.size() - at) return false;
    std::memcpy(to, in.data() + at, bytes);
    at += bytes;
    return true;
  };
  std::uint64_t length = 0;
  if (!get(&length, sizeof length) || length > in.size() - at) return false;
  s.error = in.substr(at, length);
  at += length;
  double numbers[4];
  if (!get(numbers, sizeof numbers)) return false;
  s.timing.step_s = numbers[0];
  s.timing.batch_s = numbers[1];
  s.timing.modelled_s = numbers[2];
  s.messages = static_cast<std::uint64_t>(numbers[3]);
  for (std::vector<Busy>* list : {&s.timing.down, &s.timing.wafer, &s.timing.up, &s.timing.update}) {
    std::uint64_t count = 0;
    if (!get(&count, sizeof count) || count > (in.size() - at) / sizeof(Busy)) return false;
    list->resize(count);
    if (!get(list->data(), count * sizeof(Busy))) return false;
  }
  return at == in.size();
}

void write_all(int to, const std::string& bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t n = ::write(to, bytes.data() + at, bytes.size() - at);
    if (n < 0 && errno != EINTR) return;
    if (n > 0) at += static_cast<std::size_t>(n);
  }
}

// Up to the end, or until `interrupted` says so.
std::string read_all(int from, const std::function<bool()>& interrupted) {
  std::string bytes;
  char block[65536];
  for (;;) {
    pollfd ready{from, POLLIN, 0};
    const int events = ::poll(&ready, 1, 100);
    if (interrupted && interrupted()) return bytes;
    if (events == 0 || (events < 0 && errno == EINTR)) continue;
    const ssize_t n = ::read(from, block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return bytes;
    bytes.append(block, static_cast<std::size_t>(n));
  }
}

}  // namespace

SimulatedStep simulate_step(const StepTasks& tasks, const Fabric& fabric, int leaves, const std::function<bool()>& interrupted) {
  SimulatedStep result;
  if (tasks.tasks.empty() || leaves < 1) {
    result.error = "nothing to simulate";
    return result;
  }
  int ends[2];
  if (::pipe(ends) != 0) {
    result.error = std::string("no pipe to the simulation: ") + std::strerror(errno);
    return result;
  }
  const pid_t child = ::fork();
  if (child < 0) {
    result.error = std::string("the simulation could not be started: ") + std::strerror(errno);
    ::close(ends[0]);
    ::close(ends[1]);
    return result;
  }
  if (child == 0) {
    ::close(ends[0]);
    SimulatedStep here;
    try {
      here = run_here(tasks, fabric, leaves);
    } catch (const std::exception& fault) {
      here.error = std::string("the simulation of the cluster failed: ") + fault.what();
    }
    write_all(ends[1], pack(here));
    ::_exit(0);
  }
  ::close(ends[1]);
  const std::string bytes = read_all(ends[0], interrupted);
  ::close(ends[0]);
  const bool stopped = interrupted && interrupted();
  if (stopped) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (stopped) result.error = "interrupted";
  else if (!unpack(bytes, result)) result.error = "the simulation of the cluster ended without a result";
  return result;
}

}  // namespace waferloom::cluster
