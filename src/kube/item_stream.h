// The items of a long list, one at a time, without its whole text in memory.
//
// A dump of a large cluster is a List of hundreds of megabytes. In JSON its items are found by their brackets in a window of the
// text and read one by one; anything but such a list (one object, a short text, a typed list whose kind comes behind its
// items) is read as a whole (document_reader.h). The end of the list's own object is looked at for its brackets alone. YAML is
// read as it comes.
//
// Thread: one. Owns the window.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kube/document_reader.h"
#include "kube/text_source.h"

namespace bayplan::kube {

// False: nothing could be read at all, and a fault says so.
bool read_source(TextSource&, const std::string& file, const OnObject&, std::vector<ObjectFault>&);

}  // namespace bayplan::kube
