#include "sim/fabric/serve.h"

#include <map>
#include <memory>

#include "sim/checkpoint/archive.h"
#include "sim/fabric/spread.h"
#include "sim/fabric/spread_orders.h"

namespace waferloom::fabric {

std::string serve(Transport* transport) {
  std::map<uint32_t, std::unique_ptr<Fabric>> fabrics;
  for (std::string bytes; transport->receive(0, &bytes);) {
    checkpoint::Archive message(std::move(bytes));
    Order order = Order::kEnd;
    message(order);
    if (order == Order::kEnd) return "";
    uint32_t number = 0;
    message(number);
    std::unique_ptr<Fabric>& fabric = fabrics[number];
    if (order == Order::kPlace) {
      Spread::place(transport, &message, &fabric);
    } else if (order == Order::kDrop || !fabric) {
      fabrics.erase(number);
    } else if (order == Order::kRun) {
      Spread::of(*fabric).serve_run(&message);
    } else {
      Spread::of(*fabric).serve_collect(&message);
    }
  }
  return transport->fault();
}

void end_service(Transport* transport) {
  for (unsigned rank = 1; rank < transport->size(); ++rank) {
    checkpoint::Archive message;
    Order order = Order::kEnd;
    message(order);
    if (!transport->send(rank, message.bytes())) return;
  }
}

}  // namespace waferloom::fabric
