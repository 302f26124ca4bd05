// Writes the sample result into the folder named on the command line, for read_back.py.
#include <cstdio>

#include "host/report/result_folder.h"
#include "testbenches/host/report/sample_report.h"

int main(int argc, char** argv) {
  using namespace waferloom;
  if (argc != 2) return 2;
  const config::Result<report::ResultFolder> folder = report::ResultFolder::open(argv[1]);
  if (!folder) {
    std::fputs(config::render(folder.errors()).c_str(), stderr);
    return 4;
  }
  const config::Status status =
      folder->write_results(test::sample_report(), "name: sample\n", test::sample_weights(), test::sample_manifest());
  if (!status) std::fputs(config::render(status.errors()).c_str(), stderr);
  return status ? 0 : 4;
}
