// One pod of a dump. Thread and errors: see kube_json.h.
#pragma once

#include <string>

#include <simdjson.h>

#include "kube_model.h"

namespace bayplan::oracle {

KubePod read_pod(simdjson::dom::element);
TaintEffect taint_effect(const std::string&);

}  // namespace bayplan::oracle
