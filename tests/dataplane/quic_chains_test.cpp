// A chain of certificates is verified once a minute, however often its peer comes (verified_chains.h).
#include <gnutls/x509.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dataplane/certificate_dates.h"
#include "quic/verified_chains.h"
#include "quic_world.h"

namespace bayplan::dataplane::testing {
namespace {

std::vector<gnutls_datum_t> chain_of(std::vector<std::string>& certificates) {
    std::vector<gnutls_datum_t> chain;
    for (std::string& each : certificates) {
        chain.push_back({reinterpret_cast<unsigned char*>(each.data()), static_cast<unsigned>(each.size())});
    }
    return chain;
}

VerifiedChains::Key key_of(std::vector<std::string> certificates) {
    const auto key = VerifiedChains::key_of(chain_of(certificates));
    EXPECT_TRUE(key.has_value());
    return key.value_or(VerifiedChains::Key{});
}

constexpr std::int64_t kFar = 1'000'000;

TEST(VerifiedChains, are_good_for_a_minute) {
    VerifiedChains chains;
    const auto key = key_of({"leaf"});
    EXPECT_FALSE(chains.find(key, 1'000));
    chains.keep(key, {"shim-a", kFar}, kFar, 1'000);
    for (const std::int64_t now_s : {1'000, 1'059}) {
        const auto known = chains.find(key, now_s);
        ASSERT_TRUE(known);
        EXPECT_EQ(known->name, "shim-a");
        EXPECT_EQ(known->ends_s, kFar);
    }
    EXPECT_FALSE(chains.find(key, 1'060));
    EXPECT_FALSE(chains.find(key, 999)) << "the clock went back";
}

TEST(VerifiedChains, do_not_outlive_a_certificate) {
    VerifiedChains chains;
    const auto key = key_of({"leaf", "intermediate"});
    chains.keep(key, {"shim-a", kFar}, 1'010, 1'000);
    EXPECT_TRUE(chains.find(key, 1'009));
    EXPECT_FALSE(chains.find(key, 1'010));
}

// As TLS gives it: the bytes of a file's one certificate.
std::string certificate_of(const std::string& name) {
    const std::string file = certificates() + "/" + name + ".pem";
    gnutls_datum_t text{};
    gnutls_datum_t bytes{};
    gnutls_x509_crt_t certificate = nullptr;
    EXPECT_EQ(gnutls_load_file(file.c_str(), &text), 0) << file;
    EXPECT_EQ(gnutls_x509_crt_init(&certificate), 0);
    EXPECT_EQ(gnutls_x509_crt_import(certificate, &text, GNUTLS_X509_FMT_PEM), 0);
    EXPECT_EQ(gnutls_x509_crt_export2(certificate, GNUTLS_X509_FMT_DER, &bytes), 0);
    std::string out(reinterpret_cast<const char*>(bytes.data), bytes.size);
    gnutls_x509_crt_deinit(certificate);
    gnutls_free(bytes.data);
    gnutls_free(text.data);
    return out;
}

TEST(VerifiedChains, end_with_the_first_of_their_certificates) {
    const auto end = [](std::vector<std::string> certificates) {
        return VerifiedChains::earliest_end_s(chain_of(certificates));
    };
    const std::string server = certificate_of("server");
    const std::string brief = certificate_of("brief-shim");
    EXPECT_LT(end({brief}), end({server}));
    EXPECT_EQ(end({brief}), certificates_end_s(certificates() + "/brief-shim.pem"));
    EXPECT_EQ(end({server, brief}), end({brief}));
    EXPECT_EQ(end({brief, server}), end({brief}));
    EXPECT_EQ(end({server, "no certificate"}), 0);
}

TEST(VerifiedChains, differ_in_any_certificate_and_in_where_it_ends) {
    VerifiedChains chains;
    chains.keep(key_of({"leaf", "intermediate"}), {"shim-a", kFar}, kFar, 1'000);
    const std::vector<std::vector<std::string>> others = {
        {"leaf"}, {"leaf", "other"}, {"intermediate", "leaf"}, {"leafintermediate"}, {"leafi", "ntermediate"}, {}};
    for (const auto& other : others) EXPECT_FALSE(chains.find(key_of(other), 1'000));
    EXPECT_TRUE(chains.find(key_of({"leaf", "intermediate"}), 1'000));
}

TEST(VerifiedChains, are_at_most_so_many) {
    VerifiedChains chains;
    const auto first = key_of({"first"});
    chains.keep(first, {"first", kFar}, kFar, 1'000);
    for (std::size_t i = 1; i < VerifiedChains::kChainsMax; ++i) {
        chains.keep(key_of({std::to_string(i)}), {"other", kFar}, kFar, 1'000);
    }
    EXPECT_TRUE(chains.find(first, 1'000));
    chains.keep(key_of({"one more"}), {"other", kFar}, kFar, 1'000);
    EXPECT_FALSE(chains.find(first, 1'000));
    EXPECT_TRUE(chains.find(key_of({"one more"}), 1'000));
}

class QuicChains : public ::testing::Test {
protected:
    void comes(const std::string& name) {
        users.push_back(std::make_unique<SeriesPeer>());
        SeriesPeer& user = *users.back();
        auto options = world.options(false);
        options.transport.tls = tls_of(name);
        world.connect(world.add(options, user));
        ASSERT_TRUE(world.run_until([&] { return !user.open.empty() || !user.closed.empty(); }));
    }
    World world;
    DataPlane& server = world.add(world.options(true), world.server_user);
    std::vector<std::unique_ptr<SeriesPeer>> users;
};

TEST_F(QuicChains, who_comes_again_is_who_it_was) {
    for (const char* name : {"shim-a", "shim-a", "shim-b", "shim-a", "shim-b"}) comes(name);
    EXPECT_EQ(counter(server, "chains_known"), 3u);
    std::vector<std::string> names;
    for (const Peer& peer : world.server_user.peers) names.push_back(peer.common_name);
    EXPECT_EQ(names, (std::vector<std::string>{"shim-a", "shim-a", "shim-b", "shim-a", "shim-b"}));
}

TEST_F(QuicChains, who_was_refused_is_refused_again) {
    for (int i = 0; i < 3; ++i) comes("other-client");
    EXPECT_EQ(counter(server, "chains_known"), 0u);
    EXPECT_EQ(world.server_user.refused.size(), 3u);
    EXPECT_TRUE(world.server_user.open.empty());
}

}  // namespace
}  // namespace bayplan::dataplane::testing
