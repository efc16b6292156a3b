// TLS files that change under a running server: new handshakes see them, connections stay unless
// their peer is no longer welcome.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "dataplane/certificate_dates.h"
#include "quic_world.h"

namespace bayplan::dataplane::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

void revoke(const std::string& names) {
    const std::string command = std::string("'") + BAYPLAN_MAKE_REVOCATIONS + "' '" + certificates() + "' " + names;
    ASSERT_EQ(std::system(command.c_str()), 0);
}

TEST(CertificateDates, are_the_earliest_of_each_file) {
    revoke("");
    constexpr std::int64_t kDay = 24 * 3600;
    const std::int64_t now = std::time(nullptr);
    TlsFiles files = tls_of("brief-shim");
    files.revoked = certificates() + "/revoked.pem";
    const CertificateDates brief = certificate_dates(files);
    EXPECT_GT(brief.certificate_s, now);
    EXPECT_LE(brief.certificate_s, now + kDay);
    EXPECT_GT(brief.authority_s, now + 365 * kDay);
    EXPECT_GT(brief.revoked_s, now);
    EXPECT_GT(certificate_dates(tls_of("server")).certificate_s, now + 365 * kDay);

    // A chain is good as long as each of it.
    files.certificate = certificates() + "/chain.pem";
    std::ofstream(files.certificate) << std::ifstream(tls_of("server").certificate).rdbuf()
                                     << std::ifstream(tls_of("brief-shim").certificate).rdbuf();
    EXPECT_EQ(certificate_dates(files).certificate_s, brief.certificate_s);

    EXPECT_EQ(certificate_dates({"/nonexistent.pem", "", certificates() + "/server.key"}), CertificateDates());
}

class QuicReload : public ::testing::Test {
protected:
    void SetUp() override {
        revoke("");
        // The server's own copies, so that a test may replace them.
        const std::string folder = certificates() + "/server-files";
        fs::remove_all(folder);
        fs::create_directory(folder);
        tls = {folder + "/server.pem", folder + "/server.key", folder + "/ca.pem", certificates() + "/revoked.pem"};
        put("server.pem", tls.certificate);
        put("server.key", tls.key);
        put("ca.pem", tls.authority);
        auto options = world.options(true);
        options.transport.tls = tls;
        server = &world.add(options, world.server_user);
        client_a = &world.add(world.options(false), user_a);
        auto other = world.options(false);
        other.transport.tls = tls_of("shim-b");
        client_b = &world.add(other, user_b);
        world.connect(*client_a);
        world.connect(*client_b);
        ASSERT_TRUE(world.run_until([&] { return world.server_user.open.size() == 2; }));
    }
    static void put(const std::string& name, const std::string& target) {
        fs::copy_file(certificates() + "/" + name, target, fs::copy_options::overwrite_existing);
    }
    void works(SeriesPeer& user) {
        SeriesPeer::Series series{user.sent(Stream::state) + 50, 100, 1'000};
        user.send_series(Stream::state, series);
        EXPECT_TRUE(world.run_until([&] { return user.all_sent(); }));
        world.run_for(10'000'000);
        EXPECT_THAT(user.closed, IsEmpty());
    }

    World world;
    TlsFiles tls;
    DataPlane* server = nullptr;
    DataPlane* client_a = nullptr;
    DataPlane* client_b = nullptr;
    SeriesPeer user_a;
    SeriesPeer user_b;
};

TEST_F(QuicReload, keeps_connections_whose_peers_are_still_welcome) {
    std::string error;
    ASSERT_TRUE(server->reload_tls(error)) << error;
    world.run_for(10'000'000);
    EXPECT_EQ(counter(*server, "tls_reloads"), 1u);
    EXPECT_EQ(counter(*server, "connections_open"), 2u);
    world.server_user.check_content = false;  // two series arrive
    works(user_a);
    works(user_b);
}

TEST_F(QuicReload, closes_the_connection_of_a_revoked_certificate_and_no_other) {
    revoke("shim-a");
    std::string error;
    ASSERT_TRUE(server->reload_tls(error)) << error;
    ASSERT_TRUE(world.run_until([&] { return !user_a.closed.empty(); }));
    EXPECT_THAT(user_a.closed, ElementsAre(HasSubstr("certificate revoked")));
    EXPECT_THAT(world.server_user.closed, ElementsAre(HasSubstr("client certificate \"shim-a\" was revoked")));
    EXPECT_EQ(counter(*server, "connections_revoked"), 1u);
    EXPECT_EQ(counter(*server, "connections_open"), 1u);
    works(user_b);

    SeriesPeer again;
    world.connect(world.add(world.options(false), again));
    ASSERT_TRUE(world.run_until([&] { return !again.closed.empty(); }));
    EXPECT_THAT(world.server_user.refused, Contains(HasSubstr("was revoked")));

    revoke("");  // a list that no longer names it
    ASSERT_TRUE(server->reload_tls(error)) << error;
    SeriesPeer forgiven;
    world.connect(world.add(world.options(false), forgiven));
    EXPECT_TRUE(world.run_until([&] { return !forgiven.open.empty(); }));
}

TEST_F(QuicReload, a_handshake_under_way_ends_by_the_new_list) {
    SeriesPeer late;
    world.connect(world.add(world.options(false), late));
    ASSERT_TRUE(world.run_until([&] { return counter(*server, "handshakes_pending") == 1; }));
    revoke("shim-a");
    std::string error;
    ASSERT_TRUE(server->reload_tls(error)) << error;
    ASSERT_TRUE(world.run_until([&] { return !late.closed.empty(); }));
    EXPECT_THAT(late.open, IsEmpty());
    EXPECT_THAT(late.closed, ElementsAre(HasSubstr("certificate revoked")));
    EXPECT_THAT(world.server_user.refused, ElementsAre(HasSubstr("client certificate \"shim-a\" was revoked")));
    EXPECT_EQ(world.server_user.open.size(), 2u) << "the handshake was never announced";
    EXPECT_EQ(counter(*server, "handshakes_pending"), 0u);
    works(user_b);
}

TEST_F(QuicReload, another_authority_takes_the_place_of_the_old_one) {
    put("other-ca.pem", tls.authority);
    std::string error;
    EXPECT_FALSE(server->reload_tls(error)) << "the revocation list is the old authority's";
    EXPECT_THAT(error, HasSubstr("is not signed by our CA"));
    world.run_for(10'000'000);
    EXPECT_EQ(counter(*server, "connections_open"), 2u) << "nothing has changed";
    revoke("other-ca");
    ASSERT_TRUE(server->reload_tls(error)) << error;
    ASSERT_TRUE(world.run_until([&] { return !user_a.closed.empty() && !user_b.closed.empty(); }));
    EXPECT_THAT(world.server_user.closed, Contains(HasSubstr("is not signed by our CA")));
    auto options = world.options(false);
    options.transport.tls = tls_of("other-client");
    options.transport.tls.authority = certificates() + "/ca.pem";
    SeriesPeer stranger;
    world.connect(world.add(options, stranger));
    EXPECT_TRUE(world.run_until([&] { return !stranger.open.empty(); }));
}

TEST_F(QuicReload, files_that_do_not_load_change_nothing) {
    const auto fails = [&](const char* part) {
        std::string error;
        EXPECT_FALSE(server->reload_tls(error));
        EXPECT_THAT(error, HasSubstr(part));
        world.run_for(10'000'000);
        EXPECT_EQ(counter(*server, "tls_reloads"), 0u);
        EXPECT_EQ(counter(*server, "connections_open"), 2u);
    };
    put("shim-a.key", tls.key);  // does not belong to the certificate
    fails("server.key");
    put("server.key", tls.key);
    revoke("other-ca");
    fails("is not signed by our CA");
    put("ca.pem", tls.revoked);
    fails("revoked.pem");
    fs::remove(tls.revoked);
    fails("revoked.pem");
    revoke("");
    SeriesPeer later;
    world.connect(world.add(world.options(false), later));
    EXPECT_TRUE(world.run_until([&] { return !later.open.empty(); }));
}

TEST_F(QuicReload, a_new_certificate_is_shown_to_the_next_client) {
    put("other-server.pem", tls.certificate);
    put("other-server.key", tls.key);
    std::string error;
    ASSERT_TRUE(server->reload_tls(error)) << error;
    world.run_for(10'000'000);
    EXPECT_EQ(counter(*server, "connections_open"), 2u);
    SeriesPeer later;
    world.connect(world.add(world.options(false), later));
    ASSERT_TRUE(world.run_until([&] { return !later.closed.empty(); }));
    EXPECT_THAT(later.closed, ElementsAre(HasSubstr("server certificate \"other-server\"")));
    auto options = world.options(false);
    options.transport.tls.authority = certificates() + "/other-ca.pem";
    SeriesPeer believer;
    world.connect(world.add(options, believer));
    EXPECT_TRUE(world.run_until([&] { return !believer.open.empty(); }));
}

}  // namespace
}  // namespace bayplan::dataplane::testing
