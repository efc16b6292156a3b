// See pieces.h.
#include "rest/pieces.h"

#include <memory>
#include <utility>

#include "rest/errors.h"

namespace bayplan::rest {

namespace {

using answers::AnswerPtr;
using http::Response;

// A long answer as the server wants it.
class PieceSource final : public http::ChunkSource {
public:
    PieceSource(std::string begun, AnswerPtr answer, std::string_view end)
        : begun_(std::move(begun)), answer_(std::move(answer)), end_(end) {}

    State next(std::string& piece) override {
        const std::string more = begun_.empty() ? answer_->next() : std::exchange(begun_, {});
        piece += more.empty() ? end_ : more;
        return more.empty() ? State::end : State::more;
    }

private:
    std::string begun_;
    AnswerPtr answer_;
    std::string end_;
};

}  // namespace

Response json_text(std::string text) {
    Response response;
    response.content_type = kJsonType;
    response.body = std::move(text) + "\n";
    return response;
}

Response json_pieces(AnswerPtr answer) { return pieces(kJsonType, std::move(answer), "\n"); }

Response pieces(std::string_view content_type, AnswerPtr answer, std::string_view end) {
    Response response;
    response.content_type = content_type;
    std::string begun = answer->next();
    const std::string more = answer->next();
    if (more.empty()) {
        response.body = std::move(begun);
        response.body += end;
    } else {
        response.source = std::make_unique<PieceSource>(std::move(begun) + more, std::move(answer), end);
    }
    return response;
}

}  // namespace bayplan::rest
