// Which attributes and capacities of a device an expression can look at, found before it is evaluated.
//
// Thread: any, pure functions.
#pragma once

#include "cel/selector.h"
#include "cel/syntax.h"

namespace bayplan::cel {

DeviceReads reads_of(const Node&);

}  // namespace bayplan::cel
