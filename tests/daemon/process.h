// baypland as a child process with a configuration of its own.
//
// Thread: the test's. Owner: the test; the child is stopped with this object.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace bayplan::testing {

class Process {
public:
    // Starts BAYPLAN_BAYPLAND with the configuration written to a file of a fresh folder, plus
    // `--status`. Standard error goes to a file there.
    explicit Process(const std::string& configuration, const std::vector<std::string>& arguments = {});
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    // Waits for a text in the log; false after a generous while or when the process ends before.
    bool wait_for_log(const std::string& part) const;
    std::string log() const;
    void signal(int) const;
    int wait_for_exit();  // exit status; 128 + signal if killed by one
    // From the log line of the open port.
    std::uint16_t udp_port() const;
    // Name of each thread to its Cpus_allowed_list; the first thread is called main here.
    std::multimap<std::string, std::string> affinities() const;
    std::string file(const std::string& name) const { return (folder_ / name).string(); }
    pid_t pid() const { return pid_; }

private:
    std::filesystem::path folder_;
    pid_t pid_ = -1;
};

// Runs it to its end; the exit status, and what it wrote to both outputs.
int run_to_end(const std::vector<std::string>& arguments, std::string& output);

std::string read_file(const std::filesystem::path&);

}  // namespace bayplan::testing
