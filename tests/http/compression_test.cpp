// Clients that take gzip, and that it can be read again, whole and in pieces.
#include <gtest/gtest.h>

#include "client.h"
#include "http/compression.h"

namespace bayplan::http {
namespace {

TEST(Compression, who_takes_gzip) {
    for (const char* yes :
         {"gzip", "GZIP", "deflate, gzip", "gzip;q=0.5", " gzip ; q=0.001", "br;q=0,gzip;q=1.0", "gzip;q=x"}) {
        EXPECT_TRUE(accepts_gzip(yes)) << yes;
    }
    for (const char* no :
         {"", "identity", "deflate", "gzip;q=0", "gzip;q=0.0", "gzip; q=0.000", "xgzip", "gzipped", "*", ",,"}) {
        EXPECT_FALSE(accepts_gzip(no)) << no;
    }
}

TEST(Compression, a_body_comes_back) {
    std::string text;
    for (int line = 0; line < 20'000; ++line) text += "line " + std::to_string(line * 7919 % 10'007) + "\n";
    EXPECT_EQ(gunzip(gzip(text)), text);
    EXPECT_LT(gzip(text).size(), text.size() / 2);
    EXPECT_EQ(gunzip(gzip("")), "");
}

TEST(Compression, a_piece_can_be_read_before_the_next_comes) {
    Gzip gzip;
    std::string first;
    gzip.append("the first piece", first, Gzip::Flush::piece);
    EXPECT_FALSE(first.empty());
    EXPECT_THROW(gunzip(first), std::runtime_error);  // its end is missing
    std::string rest;
    gzip.append(", and more", rest, Gzip::Flush::none);
    gzip.append("", rest, Gzip::Flush::end);
    EXPECT_EQ(gunzip(first + rest), "the first piece, and more");
}

}  // namespace
}  // namespace bayplan::http
