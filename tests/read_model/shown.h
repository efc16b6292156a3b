// A version of the read model, and the oracle's state, in the same words: a text for each thing, by name.
//
// Thread: one. Errors: none.
#pragma once

#include <map>
#include <string>

#include "oracle.h"
#include "read_model/version.h"

namespace bayplan::read_model {

using Shown = std::map<std::string, std::string>;

Shown shown(const Version&);
Shown shown(const oracle::Oracle&);

// The first thing in which they differ, or "".
std::string difference(const Shown& model, const Shown& oracle);

}  // namespace bayplan::read_model
