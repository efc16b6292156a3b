// A part of a long list, in the order of names: the next so many after a name. Beyond YuniKorn's interface.
//
// Thread: pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "answers/answers.h"

namespace bayplan::answers {

struct Page {
    std::string after;             // empty: from the first on
    std::size_t limit = SIZE_MAX;  // entries; fewer come only at the end of the list
};

AnswerPtr nodes(VersionPtr, Place, Page);                                 // nodes.cpp
AnswerPtr applications(VersionPtr, Place, std::string_view state, Page);  // applications.cpp

}  // namespace bayplan::answers
