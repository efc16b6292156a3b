// Writes seeds for http_fuzz: four bytes of cuts, then requests of every form.
//
// Usage: http_corpus DIRECTORY
#include "seeds.h"

int main(int argc, char** argv) {
    const std::string cuts = "\x05\x3f\x01\x20";
    return bayplan::fuzz::write_seeds(
        argc, argv,
        {
            {"get",
             cuts +
                 "GET /ws/v1/config?count=6&start=%20 HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip;q=0.5, br\r\n\r\n"},
            {"queue",
             cuts + "GET /ws/v1/partition/default/queue/root%252Ea+b HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n"},
            {"ahead", cuts + "GET /WS/v1/config/ HTTP/1.1\r\nHost: a\r\n\r\n\r\nHEAD /ws/v1/stack HTTP/1.1\r\nHost: "
                             "a\r\nConnection: close\r\n\r\n"},
            {"length", cuts + "POST /ws/v1/validate-conf HTTP/1.1\r\nHost: a\r\nContent-Type: "
                              "text/plain\r\nContent-Length: 13\r\n\r\npartitions: []GET / HTTP/1.0\r\n\r\n"},
            {"chunks", cuts + "POST /ws/v1/validate-conf HTTP/1.1\r\nHost: a\r\nExpect: "
                              "100-continue\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nT: u\r\n\r\n"},
            {"bytes", std::string(4, '\0') + "POST /ws/v1/validate-conf HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
                                             "chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"},
            {"last chunk", std::string(4, '\0') + "POST /ws/v1/validate-conf HTTP/1.1\r\nHost: a\r\n"
                                                  "Transfer-Encoding: chunked\r\n\r\n0\r\nT: u\r\n\r\n"},
            {"options",
             cuts + "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\nOPTIONS http://h/ws/v1/stack HTTP/1.1\r\nHost: a\r\n\r\n"},
            {"fold", cuts + "GET /../ws//v1/./config HTTP/1.1\r\nHost: a\r\nX: 1\r\n 2\r\n\r\n"},
        });
}
