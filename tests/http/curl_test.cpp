// curl, which people use: what it is told, it understands.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "world.h"

namespace bayplan::http {
namespace {

std::string curl(const std::string& arguments) {
    std::FILE* pipe = popen(("curl -sS --max-time 20 --noproxy '*' " + arguments + " 2>&1").c_str(), "r");
    std::string output;
    std::array<char, 4'096> room;
    while (const std::size_t count = fread(room.data(), 1, room.size(), pipe)) output.append(room.data(), count);
    EXPECT_EQ(pclose(pipe), 0) << output;
    return output;
}

TEST(Curl, is_served) {
    RunningServer server;
    const std::string url = "http://127.0.0.1:" + std::to_string(server.port());
    EXPECT_EQ(curl(url + "/hello " + url + "/hello"), "hello\nhello\n");
    EXPECT_EQ(server->counters().connections, 1U);
    EXPECT_EQ(curl("-L " + url + "/Hello/"), "hello\n");
    EXPECT_EQ(curl("--compressed " + url + "/words"), std::string(1'400, 'w'));
    EXPECT_EQ(curl("--data-binary 'a body' " + url + "/echo"), "a body");
    EXPECT_EQ(curl("-H 'Expect: 100-continue' --data-binary 'asked for' " + url + "/echo"), "asked for");
    EXPECT_EQ(curl("-H 'Transfer-Encoding: chunked' -d chunks " + url + "/echo"), "chunks");
    EXPECT_EQ(curl("-0 " + url + "/hello"), "hello\n");
    EXPECT_EQ(curl("-o /dev/null -w '%{http_code}' -I " + url + "/hello"), "405");
    EXPECT_EQ(curl("--path-as-is -o /dev/null -w '%{http_code} %{redirect_url}' " + url + "/x/../hello"),
              "301 " + url + "/hello");
}

}  // namespace
}  // namespace bayplan::http
