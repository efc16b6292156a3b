// Notes on a dump beside the answer, on standard error: what was left out, not known, broken or refused.
//
// Thread: main.
#pragma once

#include <string>
#include <vector>

#include "kube/cluster_dump.h"

namespace bayplan::cli {

// Faults line by line; the same one of many objects is one line with their number.
void tell(const std::vector<kube::ObjectFault>&);

// Broken objects and refused items; true if anything was, or is probably misspelt.
bool tell_faults(const kube::ClusterDump&, const std::vector<std::string>& refused);

// Objects, kinds and fields that were not used, and were expected to be, as lines.
std::vector<std::string> unused_lines(const kube::ClusterDump&);
// The same told. `of`: in front of each line, where there are
// several dumps.
void tell_unused(const kube::ClusterDump&, const std::string& of = "");

}  // namespace bayplan::cli
