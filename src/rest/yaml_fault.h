// Why a text is no YAML, in the words of YuniKorn's YAML library, which has them of libyaml as this has.
//
// Thread: any, pure.
#pragma once

#include <string>
#include <string_view>

namespace bayplan::rest {

// "yaml: line 1: did not find expected node content"; empty: it is YAML as far as its first document goes.
std::string yaml_fault(std::string_view text);

}  // namespace bayplan::rest
