// See request_reader.h.
#include "http/request_reader.h"

#include <algorithm>
#include <optional>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "http/escapes.h"

namespace bayplan::http {

namespace beast = boost::beast;
using Parser = beast::http::request_parser<beast::http::string_body>;

struct RequestReader::Parts {
    std::optional<Parser> parser;
    State state = State::head;
    unsigned failure = 0;
    Request request;
    std::uint64_t body_bytes = 0;
};

namespace {

void begin(std::optional<Parser>& parser, const ReaderLimits& limits) {
    parser.emplace();
    parser->header_limit(static_cast<std::uint32_t>(limits.head_bytes_max));
    parser->body_limit(limits.body_bytes_max);
}

unsigned status_of(const beast::error_code& fault) {
    using beast::http::error;
    if (fault == error::header_limit) return 431;
    if (fault == error::body_limit || fault == error::buffer_overflow) return 413;
    if (fault == error::bad_version) return 505;
    return 400;
}

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

// "http://host/path" and "/path" are the same to a server.
std::string_view without_origin(std::string_view target) {
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!same_name(target.substr(0, scheme.size()), scheme)) continue;
        target.remove_prefix(std::min(target.find('/', scheme.size()), target.size()));
        return target.empty() ? std::string_view("/") : target;
    }
    return target;
}

// False: the target is none.
bool read_target(std::string_view whole, Request& request) {
    const std::string_view target = without_origin(whole);
    request.target = target;
    if (target == "*" && request.method == "OPTIONS") {
        request.path = "*";
        return true;
    }
    if (!target.starts_with('/')) return false;
    const std::size_t question = std::min(target.find('?'), target.size());
    Unescaped path = unescape_path(target.substr(0, question));
    if (!path.fault.empty()) return false;
    request.path = std::move(path.text);
    request.query = target.substr(std::min(question + 1, target.size()));
    return true;
}

}  // namespace

RequestReader::RequestReader(ReaderLimits limits) : limits_(limits), parts_(std::make_unique<Parts>()) {
    begin(parts_->parser, limits_);
}

RequestReader::~RequestReader() = default;

RequestReader::State RequestReader::state() const { return parts_->state; }
unsigned RequestReader::failure() const { return parts_->failure; }
const Request& RequestReader::request() const { return parts_->request; }
bool RequestReader::keeps_alive() const { return parts_->parser->get().keep_alive(); }
bool RequestReader::understands_chunks() const { return parts_->parser->get().version() >= 11; }
std::uint64_t RequestReader::body_bytes_max() const { return parts_->body_bytes; }

bool RequestReader::expects_continue() const {
    return same_name(parts_->request.header("Expect"), "100-continue") && parts_->state == State::body;
}

void RequestReader::fail(unsigned status) {
    parts_->state = State::failed;
    parts_->failure = status;
}

std::size_t RequestReader::take(std::string_view bytes) {
    std::size_t taken = 0;
    while (parts_->state == State::head || parts_->state == State::body) {
        const std::size_t more = take_some(bytes.substr(taken));
        taken += more;
        if (more == 0) break;
    }
    // Beast wants the line or head that it reads in one piece.
    if ((parts_->state == State::head || parts_->state == State::body) &&
        bytes.size() - taken >= limits_.head_bytes_max) {
        fail(parts_->state == State::head ? 431 : 400);
    }
    return taken;
}

std::size_t RequestReader::take_some(std::string_view bytes) {
    if (!parts_->parser->got_some()) {
        // Empty lines between requests are to be borne.
        if (bytes.starts_with("\r\n")) return 2;
        if (bytes.empty() || bytes == "\r") return 0;
    }
    // Beast asserts that it is given no less, once it has seen the line of the last chunk; nothing shorter ends a body.
    constexpr std::string_view kLastChunk = "0\r\n\r\n";
    const bool chunked = parts_->state == State::body && parts_->parser->chunked();
    if (chunked && bytes.starts_with('0') && bytes.size() < kLastChunk.size()) return 0;
    beast::error_code error;
    const std::size_t taken = parts_->parser->put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
    if (error == beast::http::error::need_more) error = {};
    if (error) {
        fail(status_of(error));
        return taken;
    }
    if (parts_->state == State::head && parts_->parser->is_header_done()) read_head();
    if (parts_->state == State::body && parts_->parser->is_done()) {
        parts_->request.body = std::move(parts_->parser->get().body());
        parts_->state = State::done;
    }
    return taken;
}

void RequestReader::read_head() {
    const auto& head = parts_->parser->get();
    Request& request = parts_->request;
    request.method = view(head.method_string());
    std::size_t hosts = 0;
    for (const auto& field : head) {
        const beast::string_view name = field.name_string();
        request.headers.push_back({std::string(view(name)), std::string(view(field.value()))});
        if (field.name() == beast::http::field::host) ++hosts;
    }
    if (hosts > 1 || (hosts == 0 && head.version() >= 11)) return fail(400);
    if (head.version() != 10 && head.version() != 11) return fail(505);
    if (!read_target(view(head.target()), request)) return fail(400);
    const std::string_view expected = request.header("Expect");
    if (!expected.empty() && !same_name(expected, "100-continue")) return fail(417);
    const auto length = parts_->parser->content_length();
    parts_->body_bytes = length ? *length : parts_->parser->chunked() ? limits_.body_bytes_max : 0;
    parts_->state = State::body;
}

Request RequestReader::take_request() {
    Request request = std::move(parts_->request);
    parts_->request = {};
    parts_->state = State::head;
    parts_->body_bytes = 0;
    begin(parts_->parser, limits_);
    return request;
}

}  // namespace bayplan::http
