// The admin socket: requests and answers, clients that are slow or silent, who may ask.
#include <grp.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/admin_socket.h"

namespace bayplan::daemon {
namespace {

// A client of the socket: what it is told, as the socket is served meanwhile.
class AdminClient {
public:
    explicit AdminClient(const std::string& path) : file_(socket(AF_UNIX, SOCK_STREAM, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        connected = connect(file_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    }
    ~AdminClient() { close(file_); }
    void say(std::string_view text) const {
        EXPECT_EQ(send(file_, text.data(), text.size(), MSG_NOSIGNAL), std::ssize(text));
    }
    std::string hear(AdminSocket& server) const {
        std::string heard;
        char bytes[4'096];
        for (ssize_t count = 1; count != 0;) {
            server.serve();
            count = recv(file_, bytes, sizeof bytes, MSG_DONTWAIT);
            if (count > 0) heard.append(bytes, static_cast<std::size_t>(count));
            if (count < 0 && errno != EAGAIN) break;
        }
        return heard;
    }
    bool connected = false;

private:
    const int file_;
};

class AdminSocketTest : public ::testing::Test {
protected:
    AdminSocketTest() {
        std::string pattern = (std::filesystem::temp_directory_path() / "bayplan-admin-XXXXXX").string();
        folder_ = mkdtemp(pattern.data());
    }
    ~AdminSocketTest() override { std::filesystem::remove_all(folder_); }
    std::string path() const { return folder_ / "admin.sock"; }

    std::filesystem::path folder_;
    std::vector<std::string> asked_;
    std::vector<uid_t> denied_;
    AdminSocket::Handler handler_ = [this](const AdminSocket::Words& words, const AdminPeer& peer) {
        EXPECT_EQ(peer.pid, getpid());
        asked_ = words;
        return AdminAnswer{words.front() != "fail", std::string(words.size() == 2 ? 3'000'000 : 3, 'x')};
    };
    std::function<void(const AdminPeer&)> denied_to_ = [this](const AdminPeer& peer) { denied_.push_back(peer.uid); };
};

TEST_F(AdminSocketTest, one_request_one_answer_however_they_are_cut) {
    AdminSocket socket(handler_, denied_to_);
    std::string error;
    ASSERT_TRUE(socket.open(path(), "", error)) << error;
    struct stat status {};
    ASSERT_EQ(stat(path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0660u);
    const AdminClient slow(path());
    const AdminClient large(path());
    const AdminClient failing(path());
    slow.say("forget\tdef");
    socket.serve();
    large.say("large\tanswer\n");
    EXPECT_EQ(large.hear(socket), "ok\n" + std::string(3'000'000, 'x'));
    failing.say("fail\n");
    EXPECT_EQ(failing.hear(socket), "failed\nxxx");
    slow.say("ault\tshim a\n");
    EXPECT_EQ(slow.hear(socket), "ok\nxxx");
    EXPECT_EQ(asked_, (AdminSocket::Words{"forget", "default", "shim a"}));
    const AdminClient endless(path());
    endless.say(std::string(2 * AdminSocket::kRequestBytesMax, 'y'));
    EXPECT_EQ(endless.hear(socket).substr(0, 33), "failed\nthe request is too long");
    EXPECT_TRUE(denied_.empty());
}

TEST_F(AdminSocketTest, more_clients_than_it_takes_wait_and_silent_ones_go) {
    AdminSocket socket(handler_, denied_to_);
    std::string error;
    ASSERT_TRUE(socket.open(path(), "", error)) << error;
    std::vector<std::unique_ptr<AdminClient>> silent;
    for (std::size_t i = 0; i < AdminSocket::kClientsMax; ++i) silent.push_back(std::make_unique<AdminClient>(path()));
    socket.serve();
    EXPECT_EQ(socket.waits_for().size(), AdminSocket::kClientsMax) << "and for no further one";
    EXPECT_LE(socket.deadline(), AdminSocket::Clock::now() + AdminSocket::kWithin);
    const AdminClient waits(path());
    waits.say("status\n");
    silent.clear();
    EXPECT_EQ(waits.hear(socket), "ok\nxxx");
}

TEST_F(AdminSocketTest, a_socket_that_is_served_stays_and_one_that_was_left_goes) {
    std::string error;
    {
        AdminSocket first(handler_, denied_to_);
        ASSERT_TRUE(first.open(path(), "", error)) << error;
        AdminSocket second(handler_, denied_to_);
        EXPECT_FALSE(second.open(path(), "", error));
        EXPECT_NE(error.find("another daemon serves it"), std::string::npos) << error;
        std::filesystem::create_hard_link(path(), folder_ / "left");
    }
    EXPECT_FALSE(std::filesystem::exists(path())) << "it goes with its daemon";
    std::filesystem::rename(folder_ / "left", path());
    AdminSocket third(handler_, denied_to_);
    EXPECT_TRUE(third.open(path(), "", error)) << error;
    AdminSocket nobodys(handler_, denied_to_);
    EXPECT_FALSE(nobodys.open(path() + "2", "not-a-user", error));
    EXPECT_FALSE(nobodys.open("/" + std::string(200, 'x'), "", error));
}

// A stranger that gets at the file all the same is known by its user.
TEST_F(AdminSocketTest, strangers_are_told_so) {
    if (geteuid() != 0) GTEST_SKIP() << "this test needs root";
    AdminSocket socket(handler_, denied_to_);
    std::string error;
    ASSERT_TRUE(socket.open(path(), "", error)) << error;
    ASSERT_EQ(chmod(folder_.c_str(), 0755), 0);
    const passwd* const nobody = getpwnam("nobody");
    ASSERT_NE(nobody, nullptr);
    const auto connect_as_nobody = [&] {
        EXPECT_EQ(setresuid(0, nobody->pw_uid, 0), 0);
        auto client = std::make_unique<AdminClient>(path());
        EXPECT_EQ(setresuid(0, 0, 0), 0);
        return client;
    };
    // The process's group is that of the socket: nobody must not have it either.
    std::vector<gid_t> groups(64);
    groups.resize(static_cast<std::size_t>(getgroups(64, groups.data())));
    ASSERT_EQ(setgroups(0, nullptr), 0);
    ASSERT_EQ(setresgid(0, nobody->pw_gid, 0), 0);
    EXPECT_FALSE(connect_as_nobody()->connected) << "the file is not for him";
    ASSERT_EQ(chmod(path().c_str(), 0666), 0);
    const auto stranger = connect_as_nobody();
    ASSERT_EQ(setresgid(0, 0, 0), 0);
    ASSERT_EQ(setgroups(groups.size(), groups.data()), 0);
    ASSERT_TRUE(stranger->connected);
    stranger->say("status\n");
    EXPECT_EQ(stranger->hear(socket), "failed\nyou may not ask");
    EXPECT_EQ(denied_, (std::vector<uid_t>{nobody->pw_uid}));
    EXPECT_TRUE(asked_.empty());
}

}  // namespace
}  // namespace bayplan::daemon
