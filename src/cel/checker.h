// Types before an expression is evaluated: an expression that cannot be right is refused. Thread: any.
#pragma once

#include <string>

#include "cel/syntax.h"

namespace bayplan::cel {

// Fills Node::type. The fault, or empty.
std::string check(Node& root);

}  // namespace bayplan::cel
