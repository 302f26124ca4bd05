// The script and the style of a page, bundled at build time from client/ and the npm packages of package.json. Both may stand inside <script> and <style> as they are.
#pragma once

#include <string_view>

namespace waferloom::report::page {

std::string_view page_script();
std::string_view page_style();

}  // namespace waferloom::report::page
