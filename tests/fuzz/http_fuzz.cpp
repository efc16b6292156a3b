// Bytes from anybody to the reader of requests, in cuts that the input chooses; sound requests go on to a router and come out
// as the bytes of an answer. The same bytes in one piece must make the same requests.
//
// Built by clang with -fsanitize=fuzzer,address; seeds come from http_corpus.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "http/answer_bytes.h"
#include "http/compression.h"
#include "http/request_reader.h"
#include "http/router.h"

namespace {

using namespace bayplan::http;
using State = RequestReader::State;

constexpr ReaderLimits kLimits{.head_bytes_max = 512, .body_bytes_max = 256};

void require(bool holds, const std::string& what) {
    if (!holds) {
        std::fprintf(stderr, "%s\n", what.c_str());
        std::abort();
    }
}

const Router& router() {
    static const Router router(
        {
            {"GET", "/ws/v1/config",
             [](const Request& request) {
                 Response response;
                 response.body = request.query_value("count").value_or("none");
                 return response;
             }},
            {"POST", "/ws/v1/validate-conf",
             [](const Request& request) {
                 Response response;
                 response.content_type = std::string(request.header("Content-Type"));
                 response.body = request.body;
                 return response;
             }},
            {"GET", "/ws/v1/partition/{partition}/queue/{queue}",
             [](const Request& request) {
                 Response response;
                 response.headers = {{"X-Partition", std::string(request.parameter("partition"))}};
                 response.body = request.parameter("queue");
                 return response;
             }},
            {"GET", "/ws/v1/stack", redirect_to("/debug/stack"), false},
        },
        "*");
    return router;
}

std::string one_answer(Request request) {
    const bool packed = accepts_gzip(request.header("Accept-Encoding"));
    Response response = router().answer(request);
    require(response.status >= 200 && response.status < 600, "a status that is none");
    if (packed) response.body = gzip(response.body);
    const std::string head = head_bytes(response, {response.body.size(), false, false}, 0);
    require(head.find("\r\n\r\n") == head.size() - 4, "the head ends before its end: " + head);
    return request.method + " " + request.path + "?" + request.query + "\n" + head + response.body + "\n";
}

// As a connection does it; how much comes at once is told by `cuts`.
std::string answers(std::string_view bytes, std::string_view cuts) {
    RequestReader reader(kLimits);
    std::string buffer;
    std::string all;
    std::size_t turn = 0;
    while (true) {
        const std::size_t taken = reader.take(buffer);
        require(taken <= buffer.size(), "more taken than there was");
        buffer.erase(0, taken);
        if (reader.state() == State::failed) return all + "failed " + std::to_string(reader.failure());
        require(buffer.size() < kLimits.head_bytes_max || reader.state() == State::done, "too much is left");
        if (reader.state() == State::done) {
            require(reader.request().body.size() <= kLimits.body_bytes_max, "a body beyond its limit");
            require(reader.request().path.starts_with('/') || reader.request().path == "*", "a path that is none");
            all += one_answer(reader.take_request());
            continue;
        }
        if (bytes.empty()) return all;
        const std::size_t count =
            cuts.empty() ? bytes.size() : static_cast<unsigned char>(cuts[turn++ % cuts.size()]) % 64 + 1;
        buffer += bytes.substr(0, count);
        bytes.remove_prefix(std::min(count, bytes.size()));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    const std::string_view cuts = all.substr(0, 4);
    const std::string_view bytes = all.substr(cuts.size());
    // Limits are of the head as a whole, so a head is refused sooner or later, but by neither cut taken.
    const std::string once = answers(bytes, {});
    const std::string cut = answers(bytes, cuts);
    if (once.find("failed") == std::string::npos && cut.find("failed") == std::string::npos) {
        require(once == cut, "another cut, other requests:\n" + once + "\n-----\n" + cut);
    }
    return 0;
}
