// Secrets of stateless answers when the key or the certificate changes under a running server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "net/udp_address.h"
#include "quic/quic_secrets.h"
#include "quic_world.h"

namespace bayplan::dataplane::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kDay = 24 * 3600 * kSecond;

// The server's own certificate and key, which a test may renew.
class OwnFiles {
public:
    OwnFiles() : folder_(certificates() + "/renewed") {
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directory(folder_);
        tls = tls_of("server");
        for (std::string* file : {&tls.certificate, &tls.key}) {
            const std::string own = folder_ + "/" + std::filesystem::path(*file).filename().string();
            std::filesystem::copy_file(*file, own);
            *file = own;
        }
    }
    // Another file of the same certificate: a line before it means nothing to TLS.
    void renew() const {
        const std::string before = read(tls.certificate);
        std::ofstream(tls.certificate) << "renewed\n" << before;
    }
    std::shared_ptr<const TlsCredentials> load() const {
        std::string error;
        auto credentials = TlsCredentials::load(tls, true, error);
        EXPECT_NE(credentials, nullptr) << error;
        return credentials;
    }
    TlsFiles tls;

private:
    static std::string read(const std::string& name) {
        std::ifstream file(name);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    const std::string folder_;
};

bool good(const RotatedSecrets& secrets, const Secrets& wanted, std::uint64_t now) {
    return secrets.any(now, [&](const Secrets& each) { return each == wanted; });
}

TEST(RotatedSecrets, follow_from_key_and_certificate_alone) {
    const OwnFiles files;
    RotatedSecrets secrets(*files.load());
    const Secrets first = secrets.current();
    EXPECT_EQ(RotatedSecrets(*files.load()).current(), first) << "another lcore, another life";
    EXPECT_FALSE(secrets.rotate(*files.load(), kSecond)) << "nothing has changed";
    EXPECT_EQ(secrets.current(), first);
    files.renew();
    EXPECT_TRUE(secrets.rotate(*files.load(), kSecond));
    EXPECT_NE(secrets.current().retry, first.retry);
    EXPECT_NE(secrets.current().address, first.address);
    EXPECT_NE(secrets.current().reset, first.reset);
    EXPECT_NE(secrets.current().mark, first.mark);
    EXPECT_NE(secrets.current().retry, secrets.current().address) << "each purpose has its own";
}

TEST(RotatedSecrets, stay_good_for_a_day_and_no_more_than_four_of_them) {
    const OwnFiles files;
    RotatedSecrets secrets(*files.load());
    const Secrets first = secrets.current();
    files.renew();
    secrets.rotate(*files.load(), kSecond);
    EXPECT_TRUE(good(secrets, first, kSecond));
    EXPECT_TRUE(good(secrets, first, kSecond + kDay - 1));
    EXPECT_FALSE(good(secrets, first, kSecond + kDay));
    std::vector<Secrets> all = {secrets.current()};
    for (std::uint64_t hour = 1; hour <= 5; ++hour) {
        files.renew();
        secrets.rotate(*files.load(), kSecond + hour * kDay / 24);
        all.push_back(secrets.current());
    }
    const std::uint64_t now = kSecond + 6 * kDay / 24;
    EXPECT_FALSE(good(secrets, first, now)) << "too many since then";
    EXPECT_FALSE(good(secrets, all[0], now));
    for (std::size_t at = 1; at < all.size(); ++at) EXPECT_TRUE(good(secrets, all[at], now)) << at;
}

TEST(RotatedSecrets, a_connection_id_names_those_it_was_made_with) {
    const OwnFiles files;
    RotatedSecrets secrets(*files.load());
    const Secrets first = secrets.current();
    std::array<std::uint8_t, kOwnCidBytes> bytes{};
    secrets.mark(bytes);
    const Cid id{bytes};
    files.renew();
    secrets.rotate(*files.load(), kSecond);
    EXPECT_EQ(secrets.of(id, kSecond), first);
    EXPECT_EQ(secrets.of(id, kSecond + kDay), secrets.current()) << "nobody remembers";
    secrets.mark(bytes);
    EXPECT_EQ(secrets.of(Cid{bytes}, kSecond), secrets.current());
    EXPECT_EQ(bytes[0], 0) << "the lcore's";
}

struct Renewing {
    Renewing() {
        options.transport.tls = files.tls;
        options.transport.handshakes.retry_above = 0;
        server = &world.add(options, world.server_user);
        client = &world.add(world.options(false), world.client_user);
    }
    bool come() {
        const std::size_t before = world.client_user.open.size();
        world.connect(*client);
        if (!world.run_until([&] { return world.client_user.open.size() > before; })) return false;
        world.run_for(kSecond);  // the token comes
        return true;
    }
    bool leave() {
        const std::size_t before = world.client_user.closed.size();
        client->close(world.client_user.open.back(), 0, "over");
        return world.run_until([&] { return world.client_user.closed.size() > before; });
    }
    void renew() {
        files.renew();
        std::string error;
        ASSERT_TRUE(server->reload_tls(error)) << error;
        world.run_for(kSecond / 100);
        EXPECT_EQ(counter(*server, "secrets_rotated"), 1u);
    }
    OwnFiles files;
    World world;
    DataPlaneOptions options = world.options(true);
    DataPlane* server = nullptr;
    DataPlane* client = nullptr;
};

TEST(QuicSecrets, a_token_holds_over_a_renewal) {
    Renewing session;
    ASSERT_TRUE(session.come() && session.leave());
    session.renew();
    ASSERT_TRUE(session.come() && session.leave());
    EXPECT_EQ(counter(*session.server, "tokens_accepted"), 1u);
    EXPECT_EQ(counter(*session.server, "attempts_retried"), 1u) << "the first time alone";
}

TEST(QuicSecrets, a_token_of_a_generation_that_is_forgotten_counts_as_none) {
    Renewing session;
    ASSERT_TRUE(session.come() && session.leave());
    session.files.renew();
    session.world.crash(*session.server);
    session.server = &session.world.add(session.options, session.world.server_user);
    ASSERT_TRUE(session.come());
    EXPECT_EQ(counter(*session.server, "tokens_accepted"), 0u);
    EXPECT_EQ(counter(*session.server, "attempts_retried"), 1u);
}

// A daemon came back with the former certificate and then read the new one: it still tells the peers of its former life.
TEST(QuicSecrets, a_reset_is_by_the_secret_that_the_connection_began_with) {
    Renewing session;
    ASSERT_TRUE(session.come());
    session.world.crash(*session.server);
    SeriesPeer second_life;
    session.server = &session.world.add(session.options, second_life);
    session.renew();
    const std::uint64_t began = session.world.network.now();
    session.world.client_user.send_series(Stream::state, {1, 100, 100});
    ASSERT_TRUE(session.world.run_until([&] { return !session.world.client_user.closed.empty(); }));
    EXPECT_LT(session.world.network.now() - began, kSecond) << "not after the idle timeout";
    EXPECT_THAT(session.world.client_user.closed, ElementsAre(HasSubstr("stateless reset")));
}

}  // namespace
}  // namespace bayplan::dataplane::testing
