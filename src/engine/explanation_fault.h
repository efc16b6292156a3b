// Checks of what is only said, not decided: why no node takes an ask. Such a check that fails is a fault of ours, but no
// reason to stop placing pods: the words are replaced, and the log has the check.
//
// Thread: any. BP_EXPLAINS throws ExplanationFault; Diagnoser::diagnose() catches it. A check of the state is BP_CHECK
// (base/check.h), which aborts: an engine with broken tables must not go on.
#pragma once

#include <stdexcept>
#include <string>

namespace bayplan {

struct ExplanationFault : std::logic_error {
    ExplanationFault(const char* file, int line, const char* expression)
        : std::logic_error(std::string(file) + ":" + std::to_string(line) +
                           ": check of an explanation failed: " + expression) {}
};

}  // namespace bayplan

#define BP_EXPLAINS(condition)                                                 \
    do {                                                                       \
        if (!(condition)) [[unlikely]] {                                       \
            throw ::bayplan::ExplanationFault(__FILE__, __LINE__, #condition); \
        }                                                                      \
    } while (false)
