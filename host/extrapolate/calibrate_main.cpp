// wl_calibrate MACHINE FILE: measures the machine's tile on small verilated arrays and writes the calibration to FILE, whole or not at all. scripts/calibrate runs it for the
// machines that ship.
#include <cstdio>
#include <iostream>

#include "host/config/resolver.h"
#include "host/extrapolate/calibrate.h"
#include "host/report/files.h"
#include "host/systemc/units.h"

using namespace waferloom;

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: wl_calibrate MACHINE FILE\n";
    return 2;
  }
  const config::Result<config::Resolved<config::Machine>> machine = config::resolve_machine(argv[1]);
  if (!machine) {
    std::cerr << config::render(machine.errors());
    return 2;
  }
  config::Run run;
  run.machine = machine->value;
  plugin::Unit router;
  plugin::Unit pe;
  for (const std::string& error : {router.open(systemc::router_spec(run.machine, {})), pe.open(systemc::pe_spec(run.machine, {}))}) {
    if (error.empty()) continue;
    std::cerr << error << '\n';
    return 1;
  }
  std::string fault;
  const extrapolate::CalibrationKey key = extrapolate::calibration_key(run.machine, run.accumulate, {}, &fault);
  if (!fault.empty()) {
    std::cerr << fault << '\n';
    return 1;
  }
  extrapolate::Calibrator calibrator(run, router, pe);
  const std::string error = calibrator.measure([](int done, int all) {
    std::cerr << "measured " << done << " of " << all << " arrays\n";
    return true;
  });
  if (!error.empty()) {
    std::cerr << "wl_calibrate: error: " << error << '\n';
    return 1;
  }
  const config::Status written = report::write_whole_file(argv[2], extrapolate::calibration_json(calibrator.calibration(key)));
  if (!written) {
    std::cerr << config::render(written.errors());
    return 4;
  }
  return 0;
}
