// Checks of what must never be false. Always on: an engine that goes on with broken state would give
// away capacity that is not there.
//
// Thread: any. A failed check prints the expression with both values and aborts.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

namespace bayplan {

[[noreturn]] inline void check_failed(const char* file, int line, const std::string& what) {
    std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, what.c_str());
    std::fflush(stderr);
    std::abort();
}

template <typename A, typename B>
[[noreturn]] void check_failed_values(const char* file, int line, const char* expression, const A& a, const B& b) {
    std::ostringstream text;
    text << expression << " (" << a << " against " << b << ")";
    check_failed(file, line, text.str());
}

}  // namespace bayplan

#define BP_CHECK(condition)                                          \
    do {                                                             \
        if (!(condition)) [[unlikely]] {                             \
            ::bayplan::check_failed(__FILE__, __LINE__, #condition); \
        }                                                            \
    } while (false)

#define BP_CHECK_OP(a, op, b)                                                                    \
    do {                                                                                         \
        const auto& bp_a_ = (a);                                                                 \
        const auto& bp_b_ = (b);                                                                 \
        if (!(bp_a_ op bp_b_)) [[unlikely]] {                                                    \
            ::bayplan::check_failed_values(__FILE__, __LINE__, #a " " #op " " #b, bp_a_, bp_b_); \
        }                                                                                        \
    } while (false)
