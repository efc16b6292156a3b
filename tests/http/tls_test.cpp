// TLS and the token: who is let in, and who is not.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include "http/bearer_token.h"
#include "world.h"

namespace bayplan::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;

struct Folder {
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "bayplan-http-XXXXXX").string();
        path = mkdtemp(name.data());
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string file(const std::string& name) const { return (path / name).string(); }
    std::string written(const std::string& name, std::string_view text) const {
        std::ofstream(file(name)) << text;
        return file(name);
    }
    std::filesystem::path path;
};

struct Certificates : Folder {
    Certificates() {
        const std::string command = std::string(BAYPLAN_MAKE_CERTS) + " " + path.string();
        if (std::system(command.c_str()) != 0) throw std::runtime_error("no certificates");
    }
    ServerOptions options(const std::string& name = "server") const {
        ServerOptions options = options_of_test();
        options.tls_certificate = file(name + ".pem");
        options.tls_key = file(name + ".key");
        return options;
    }
};

using Tls = asio::ssl::stream<asio::ip::tcp::socket>;

// Throws if the server's certificate is not of the authority.
std::string get_by_tls(std::uint16_t port, const std::string& authority) {
    asio::io_context io;
    asio::ssl::context context(asio::ssl::context::tls_client);
    context.load_verify_file(authority);
    context.set_verify_mode(asio::ssl::verify_peer);
    Tls stream(io, context);
    stream.next_layer().connect({asio::ip::address_v4::loopback(), port});
    stream.handshake(asio::ssl::stream_base::client);
    beast::http::request<beast::http::empty_body> request(beast::http::verb::get, "/large", 11);
    request.set(beast::http::field::host, "localhost");
    request.set(beast::http::field::connection, "close");
    beast::http::write(stream, request);
    beast::flat_buffer buffer;
    beast::http::response_parser<beast::http::string_body> parser;
    parser.body_limit(10'000'000);
    beast::http::read(stream, buffer, parser);
    char more = 0;
    beast::error_code end;
    stream.read_some(asio::buffer(&more, 1), end);
    EXPECT_EQ(end, asio::error::eof);  // with TLS' own end, not a cut
    return parser.get().body();
}

TEST(TlsServer, serves_whom_its_certificate_convinces) {
    const Certificates certificates;
    RunningServer server(certificates.options());
    EXPECT_EQ(get_by_tls(server.port(), certificates.file("ca.pem")).size(), 3'000'000U);
    EXPECT_THROW(get_by_tls(server.port(), certificates.file("other-ca.pem")), boost::system::system_error);
    Client plain(server.port());
    plain.send(request_of("GET", "/hello"));
    plain.stop_sending();
    EXPECT_TRUE(soon([&] { return server->counters().handshakes_failed == 2; }));
}

TEST(TlsServer, a_handshake_that_stops_halfway_has_an_end) {
    const Certificates certificates;
    ServerOptions options = certificates.options();
    options.head_within = std::chrono::milliseconds(200);
    RunningServer server(options);
    Client client(server.port());
    client.send("\x16\x03\x01");
    EXPECT_TRUE(client.closed());
    EXPECT_TRUE(soon([&] { return server->counters().timeouts_reading == 1; }));
}

TEST(TlsServer, takes_another_certificate_when_told) {
    const Certificates certificates;
    ServerOptions options = certificates.options();
    RunningServer server(options);
    std::filesystem::copy_file(certificates.file("other-server.pem"), options.tls_certificate,
                               std::filesystem::copy_options::overwrite_existing);
    std::string error;
    EXPECT_FALSE(server->reload_tls(error));  // the key is still that of the old one
    EXPECT_NE(error.find("server.key"), std::string::npos) << error;
    EXPECT_FALSE(get_by_tls(server.port(), certificates.file("ca.pem")).empty());
    std::filesystem::copy_file(certificates.file("other-server.key"), options.tls_key,
                               std::filesystem::copy_options::overwrite_existing);
    EXPECT_TRUE(server->reload_tls(error)) << error;
    EXPECT_FALSE(get_by_tls(server.port(), certificates.file("other-ca.pem")).empty());
    EXPECT_THROW(get_by_tls(server.port(), certificates.file("ca.pem")), boost::system::system_error);
}

TEST(TlsServer, says_what_is_wrong_with_its_files) {
    const Certificates certificates;
    std::string error;
    EXPECT_FALSE(Server(certificates.options("none"), Router({}, "")).start(error));
    EXPECT_NE(error.find("cannot use the certificate"), std::string::npos) << error;
}

TEST(Token, requests_without_it_are_refused) {
    const Folder folder;
    ServerOptions options = options_of_test();
    options.token_file = folder.written("token", "0123456789abcdef\n");
    RunningServer server(options);
    const Answer refused = get(server.port(), "/hello");
    EXPECT_EQ(refused.status, 401);
    EXPECT_EQ(refused.header("WWW-Authenticate"), "Bearer");
    EXPECT_EQ(get(server.port(), "/hello", "Authorization: Bearer 0123456789abcdeg\r\n").status, 401);
    EXPECT_EQ(get(server.port(), "/hello", "Authorization: Basic 0123456789abcdef\r\n").status, 401);
    EXPECT_EQ(get(server.port(), "/nothing", "Authorization: Bearer\r\n").status, 401);
    EXPECT_EQ(get(server.port(), "/hello", "Authorization: bearer 0123456789abcdef\r\n").status, 200);
    EXPECT_EQ(server->counters().tokens_refused, 4U);
}

TEST(Token, a_file_without_a_token_is_a_fault) {
    const Folder folder;
    ServerOptions options = options_of_test();
    std::string error;
    options.token_file = folder.written("short", "secret\n");
    EXPECT_FALSE(Server(options, Router({}, "")).start(error));
    EXPECT_NE(error.find("fewer than 16"), std::string::npos) << error;
    options.token_file = folder.file("none");
    EXPECT_FALSE(Server(options, Router({}, "")).start(error));
    EXPECT_NE(error.find("cannot read"), std::string::npos) << error;
}

TEST(Token, only_the_whole_token_fits) {
    const BearerToken token("0123456789abcdef");
    EXPECT_TRUE(token.fits("Bearer 0123456789abcdef"));
    for (const char* other :
         {"", "Bearer ", "Bearer 0123456789abcde", "Bearer 0123456789abcdef0", "0123456789abcdef"}) {
        EXPECT_FALSE(token.fits(other)) << other;
    }
}

}  // namespace
}  // namespace bayplan::http
