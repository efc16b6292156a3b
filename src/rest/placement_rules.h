// The placement rules of a partition as YuniKorn shows them: in the order in which they are tried, and behind them the rule for
// recovery, which is always there.
//
// Thread: plain functions, any.
#pragma once

#include <boost/json/array.hpp>

#include "queue_config/model.h"

namespace bayplan::rest {

boost::json::array placement_rules(const queue_config::PartitionConfig&);

}  // namespace bayplan::rest
