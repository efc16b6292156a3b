// One object in an answer of the API server.
//
// Thread: any.
#pragma once

#include <functional>
#include <string>

#include "kube/value.h"
#include "kube_shim/http_client.h"

namespace bayplan::kube_shim {

// False: there is none, and nothing was called. The value lives during the call.
bool read_answer(const HttpAnswer&, const std::function<void(const kube::Value&)>&);
// It was not done, or nobody knows: worth another try.
bool may_pass_later(const HttpAnswer&);
// Why it was refused, in the server's words where it has some.
std::string refusal_of(const HttpAnswer&);

}  // namespace bayplan::kube_shim
