// Heads and chunks as they go over the wire.
#include <gtest/gtest.h>

#include "http/answer_bytes.h"

namespace bayplan::http {
namespace {

TEST(AnswerBytes, a_head) {
    Response response;
    response.status = 404;
    response.content_type = "text/plain";
    response.headers = {{"Allow", "GET"}};
    EXPECT_EQ(
        head_bytes(response, {12, false, true}, 784'111'777),
        "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nAllow: GET\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
        "Content-Length: 12\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(head_bytes({}, {std::nullopt, true, false}, 0),
              "HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nTransfer-Encoding: chunked\r\n\r\n");
}

TEST(AnswerBytes, no_header_is_smuggled_in_by_a_value) {
    Response response;
    response.headers = {{"Location", "/a\r\nSet-Cookie: x"}};
    EXPECT_NE(head_bytes(response, {}, 0).find("Location: /a  Set-Cookie: x\r\n"), std::string::npos);
}

TEST(AnswerBytes, chunks) {
    EXPECT_EQ(chunk_bytes("0123456789abcdefg"), "11\r\n0123456789abcdefg\r\n");
    EXPECT_EQ(chunk_bytes(""), "");
}

}  // namespace
}  // namespace bayplan::http
