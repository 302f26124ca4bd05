#include "sim/ranks/lifelines.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace waferloom::ranks {
namespace {

constexpr int kPatienceMs = 5000;

struct Greeting {
  uint64_t token;
  uint64_t rank;
};

bool readable(int descriptor, int milliseconds) {
  pollfd p{descriptor, POLLIN, 0};
  return ::poll(&p, 1, milliseconds) == 1;
}

}  // namespace

Lifelines::~Lifelines() {
  for (const Line& line : lines_) ::close(line.descriptor);
  if (listener_ >= 0) ::close(listener_);
}

uint16_t Lifelines::listen(bool everywhere, uint64_t token) {
  token_ = token;
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener_ < 0) return 0;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(everywhere ? INADDR_ANY : INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || ::listen(listener_, 128) != 0) return 0;
  if (::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  return ntohs(address.sin_port);
}

void Lifelines::accept(unsigned ranks) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatienceMs);
  while (listener_ >= 0 && lines_.size() + 1 < ranks) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    if (left <= 0 || !readable(listener_, static_cast<int>(left))) break;
    const int caller = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (caller < 0) continue;
    Greeting greeting{};
    if (readable(caller, 1000) && ::recv(caller, &greeting, sizeof greeting, 0) == static_cast<ssize_t>(sizeof greeting) && greeting.token == token_) {
      lines_.push_back({caller, static_cast<unsigned>(greeting.rank)});
    } else {
      ::close(caller);
    }
  }
  if (listener_ >= 0) ::close(listener_);
  listener_ = -1;
}

void Lifelines::call(const std::vector<std::string>& addresses, uint16_t port, uint64_t token, unsigned rank) {
  for (const std::string& text : addresses) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    if (port == 0 || ::inet_pton(AF_INET, text.c_str(), &address.sin_addr) != 1) continue;
    const int line = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (line < 0) continue;
    timeval patience{1, 0};
    ::setsockopt(line, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    const Greeting greeting{token, rank};
    if (::connect(line, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 && ::send(line, &greeting, sizeof greeting, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof greeting)) {
      lines_.push_back({line, 0});
      return;
    }
    ::close(line);
  }
}

int Lifelines::cut() {
  if (!watching_) return -1;
  for (const Line& line : lines_) {
    char byte = 0;
    const ssize_t got = ::recv(line.descriptor, &byte, 1, MSG_DONTWAIT | MSG_PEEK);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) return static_cast<int>(line.rank);
  }
  return -1;
}

std::vector<std::string> Lifelines::own_addresses() {
  std::vector<std::string> out;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return out;
  for (const ifaddrs* at = list; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || at->ifa_addr->sa_family != AF_INET) continue;
    char text[INET_ADDRSTRLEN];
    const auto* address = reinterpret_cast<const sockaddr_in*>(at->ifa_addr);
    if (::inet_ntop(AF_INET, &address->sin_addr, text, sizeof text) != nullptr && std::strcmp(text, "127.0.0.1") != 0) out.emplace_back(text);
  }
  ::freeifaddrs(list);
  return out;
}

}  // namespace waferloom::ranks
