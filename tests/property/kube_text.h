// Specs and objects as readable text, for histories that are shown.
//
// Thread: pure functions. Errors: none.
#pragma once

#include <functional>
#include <string>

#include "bayplan/messages.h"

namespace bayplan::property {

using NameOf = std::function<std::string(DictId)>;

std::string to_text(const PodSpec&, const NameOf&);
std::string to_text(const ObjectItem&, const NameOf&);
std::string to_text(const Taint&, const NameOf&);

}  // namespace bayplan::property
