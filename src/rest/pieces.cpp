// See pieces.h.
#include "rest/pieces.h"

#include <memory>
#include <utility>

#include "rest/errors.h"

namespace bayplan::rest {

namespace {

using answers::AnswerPtr;
using http::Response;

// A long answer as the server wants it, with a line end behind it.
class PieceSource final : public http::ChunkSource {
public:
    PieceSource(std::string begun, AnswerPtr answer) : begun_(std::move(begun)), answer_(std::move(answer)) {}

    State next(std::string& piece) override {
        const std::string more = begun_.empty() ? answer_->next() : std::exchange(begun_, {});
        piece += more.empty() ? "\n" : more;
        return more.empty() ? State::end : State::more;
    }

private:
    std::string begun_;
    AnswerPtr answer_;
};

}  // namespace

Response json_text(std::string text) {
    Response response;
    response.content_type = kJsonType;
    response.body = std::move(text) + "\n";
    return response;
}

Response json_pieces(AnswerPtr answer) {
    std::string begun = answer->next();
    const std::string more = answer->next();
    if (more.empty()) {
        return json_text(std::move(begun));
    }
    Response response;
    response.content_type = kJsonType;
    response.source = std::make_unique<PieceSource>(std::move(begun) + more, std::move(answer));
    return response;
}

}  // namespace bayplan::rest
