// A host in a directory: files of /proc and /sys in the formats of the kernel, for code that is given a root.
//
// Thread: the test's. Owns the directory.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace bayplan::testing {

class HostRoot {
public:
    HostRoot();
    ~HostRoot();
    HostRoot(const HostRoot&) = delete;
    HostRoot& operator=(const HostRoot&) = delete;

    // Makes the folders on the way; a line feed is added, as the kernel does.
    void write(const std::string& path, std::string_view text) const;
    std::string read(const std::string& path) const;  // without the line feed
    void remove(const std::string& path) const;
    // A directory in its place: neither readable nor writable as a file, even for root.
    void block(const std::string& path) const;
    void link(const std::string& path, const std::string& target) const;

    // CPU numbers as Linux gives them: first the first threads of all cores, socket by socket, then the second ones.
    struct Shape {
        std::size_t sockets = 1;
        std::size_t cores = 1;  // of a socket
        std::size_t threads = 1;
        std::size_t mib_of_socket = 16'384;
        bool virtual_machine = false;
        std::string governor;  // "": no cpufreq
    };
    void add_cpus(const Shape&) const;
    void add_memory(std::size_t mib, std::size_t swap_mib) const;
    void add_hugepages(const std::string& folder, std::size_t kib, std::size_t total, std::size_t free) const;
    void add_irq(int number, const std::string& device, const std::string& cpus) const;
    void add_nic(const std::string& name, const std::string& address, int numa, const std::string& driver) const;

    std::string path() const { return root_.string(); }
    std::string file(const std::string& path) const { return root_.string() + path; }

private:
    std::filesystem::path root_;
};

// Two sockets of four cores of two threads, nothing tuned: interrupts everywhere, swap, powersave, hpet.
void make_server(const HostRoot&);
// Eight CPUs of a virtual machine without cpufreq, tuned in all that its command line can say.
void make_vm(const HostRoot&);
// In a container on a large host: two CPUs allowed and by quota, 1 GiB, no interrupts to be seen.
void make_container(const HostRoot&);

}  // namespace bayplan::testing
