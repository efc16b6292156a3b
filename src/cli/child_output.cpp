// See child_output.h.
#include "cli/child_output.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace bayplan::cli {

ChildOutput::ChildOutput(const std::vector<std::string>& command, std::string& fault) {
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC) != 0) {
        fault = std::string("no pipe: ") + std::strerror(errno);
        return;
    }
    std::vector<char*> arguments;
    for (const std::string& one : command) arguments.push_back(const_cast<char*>(one.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    const int error = posix_spawnp(&process_, arguments.front(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    output_ = ends[0];
    if (error != 0) {
        process_ = -1;
        fault = command.front() + " cannot be run: " + std::strerror(error);
    }
}

ChildOutput::~ChildOutput() {
    if (output_ >= 0) close(output_);
    if (process_ > 0) waitpid(process_, nullptr, 0);
}

std::size_t ChildOutput::read(char* to, std::size_t size, std::string& why) {
    ssize_t got = -1;
    do {
        got = ::read(output_, to, size);
    } while (got < 0 && errno == EINTR);
    if (got < 0) why = std::strerror(errno);
    read_ += got > 0 ? static_cast<std::uint64_t>(got) : 0;
    return got > 0 ? static_cast<std::size_t>(got) : 0;
}

int ChildOutput::status() {
    int status = 0;
    if (process_ > 0) waitpid(process_, &status, 0);
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace bayplan::cli
