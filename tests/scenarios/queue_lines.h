// Lines of a scenario about queues and applications: what an application says of itself, and what is to be seen of queues.
//
// Thread: one. Errors: std::invalid_argument for a word that there is not.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "lockstep.h"
#include "owned.h"

namespace bayplan::scenarios {

using Said = std::map<std::string, std::string>;  // words, and what stands behind their `=`
using IdOf = std::function<DictId(const std::string&)>;

// `queue=root.a user=ann groups=dev,ops tag:namespace=team`: by user `user`, if none is said; `nobody-said`: by none.
oracle::OwnedApplication application_said(const std::string& name, const Said&, const IdOf&);

// Each: what is otherwise, or "".
std::string application_differs(const oracle::Oracle&, const std::string& name, const std::string& expected);
std::string state_differs(const oracle::Oracle&, const std::string& name, const std::string& expected);
std::string queue_differs(property::Lockstep&, const std::string& path, const Said&);
std::string wait_differs(property::Lockstep&, const std::string& key, const std::string& expected);

}  // namespace bayplan::scenarios
