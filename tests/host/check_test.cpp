// Findings of `bayplan check` on hosts of several kinds.
#include <unistd.h>

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include "cli/check_command.h"
#include "host_root.h"

namespace bayplan {
namespace {

using ::testing::HasSubstr;
using testing::HostRoot;

struct Row {
    std::string severity;
    std::string current;
    std::string required;
    std::string why;
};

class Check {
public:
    Check(const HostRoot& root, std::string_view profile) {
        root.write("/profile.yaml", profile);
        cli::CheckArguments arguments;
        arguments.profile = root.file("/profile.yaml");
        arguments.root = root.path();
        arguments.output = "json";
        status = cli::check_host_against(arguments, out, error);
        if (status != 2) rows_ = boost::json::parse(out).at("findings").as_array();
        arguments.output = "table";
        std::string ignored;
        EXPECT_EQ(cli::check_host_against(arguments, table, ignored), status);
    }

    // The one row of this name.
    Row row(std::string_view name) const {
        Row result;
        int count = 0;
        for (const auto& one : rows_) {
            if (one.at("check").as_string() != name) continue;
            ++count;
            const auto text = [&](const char* field) { return std::string(one.at(field).as_string()); };
            result = {text("severity"), text("current"), text("required"), text("why")};
        }
        EXPECT_EQ(count, 1) << name << " in\n" << table;
        return result;
    }
    bool has(std::string_view name) const {
        return std::ranges::any_of(rows_, [&](const auto& one) { return one.at("check").as_string() == name; });
    }
    // Severities of all rows that are not ok, sorted and joined.
    std::string bad() const {
        std::vector<std::string> all;
        for (const auto& one : rows_) {
            if (one.at("severity").as_string() != "ok") {
                all.push_back(std::string(one.at("severity").as_string()) + " " +
                              std::string(one.at("check").as_string()));
            }
        }
        std::ranges::sort(all);
        std::string text;
        for (const std::string& one : all) text += (text.empty() ? "" : "; ") + one;
        return text;
    }

    int status = 0;
    std::string out;
    std::string error;
    std::string table;

private:
    boost::json::array rows_;
};

// For the second socket of the server: CPUs 4-7, the other threads of their cores are 12-15.
constexpr char kDedicated[] =
    "data_plane: 4\nengine: 5\nworkers: [6, 7]\nvictim_workers: [6, 7]\nhousekeeping: 0-3\n"
    "host: {isolated: '4-7,12-15', memory: 8Gi, hugepages: 512Mi, governor: performance, clocksource: tsc,\n"
    "       transparent_hugepages: madvise, swap: off, nics: [eth0]}\n";

TEST(CheckHost, finds_all_that_is_not_tuned_on_a_server) {
    const HostRoot root;
    testing::make_server(root);
    const Check check(root, kDedicated);
    EXPECT_EQ(check.status, 1) << check.table;  // hugepages
    EXPECT_EQ(check.bad(),
              "error hugepages of 2Mi; note driver of eth0; warning NUMA balancing; warning clocksource; "
              "warning governor; warning interrupts; warning isolated CPUs; warning kernel work; "
              "warning nohz_full; warning swap; warning transparent hugepages")
        << check.table;
    EXPECT_THAT(check.row("hugepages of 2Mi").current, HasSubstr("on NUMA domain 1"));
    EXPECT_EQ(check.row("interrupts").current, "3 may come there: 0 timer, 41 eth0-rx-0, 42 eth0-rx-1");
    EXPECT_EQ(check.row("governor").current, "powersave (4-7)");
    EXPECT_EQ(check.row("transparent hugepages").current, "always");
    EXPECT_EQ(check.row("NUMA of eth0").severity, "ok");
    EXPECT_EQ(check.row("CPUs online").current, "0-15");
    EXPECT_THAT(check.row("isolated CPUs").why, HasSubstr("isolcpus=4-7,12-15"));
    EXPECT_THAT(check.table, HasSubstr("1 errors, 9 warnings, 0 could not be read, 1 notes"));
}

TEST(CheckHost, is_satisfied_by_a_server_that_was_tuned) {
    const HostRoot root;
    testing::make_server(root);
    root.write("/sys/devices/system/cpu/isolated", "4-7,12-15");
    root.write("/sys/devices/system/cpu/nohz_full", "4-7,12-15");
    root.write("/sys/devices/virtual/workqueue/cpumask", "0f0f");
    for (int cpu = 0; cpu < 16; ++cpu) {
        root.write("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_governor", "performance");
    }
    for (const char* irq : {"0", "41", "42"}) root.write(std::string("/proc/irq/") + irq + "/smp_affinity_list", "0-3");
    root.write("/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages", "256");
    root.write("/sys/devices/system/node/node1/hugepages/hugepages-2048kB/free_hugepages", "256");
    root.write("/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]");
    root.write("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc");
    root.write("/proc/sys/kernel/numa_balancing", "0");
    root.add_memory(65'000, 0);
    const Check check(root, kDedicated);
    EXPECT_EQ(check.bad(), "note driver of eth0") << check.table;
    EXPECT_EQ(check.status, 0);
}

TEST(CheckHost, asks_nothing_of_a_server_that_is_shared) {
    const HostRoot root;
    testing::make_server(root);
    const Check check(root, "{}\n");
    EXPECT_EQ(check.bad(), "") << check.table;
    EXPECT_EQ(check.status, 0);
}

TEST(CheckHost, sees_what_lies_on_the_wrong_numa_domain) {
    const HostRoot root;
    testing::make_server(root);
    const Check check(
        root, "data_plane: 0\nengine: 1\nworkers: [2, 4]\nhost: {nics: [eth0, '0000:03:00.0'], memory: 40Gi}\n");
    EXPECT_EQ(check.row("NUMA of eth0").severity, "warning");
    EXPECT_EQ(check.row("NUMA of eth0").current, "1");
    EXPECT_EQ(check.row("NUMA of 0000:03:00.0").severity, "ok");
    EXPECT_EQ(check.row("driver of 0000:03:00.0").severity, "ok");
    EXPECT_EQ(check.row("NUMA of workers").severity, "warning");
    EXPECT_EQ(check.row("NUMA of workers").current, "0, 1");
    // 40 GiB are there, but not beside the engine.
    EXPECT_EQ(check.row("memory").severity, "ok");
    EXPECT_EQ(check.row("memory of the engines' domains").severity, "warning");
    EXPECT_EQ(check.status, 1);
}

TEST(CheckHost, sees_threads_that_share_a_core_or_a_cpu) {
    const HostRoot root;
    testing::make_server(root);
    const Check check(root, "data_plane: 4\nengine: 12\nworkers: 5-6\nhousekeeping: 12\nhost: {isolated: 4-6}\n");
    EXPECT_EQ(check.row("hardware threads").severity, "warning");
    EXPECT_EQ(check.row("hardware threads").current, "work may run beside them on 12-14");
    EXPECT_EQ(check.row("entries of workers").current, "5-6");
    EXPECT_THAT(check.row("roles apart").current, HasSubstr("engine and housekeeping share CPUs 12"));
}

TEST(CheckHost, says_what_is_missing_altogether) {
    const HostRoot root;
    testing::make_server(root);
    const Check check(root, "engine: 40\nhost: {nics: eth7, hugepages: 1Gi, hugepage_size: 1Gi, memory: 100Gi}\n");
    EXPECT_EQ(check.row("CPUs online").severity, "error");
    EXPECT_EQ(check.row("CPUs online").required, "40");
    EXPECT_EQ(check.row("NIC eth7").severity, "error");
    EXPECT_EQ(check.row("hugepages of 1Gi").severity, "error");
    EXPECT_EQ(check.row("memory").severity, "error");
    EXPECT_EQ(check.status, 1);
}

TEST(CheckHost, knows_that_a_virtual_machine_has_no_governor_and_reads_the_command_line) {
    const HostRoot root;
    testing::make_vm(root);
    const Check check(root,
                      "data_plane: 1\nengine: 2\nworkers: [3, 4, 5]\nvictim_workers: [6, 7]\nhousekeeping: 0\n"
                      "host: {isolated: 1-7, memory: 16Gi, hugepages: 1Gi, governor: performance, clocksource: tsc,\n"
                      "       transparent_hugepages: madvise, swap: off}\n");
    EXPECT_EQ(check.bad(), "note governor") << check.table;
    EXPECT_EQ(check.row("governor").why, "a virtual machine: its host decides");
    EXPECT_EQ(check.row("nohz_full").current, "1-7");
    EXPECT_EQ(check.status, 0);
    EXPECT_FALSE(check.has("NUMA of workers"));
}

TEST(CheckHost, tells_in_a_container_what_the_container_leaves_and_what_it_hides) {
    const HostRoot root;
    testing::make_container(root);
    const Check check(
        root,
        "data_plane: 0\nengine: 1\nworkers: 2\nhost: {isolated: 0-1, memory: 4Gi, transparent_hugepages: never}\n");
    EXPECT_EQ(check.row("CPUs online").severity, "ok");
    EXPECT_EQ(check.row("CPUs allowed").severity, "error");
    EXPECT_EQ(check.row("CPUs allowed").current, "0-1");
    EXPECT_EQ(check.row("CPU quota").severity, "warning");
    EXPECT_EQ(check.row("CPU quota").current, "2.00 CPUs");
    EXPECT_EQ(check.row("memory").severity, "error");
    EXPECT_EQ(check.row("memory").current, "1Gi by a control group");
    EXPECT_EQ(check.row("interrupts").severity, "unknown");
    EXPECT_EQ(check.row("transparent hugepages").severity, "unknown");
    EXPECT_THAT(check.row("transparent hugepages").current, HasSubstr("/sys/kernel/mm/transparent_hugepage/enabled: "));
    const Check less(root, "engine: 1\nhost: {transparent_hugepages: never}\n");
    EXPECT_EQ(less.status, 1);  // only what could not be read
    const Check least(root, "engine: 1\n");
    EXPECT_EQ(least.status, 0) << least.table;
}

TEST(CheckHost, reads_control_groups_of_version_1_and_isolated_partitions) {
    const HostRoot root;
    testing::make_container(root);
    root.write("/proc/self/cgroup", "4:cpu,cpuacct:/pod2\n3:memory:/pod2\n0::/part");
    root.write("/sys/fs/cgroup/cpu/pod2/cpu.cfs_quota_us", "50000");
    root.write("/sys/fs/cgroup/cpu/pod2/cpu.cfs_period_us", "100000");
    root.write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1");
    root.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
    root.write("/sys/fs/cgroup/part/cpuset.cpus.partition", "isolated");
    root.write("/sys/fs/cgroup/part/cpuset.cpus.effective", "1");
    const Check check(root, "engine: 1\nhost: {isolated: 1, memory: 4Gi}\n");
    EXPECT_EQ(check.row("CPU quota").current, "0.50 CPUs");
    EXPECT_EQ(check.row("memory").severity, "ok");
    EXPECT_EQ(check.row("isolated CPUs").severity, "ok");
}

TEST(CheckHost, wrong_input_is_a_status_of_its_own) {
    const HostRoot root;
    const Check empty(root, "{}\n");
    EXPECT_EQ(empty.status, 2);
    EXPECT_THAT(empty.error, HasSubstr("has neither proc nor sys"));
    testing::make_vm(root);
    const Check broken(root, "engine: 1\nhost:\n  swap: maybe\n");
    EXPECT_EQ(broken.status, 2);
    EXPECT_THAT(broken.error, HasSubstr("profile.yaml:3:9: 'host.swap' is 'maybe'"));
    EXPECT_EQ(Check(root, "{}\n").status, 0);
}

TEST(CheckHost, works_on_the_machine_it_runs_on) {
    const HostRoot folder;
    folder.write("/profile.yaml", "engine: 0\nhost: {isolated: 0, memory: 1Mi}\n");
    cli::CheckArguments arguments;
    arguments.profile = folder.file("/profile.yaml");
    std::string out;
    std::string error;
    const int status = cli::check_host_against(arguments, out, error);
    EXPECT_TRUE(status == 0 || status == 1 || status == 4) << out << error;
    EXPECT_THAT(out, HasSubstr("CPUs allowed"));
    // The CPUs that the kernel counts for this process.
    const auto cpus = sysconf(_SC_NPROCESSORS_ONLN);
    EXPECT_THAT(out, HasSubstr(cpus == 1 ? " 0 " : "-" + std::to_string(cpus - 1)));
}

}  // namespace
}  // namespace bayplan
