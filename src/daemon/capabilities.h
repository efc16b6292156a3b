// Takes every capability from every thread of the process.
//
// A thread can drop its own capabilities only, and a change of user drops them only where root was. So each thread that
// still has one is sent a signal whose handler drops them; a look at /proc says who is left.
//
// Thread: main, while others run. Errors: false if a thread keeps one.
#pragma once

#include <string>

namespace bayplan::daemon {

bool drop_capabilities(std::string& error);

// The value of a line "NAME: VALUE" of a status file of /proc; empty: there is none.
std::string status_field(const std::string& file, const std::string& name);

}  // namespace bayplan::daemon
