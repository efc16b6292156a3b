// See admin_command.h. The list of orders is the daemon's to say: `bayplan admin help` asks it.
#include "cli/admin_command.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#include <boost/json.hpp>

#include "cli/exit_status.h"
#include "cli/output_option.h"
#include "options/admin_orders.h"

namespace bayplan::cli {

namespace {

constexpr long kSilent_s = 30;  // an audit may take as long

struct AdminArguments {
    std::string socket = "/run/bayplan/admin.sock";
    std::vector<std::string> words;
    std::string output = "table";
};

struct Closed {
    int file;
    ~Closed() { close(file); }
};

// False: `error` says why there is no answer.
bool exchange(int daemon, const std::string& request, std::string& answer, std::string& error) {
    const timeval silent{kSilent_s, 0};
    setsockopt(daemon, SOL_SOCKET, SO_RCVTIMEO, &silent, sizeof silent);
    if (send(daemon, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size())) {
        error = std::strerror(errno);
        return false;
    }
    char bytes[65'536];
    ssize_t count = 0;
    while ((count = recv(daemon, bytes, sizeof bytes, 0)) > 0) {
        answer.append(bytes, static_cast<std::size_t>(count));
    }
    if (count < 0) {
        error = errno == EAGAIN ? "no answer in time" : std::strerror(errno);
    } else if (answer.empty()) {
        error = "the daemon ended the connection";
    }
    return error.empty();
}

// The answer of the daemon is JSON itself, or text.
std::string as_json(const std::string& order, const std::string& text) {
    boost::json::error_code none;
    boost::json::value answer = boost::json::parse(text, none);
    if (none) {
        answer = text.substr(0, text.find_last_not_of('\n') + 1);
    }
    return boost::json::serialize(boost::json::object{{"order", order}, {"answer", std::move(answer)}}) + "\n";
}

void show(const AdminArguments& arguments, const std::string& text) {
    const std::string& shown = arguments.output == "json" ? as_json(arguments.words.front(), text) : text;
    std::fwrite(shown.data(), 1, shown.size(), stdout);
}

int run(const AdminArguments& arguments) {
    std::string request;
    for (const std::string& word : arguments.words) {
        if (word.find_first_of("\t\n") != std::string::npos) {
            return fail("admin", "a word may have no tab and no line end", kExitInput);
        }
        request += (request.empty() ? "" : "\t") + word;
    }
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (arguments.socket.size() >= sizeof address.sun_path) {
        return fail("admin", "the path of the socket is too long", kExitInput);
    }
    std::memcpy(address.sun_path, arguments.socket.data(), arguments.socket.size());
    const Closed daemon{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (connect(daemon.file, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        if (request == kAdminOrders.front().name) {  // a daemon of another version may have others: it is asked first
            show(arguments, admin_orders_text());
            return 0;
        }
        return fail("admin", fmt::format("{}: {}", arguments.socket, std::strerror(errno)), kExitNoDaemon);
    }
    std::string answer;
    std::string error;
    if (!exchange(daemon.file, request + "\n", answer, error)) {
        return fail("admin", error, kExitNoDaemon);
    }
    const std::size_t end = answer.find('\n');
    const std::string text = end == std::string::npos ? std::string() : answer.substr(end + 1);
    if (answer.substr(0, end) != "ok") {
        return fail("admin", text, kExitUnwell);
    }
    show(arguments, text);
    return 0;
}

}  // namespace

void add_admin_command(CLI::App& app, int& exit_code) {
    CLI::App* const command = app.add_subcommand(
        "admin", "an order to the daemon of this host: status, counters, drain, forget-shim, ... (`admin help`)");
    const auto arguments = std::make_shared<AdminArguments>();
    command->add_option("--socket", arguments->socket, "its admin_socket")->type_name("FILE")->capture_default_str();
    command->add_option("order", arguments->words, "the order and its words")->type_name("WORD")->required();
    add_output_option(*command, arguments->output);
    command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace bayplan::cli
