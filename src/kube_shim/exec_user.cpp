// See exec_user.h. Source of the fields: Kubernetes 1.35, client.authentication.k8s.io/v1.
#include "kube_shim/exec_user.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "kube/document_reader.h"
#include "kube/reader.h"

namespace bayplan::kube_shim {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kOutputMax = 1 << 20;
constexpr std::string_view kExecInfo = "KUBERNETES_EXEC_INFO";

std::vector<std::string> environment_of(const ExecUser& user) {
    std::vector<std::string> made;
    for (char** at = environ; *at != nullptr; ++at) {
        const std::string_view entry(*at);
        const std::string_view name = entry.substr(0, entry.find('='));
        const bool replaced = std::ranges::any_of(user.environment, [&](const auto& one) { return one.first == name; });
        if (!replaced && name != kExecInfo) {
            made.emplace_back(entry);
        }
    }
    for (const auto& [name, value] : user.environment) {
        made.push_back(name + "=" + value);
    }
    made.push_back(fmt::format(R"({}={{"kind":"ExecCredential","apiVersion":"{}","spec":{{"interactive":false}}}})",
                               kExecInfo, user.api_version));
    return made;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> made;
    for (std::string& text : texts) {
        made.push_back(text.data());
    }
    made.push_back(nullptr);
    return made;
}

// 0: it could not be started, and `error` says why.
pid_t start(const ExecUser& user, int output, std::string& error) {
    std::vector<std::string> words = {user.command};
    words.insert(words.end(), user.arguments.begin(), user.arguments.end());
    std::vector<std::string> environment = environment_of(user);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    pid_t child = 0;
    const int failed = posix_spawnp(&child, user.command.c_str(), &actions, nullptr, pointers(words).data(),
                                    pointers(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
        error = std::strerror(failed);
        return 0;
    }
    return child;
}

// Until it ends its output or the time is over.
bool read_output(int from, SteadyClock::time_point deadline, std::string& text) {
    char bytes[4096];
    while (text.size() < kOutputMax) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - SteadyClock::now());
        pollfd waits{from, POLLIN, 0};
        if (left.count() <= 0 || poll(&waits, 1, static_cast<int>(left.count())) <= 0) {
            return false;
        }
        const ssize_t count = read(from, bytes, sizeof bytes);
        if (count <= 0) {
            return count == 0;
        }
        text.append(bytes, static_cast<std::size_t>(count));
    }
    return false;
}

std::optional<Credential> read_credential(std::string text, std::string& error) {
    text.reserve(text.size() + kube::kTextPadding);
    std::optional<Credential> made;
    std::vector<kube::ObjectFault> faults;
    kube::read_objects(
        text, "its output",
        [&](const kube::ReadObject& object) {
            const kube::Value& status = object.value["status"];
            const std::string_view expires = status["expirationTimestamp"].text();
            made = Credential{std::string(status["token"].text()), std::string(status["clientCertificateData"].text()),
                              std::string(status["clientKeyData"].text()), kube::parse_time(expires).value_or(0)};
        },
        faults);
    if (!made || (made->token.empty() && made->certificate.empty())) {
        error = faults.empty() ? "its output has no credential" : faults.front().to_string();
        return std::nullopt;
    }
    return made;
}

}  // namespace

std::optional<ExecUser> read_exec_user(const kube::Value& exec, const std::string& folder, std::string& error) {
    ExecUser user;
    user.api_version = exec["apiVersion"].text();
    user.command = exec["command"].text();
    if (user.command.empty()) {
        error = "names no command of its user by exec";
        return std::nullopt;
    }
    if (exec["provideClusterInfo"].text() == "true") {
        error = "wants provideClusterInfo for its user by exec, which bayplan-kube does not know";
        return std::nullopt;
    }
    if (exec["interactiveMode"].text() == "Always") {
        error = "has a user by exec who must be asked at a terminal";
        return std::nullopt;
    }
    const std::filesystem::path path(user.command);
    if (path.is_relative() && user.command.find('/') != std::string::npos) {
        user.command = (std::filesystem::path(folder) / path).string();
    }
    for (const kube::Value& one : exec["args"].items()) {
        user.arguments.emplace_back(one.text());
    }
    for (const kube::Value& one : exec["env"].items()) {
        user.environment.emplace_back(one["name"].text(), one["value"].text());
    }
    return user;
}

std::optional<Credential> run_exec_user(const ExecUser& user, std::chrono::milliseconds time, std::string& error) {
    const SteadyClock::time_point deadline = SteadyClock::now() + time;
    int ends[2] = {};
    if (pipe2(ends, O_CLOEXEC) != 0) {
        error = fmt::format("{}: {}", user.command, std::strerror(errno));
        return std::nullopt;
    }
    const pid_t child = start(user, ends[1], error);
    close(ends[1]);
    std::string text;
    const bool whole = child != 0 && read_output(ends[0], deadline, text);
    close(ends[0]);
    if (child == 0) {
        error = fmt::format("{}: {}", user.command, error);
        return std::nullopt;
    }
    if (!whole) {
        kill(child, SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!whole || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        error = fmt::format("{}: {}", user.command,
                            whole ? fmt::format("ended with status {}", WIFEXITED(status) ? WEXITSTATUS(status) : -1)
                                  : std::string("printed no credential in time"));
        return std::nullopt;
    }
    std::optional<Credential> made = read_credential(std::move(text), error);
    if (!made) {
        error = fmt::format("{}: {}", user.command, error);
    }
    return made;
}

}  // namespace bayplan::kube_shim
