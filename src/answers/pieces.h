// An answer that is an array of things, each of which may itself be long (an application with a million pods): the thing is
// written in steps, and a piece ends between two of them.
//
// Thread: its owner's. Holds its version.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "answers/answers.h"
#include "answers/json_text.h"

namespace bayplan::answers {

inline constexpr std::size_t kPieceBytes = 64u << 10;

// Steps: `bool step(JsonText&)` writes a bit more; false: it was the last.
template <typename Steps>
class PiecewiseAnswer final : public Answer {
public:
    explicit PiecewiseAnswer(Steps steps) : steps_(std::move(steps)) {}

    std::string next() override {
        while (more_ && json_.text().size() < kPieceBytes) {
            more_ = steps_.step(json_);
        }
        return json_.take();
    }

private:
    Steps steps_;
    JsonText json_;
    bool more_ = true;
};

template <typename Steps>
AnswerPtr piecewise(Steps steps) {
    return std::make_unique<PiecewiseAnswer<Steps>>(std::move(steps));
}

}  // namespace bayplan::answers
