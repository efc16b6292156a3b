// Answers of the REST interface as tables for people.
//
// Thread: any; pure. Errors: a member that is not there is shown as nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "terminal/table.h"

namespace bayplan::cli {

terminal::Table queue_table(const boost::json::value& root);
terminal::Table node_table(const boost::json::value& nodes);
terminal::Table application_table(const boost::json::value& applications);

// A pod with its state, as lines of a name and a value.
std::string pod_lines(const boost::json::value& found);

// "1.5 vcore, 2.0Gi": of resources; empty: none.
std::string amounts_text(const boost::json::value* resources);
// One event as a line: time, type, object, change, message.
std::string event_line(const boost::json::value& event);
// The sum over all samples of a family; 0: there is none.
double metric_sum(std::string_view exposition, std::string_view family);

}  // namespace bayplan::cli
