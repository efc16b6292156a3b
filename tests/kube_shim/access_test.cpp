// Kubeconfig files and service accounts.
#include "kube_shim/access.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube_shim/backoff.h"
#include "kube_shim/base64.h"

namespace bayplan::kube_shim {
namespace {

using testing::HasSubstr;

class Access : public testing::Test {
protected:
    Access() {
        char name[] = "/tmp/bayplan-access-XXXXXX";
        folder_ = mkdtemp(name);
    }
    ~Access() override { std::filesystem::remove_all(folder_); }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ + "/" + name) << text;
        return folder_ + "/" + name;
    }
    std::string folder_;
};

constexpr const char* kConfig = R"(apiVersion: v1
kind: Config
current-context: one
contexts:
- {name: one, context: {cluster: c1, user: u1}}
- {name: two, context: {cluster: c2, user: u2}}
clusters:
- {name: c1, cluster: {server: "https://10.0.0.1:6443/", certificate-authority-data: "Q0E=", tls-server-name: api}}
- {name: c2, cluster: {server: "https://h", certificate-authority: ca.pem, insecure-skip-tls-verify: true}}
users:
- {name: u1, user: {token: secret}}
- {name: u2, user: {client-certificate-data: Y2VydA==, client-key: key.pem}}
)";

TEST_F(Access, the_current_context_counts_unless_one_is_named) {
    const std::string file = write("config", kConfig);
    write("ca.pem", "authority");
    write("key.pem", "private");
    std::string error;
    const auto one = read_kubeconfig(file, "", error);
    ASSERT_TRUE(one) << error;
    EXPECT_EQ(one->server, "https://10.0.0.1:6443");
    EXPECT_EQ(one->authority, "CA");
    EXPECT_EQ(one->token, "secret");
    EXPECT_EQ(one->server_name, "api");
    EXPECT_FALSE(one->insecure);
    const auto two = read_kubeconfig(file, "two", error);
    ASSERT_TRUE(two) << error;
    EXPECT_EQ(two->authority, "authority");
    EXPECT_EQ(two->certificate, "cert");
    EXPECT_EQ(two->key, "private");
    EXPECT_TRUE(two->insecure);
    EXPECT_EQ(two->token, "");
}

TEST_F(Access, faults_are_said) {
    std::string error;
    EXPECT_FALSE(read_kubeconfig(folder_ + "/none", "", error));
    EXPECT_THAT(error, HasSubstr("cannot be read"));
    EXPECT_FALSE(read_kubeconfig(write("config", kConfig), "three", error));
    EXPECT_THAT(error, HasSubstr("no cluster for its context 'three'"));
    EXPECT_FALSE(read_kubeconfig(folder_ + "/config", "two", error)) << "ca.pem is not there";
    EXPECT_THAT(error, HasSubstr("ca.pem cannot be read"));
    std::string text = kConfig;
    text.replace(text.find("token: secret"), 13, "auth-provider: {name: x}");
    EXPECT_FALSE(read_kubeconfig(write("provider", text), "", error));
    EXPECT_THAT(error, HasSubstr("auth-provider"));
}

TEST_F(Access, a_command_prints_the_credentials_of_its_user) {
    write("printer",
          "#!/bin/sh\necho "
          "\"{\\\"kind\\\":\\\"ExecCredential\\\",\\\"apiVersion\\\":\\\"client.authentication.k8s.io/v1\\\",\"\n"
          "echo "
          "\"\\\"status\\\":{\\\"token\\\":\\\"$1-$WORD\\\",\\\"expirationTimestamp\\\":\\\"2033-05-18T03:33:20Z\\\"}}"
          "\"\n"
          "case \"$KUBERNETES_EXEC_INFO\" in *client.authentication*) exit 0;; esac; exit 4\n");
    std::filesystem::permissions(folder_ + "/printer", std::filesystem::perms::owner_all);
    const auto with = [&](const std::string& exec) {
        std::string text = kConfig;
        return write("exec", text.replace(text.find("token: secret"), 13, "exec: " + exec));
    };
    std::string error;
    auto access = read_kubeconfig(with("{apiVersion: client.authentication.k8s.io/v1, command: ./printer, args: [a], "
                                       "env: [{name: WORD, value: b}]}"),
                                  "", error);
    ASSERT_TRUE(access && access->exec) << error;
    ASSERT_TRUE(take_credential(*access, error)) << error;
    EXPECT_EQ(access->token, "a-b");
    EXPECT_EQ(access->expires_s, 2'000'000'000);

    access = read_kubeconfig(with("{apiVersion: x, command: ./printer}"), "", error);
    ASSERT_TRUE(access);
    EXPECT_FALSE(take_credential(*access, error));
    EXPECT_THAT(error, HasSubstr("printer: ended with status 4"));
    access = read_kubeconfig(with("{apiVersion: x, command: ./none}"), "", error);
    ASSERT_TRUE(access);
    EXPECT_FALSE(take_credential(*access, error));
    EXPECT_FALSE(run_exec_user({"x", "sleep", {"60"}, {}}, std::chrono::milliseconds(50), error));
    EXPECT_THAT(error, HasSubstr("sleep: printed no credential in time"));
    EXPECT_FALSE(read_kubeconfig(with("{command: x, provideClusterInfo: true}"), "", error));
    EXPECT_THAT(error, HasSubstr("provideClusterInfo"));
    EXPECT_FALSE(read_kubeconfig(with("{command: x, interactiveMode: Always}"), "", error));
    EXPECT_THAT(error, HasSubstr("terminal"));
}

TEST_F(Access, a_pod_has_its_service_account) {
    write("token", "abc\n");
    write("ca.crt", "authority");
    std::string error;
    unsetenv("KUBERNETES_SERVICE_HOST");
    EXPECT_FALSE(in_cluster(folder_, error));
    setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
    setenv("KUBERNETES_SERVICE_PORT", "443", 1);
    const auto access = in_cluster(folder_, error);
    ASSERT_TRUE(access) << error;
    EXPECT_EQ(access->server, "https://[fd00::1]:443");
    EXPECT_EQ(access->token_file, folder_ + "/token");
    EXPECT_EQ(access->authority, "authority");
}

TEST(Base64, bytes_and_what_is_none) {
    EXPECT_EQ(from_base64(""), "");
    EXPECT_EQ(from_base64("YQ=="), "a");
    EXPECT_EQ(from_base64("YWI=\n"), "ab");
    EXPECT_EQ(from_base64("YWJj\nZGVm"), "abcdef");
    EXPECT_FALSE(from_base64("YWJ"));
    EXPECT_FALSE(from_base64("Y*Jj"));
}

TEST(Backoff, doubles_with_jitter_up_to_its_longest) {
    Random random(1);
    Backoff backoff(std::chrono::milliseconds(100), std::chrono::milliseconds(1'000));
    std::int64_t whole = 100;
    for (int i = 0; i < 40; ++i) {
        const auto wait = backoff.next(random).count();
        EXPECT_GE(wait, whole / 2);
        EXPECT_LE(wait, whole);
        whole = std::min<std::int64_t>(1'000, whole * 2);
    }
    backoff.reset();
    EXPECT_LE(backoff.next(random).count(), 100);
}

}  // namespace
}  // namespace bayplan::kube_shim
