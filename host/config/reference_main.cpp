// Prints docs/reference/configuration.md.
#include <cstdio>

#include "host/config/reference.h"

int main() { return std::fputs(waferloom::config::reference_markdown().c_str(), stdout) < 0 ? 1 : 0; }
