// A message as text with every field of every record: two messages are equal when their texts are.
//
// Reading all fields is the point for fuzzing as well: a view into nowhere is found by the
// sanitizer here.
//
// Thread: the test's.
#pragma once

#include <string>

#include "bayplan/messages.h"
#include "wire/codec.h"

namespace bayplan::wire {

std::string describe(const Message& message);
std::string describe(const Input& input);

}  // namespace bayplan::wire
