// See answer_object.h.
#include "kube_shim/answer_object.h"

#include <vector>

#include <fmt/format.h>

#include "kube/document_reader.h"

namespace bayplan::kube_shim {

bool read_answer(const HttpAnswer& answer, const std::function<void(const kube::Value&)>& read) {
    if (answer.body.empty() || answer.body.front() != '{') {
        return false;
    }
    std::string text = answer.body;
    text.reserve(text.size() + kube::kTextPadding);
    std::vector<kube::ObjectFault> faults;
    bool any = false;
    const auto take = [&](const kube::ReadObject& object) {
        any = true;
        read(object.value);
    };
    kube::read_objects(text, "answer", take, faults);
    return any && faults.empty();
}

bool may_pass_later(const HttpAnswer& answer) {
    return answer.status == 409 || answer.status >= 500 || answer.status == 0 || !answer.error.empty();
}

std::string refusal_of(const HttpAnswer& answer) {
    std::string message = answer.error;
    if (message.empty()) {
        read_answer(answer, [&](const kube::Value& status) { message = status["message"].text(); });
    }
    return answer.status == 0 ? message : fmt::format("status {}: {}", answer.status, message);
}

}  // namespace bayplan::kube_shim
