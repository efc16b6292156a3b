// See plugin_process.h.
#include "cli/plugin_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "cli/interrupt.h"
#include "cli/plugin_lines.h"

namespace bayplan::cli {

namespace {

using std::chrono::steady_clock;

constexpr std::size_t kReadAtOnce = 1 << 16;
// Of one answer: a program that never ends its line does not fill the memory.
constexpr std::size_t kLineMax = 16 << 20;
constexpr int kLookAtInterruptMs = 100;
constexpr auto kToEnd = std::chrono::seconds(1);

// A pipe without a reader is an error code meanwhile, not the end of this process.
class WithoutPipeSignal {
public:
    WithoutPipeSignal() {
        struct sigaction ignore {};
        ignore.sa_handler = SIG_IGN;
        sigaction(SIGPIPE, &ignore, &before_);
    }
    ~WithoutPipeSignal() { sigaction(SIGPIPE, &before_, nullptr); }
    WithoutPipeSignal(const WithoutPipeSignal&) = delete;
    WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;

private:
    struct sigaction before_ {};
};

struct Pipe {
    int read = -1;
    int write = -1;
};

Pipe open_pipe() {
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC) != 0) {
        throw sim::PluginFault(std::string("no pipe: ") + std::strerror(errno));
    }
    return {ends[0], ends[1]};
}

void make_nonblocking(int end) { fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK); }

std::string how_it_ended(int status) {
    return WIFEXITED(status) ? fmt::format("ended with status {}", WEXITSTATUS(status))
                             : fmt::format("was ended by signal {}", WTERMSIG(status));
}

// False: it runs still.
bool ends_within(pid_t process, steady_clock::duration time, int& status) {
    const auto end = steady_clock::now() + time;
    while (waitpid(process, &status, WNOHANG) != process) {
        if (steady_clock::now() > end) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

}  // namespace

PluginProcess::PluginProcess(std::string command, std::int64_t timeout_ns)
    : command_(std::move(command)), timeout_ns_(timeout_ns) {}

PluginProcess::~PluginProcess() {
    if (to_ >= 0) close(to_);
    if (from_ >= 0) close(from_);
    int status = 0;
    if (process_ > 0 && !ends_within(process_, kToEnd, status)) {
        kill(-process_, SIGKILL);
        waitpid(process_, nullptr, 0);
    }
}

// In a process group of its own, so that everything that the shell started ends with it.
void PluginProcess::start() {
    const Pipe input = open_pipe();
    const Pipe output = open_pipe();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input.read, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output.write, STDOUT_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    std::string command = command_;
    std::string words[] = {"sh", "-c"};
    char* const arguments[] = {words[0].data(), words[1].data(), command.data(), nullptr};
    const int error = posix_spawn(&process_, "/bin/sh", &actions, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(input.read);
    close(output.write);
    to_ = input.write;
    from_ = output.read;
    if (error != 0) {
        process_ = -1;
        throw sim::PluginFault(std::string("/bin/sh cannot be run: ") + std::strerror(error));
    }
    make_nonblocking(to_);
    make_nonblocking(from_);
}

std::vector<sim::PluginReply> PluginProcess::answer(const std::vector<sim::PluginQuestion>& questions) {
    const WithoutPipeSignal without_signal;
    if (from_ < 0) {
        start();
    }
    questions_ = &questions;
    replies_.assign(questions.size(), {});
    questions_text_.erase(0, std::exchange(written_, 0));
    for (std::size_t i = 0; i < questions.size(); ++i) {
        open_.emplace(++last_number_, i);
        questions_text_ += line_of(questions[i], last_number_);
    }
    exchange();
    return std::move(replies_);
}

// Until all is answered.
void PluginProcess::exchange() {
    auto moved = steady_clock::now();
    while (!open_.empty()) {
        pollfd ends[2] = {{from_, POLLIN, 0}, {to_, POLLOUT, 0}};
        const int ready = poll(ends, written_ == questions_text_.size() ? 1 : 2, kLookAtInterruptMs);
        if (Interrupt::came()) {
            throw sim::PluginFault("was interrupted with " + open_queries());
        }
        if (ready > 0) {
            moved = steady_clock::now();
        } else if (steady_clock::now() - moved > std::chrono::nanoseconds(timeout_ns_)) {
            throw sim::PluginFault(fmt::format("said nothing for {:g} s with {}",
                                               static_cast<double>(timeout_ns_) * 1e-9, open_queries()));
        }
        if ((ends[1].revents & (POLLOUT | POLLERR)) != 0) {
            write_some();
        }
        if ((ends[0].revents & (POLLIN | POLLHUP)) != 0) {
            read_some();
        }
    }
}

// If its reader is gone, so is the writer of its output: that tells how.
void PluginProcess::write_some() {
    const ssize_t written = write(to_, questions_text_.data() + written_, questions_text_.size() - written_);
    if (written > 0) {
        written_ += static_cast<std::size_t>(written);
    } else if (errno == EPIPE) {
        written_ = questions_text_.size();
    }
}

void PluginProcess::read_some() {
    const std::size_t before = unread_.size();
    unread_.resize(before + kReadAtOnce);
    const ssize_t got = read(from_, unread_.data() + before, kReadAtOnce);
    unread_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) {
        ended();
    }
    std::size_t begin = 0;
    for (std::size_t end = unread_.find('\n', before); end != std::string::npos; end = unread_.find('\n', begin)) {
        take_line(std::string_view(unread_).substr(begin, end - begin));
        begin = end + 1;
    }
    unread_.erase(0, begin);
    if (unread_.size() > kLineMax) {
        throw sim::PluginFault(fmt::format("line {} of its output has more than {} bytes", lines_ + 1, kLineMax));
    }
}

void PluginProcess::take_line(std::string_view line) {
    ++lines_;
    try {
        NumberedReply read = reply_in(line, [this](std::uint64_t number) {
            const auto found = open_.find(number);
            return found == open_.end() ? nullptr : &(*questions_)[found->second];
        });
        const auto found = open_.find(read.number);
        replies_[found->second] = std::move(read.reply);
        open_.erase(found);
    } catch (const sim::PluginFault& fault) {
        throw sim::PluginFault(fmt::format("line {} of its output: {}", lines_, fault.what()));
    }
}

std::string PluginProcess::open_queries() const {
    const bool one = open_.size() == 1;
    return fmt::format("{} open {} ({} {} about pod {})", open_.size(), one ? "query" : "queries",
                       one ? "query" : "the first is query", open_.begin()->first,
                       (*questions_)[open_.begin()->second].pod);
}

void PluginProcess::ended() {
    int status = 0;
    std::string how = "closed its output";
    if (ends_within(process_, kToEnd, status)) {
        process_ = -1;
        how = how_it_ended(status);
    }
    throw sim::PluginFault(fmt::format("{} with {}", how, open_queries()));
}

}  // namespace bayplan::cli
