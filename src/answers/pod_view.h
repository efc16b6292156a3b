// One pod by name, with all that a version knows of it: where it stands, what it waits for, what holds it back.
//
// Thread: pure. Looks at every pod.
#pragma once

#include <string>
#include <string_view>

#include "answers/answers.h"

namespace bayplan::answers {

// {"pods":[{"state","queue","nominatedNode","reservedNode","queriedNode","failures","pod"}]}: pods with this key, or else with
// this name of Kubernetes (NAME or NAMESPACE/NAME, by their tags), twenty at most. `pod`: as YuniKorn shows it; of a queried pod,
// its log says for which plugins it waits, and since when.
std::string pods_named(const VersionPtr&, const Place&, std::string_view name);

}  // namespace bayplan::answers
