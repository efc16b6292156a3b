// A program that answers for a plugin of a simulation, by lines over its standard input and output (plugin_lines.h). A shell
// runs it; its standard error is ours.
//
// Questions are written and answers read as the program takes and gives them: it may answer in any order, or read all first.
//
// Thread: main. Owns the process, which ends with its standard input, or is killed a second later. Errors: PluginFault.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/plugin_server.h"

namespace bayplan::cli {

class PluginProcess final : public sim::PluginServer {
public:
    // `timeout_ns`: how long it may be silent while questions are open.
    PluginProcess(std::string command, std::int64_t timeout_ns);
    ~PluginProcess() override;
    PluginProcess(const PluginProcess&) = delete;
    PluginProcess& operator=(const PluginProcess&) = delete;

    // Starts the program with the first questions.
    std::vector<sim::PluginReply> answer(const std::vector<sim::PluginQuestion>&) override;

private:
    void start();
    void exchange();
    void write_some();
    void read_some();
    void take_line(std::string_view);
    [[noreturn]] void ended();
    std::string open_queries() const;

    const std::string command_;
    const std::int64_t timeout_ns_;
    pid_t process_ = -1;
    int to_ = -1;
    int from_ = -1;
    std::string questions_text_;     // of the call under way, and the end of the last one, if the program left it
    std::size_t written_ = 0;        // bytes of it
    std::string unread_;             // the beginning of a line
    std::uint64_t lines_ = 0;        // that were read
    std::uint64_t last_number_ = 0;  // of a question
    const std::vector<sim::PluginQuestion>* questions_ = nullptr;  // of the call under way
    std::map<std::uint64_t, std::size_t> open_;                    // their indices, by number
    std::vector<sim::PluginReply> replies_;
};

}  // namespace bayplan::cli
