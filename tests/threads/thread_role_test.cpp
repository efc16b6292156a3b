// CPU lists and roles, checked against what the kernel says of the thread.
#include <gtest/gtest.h>
#include <pthread.h>

#include <thread>

#include "threads/cpu_set.h"
#include "threads/host_cpus.h"
#include "threads/thread_role.h"

namespace bayplan::threads {
namespace {

CpuSet cpus(std::string_view text) {
    std::string error;
    const auto set = CpuSet::parse(text, error);
    EXPECT_TRUE(set) << text << ": " << error;
    return set.value_or(CpuSet());
}

std::string own_name() {
    char buffer[16] = {};
    pthread_getname_np(pthread_self(), buffer, sizeof buffer);
    return buffer;
}

TEST(CpuSetText, lists_are_read_and_printed_the_shortest_way) {
    EXPECT_EQ(cpus("0").to_string(), "0");
    EXPECT_EQ(cpus("5,0-3").to_string(), "0-3,5");
    EXPECT_EQ(cpus(" 1 , 2 - 3 ").to_string(), "1-3");
    EXPECT_EQ(cpus("7,6,7").to_string(), "6-7");
    EXPECT_EQ(cpus("1023").to_string(), "1023");
    EXPECT_EQ(CpuSet().to_string(), "");
}

TEST(CpuSetText, faults_are_named) {
    const std::pair<std::string_view, std::string_view> table[] = {
        {"", "'' is not a CPU number"},
        {"a", "'a' is not a CPU number"},
        {"1,", "'' is not a CPU number"},
        {"3-1", "the range '3-1' runs backwards"},
        {"1024", "CPU 1024 is out of range: CPUs are 0 to 1023"},
        {"0-99999999999999999999", "'99999999999999999999' is not a CPU number"},
    };
    for (const auto& [text, expected] : table) {
        std::string error;
        EXPECT_FALSE(CpuSet::parse(text, error)) << text;
        EXPECT_EQ(error, expected);
    }
}

TEST(ThreadPlan, entries_are_taken_in_turn_and_an_empty_role_gets_all_allowed) {
    const HostCpus host = read_host_cpus();
    ThreadPlan plan;
    plan.of(Role::worker) = {cpus("1"), cpus("2-3")};
    install_thread_plan(plan, host.allowed);
    EXPECT_EQ(planned_cpus(Role::worker, 0).to_string(), "1");
    EXPECT_EQ(planned_cpus(Role::worker, 1).to_string(), "2-3");
    EXPECT_EQ(planned_cpus(Role::worker, 2).to_string(), "1");
    EXPECT_EQ(planned_cpus(Role::engine, 0), host.allowed);
    EXPECT_EQ(plan.describe(Role::worker), "[1, 2-3]");
    EXPECT_EQ(plan.describe(Role::engine), "any");
}

TEST(ThreadPlan, a_thread_is_pinned_and_named_and_a_worker_escapes_its_makers_mask) {
    const HostCpus host = read_host_cpus();
    const std::size_t last = host.allowed.cpus().back();
    ThreadPlan plan;
    CpuSet one;
    one.add(last);
    plan.of(Role::engine) = {one};
    install_thread_plan(plan, host.allowed);
    std::thread([&] {
        std::string error;
        ASSERT_TRUE(assume_role(Role::engine, 3, error)) << error;
        EXPECT_EQ(own_name(), "bp-engine3");
        EXPECT_EQ(read_host_cpus().allowed, one);
        EXPECT_FALSE(pin_worker(0)) << "the engine's thread may enter an arena and stays the engine's";
        EXPECT_EQ(own_name(), "bp-engine3");
        std::thread([&] {
            EXPECT_EQ(read_host_cpus().allowed, one) << "a mask is inherited";
            EXPECT_TRUE(pin_worker(7));
            EXPECT_EQ(own_name(), "bp-worker7");
            EXPECT_EQ(read_host_cpus().allowed, host.allowed);
            EXPECT_TRUE(pin_worker(8)) << "once per thread";
            EXPECT_EQ(own_name(), "bp-worker7");
        }).join();
    }).join();
}

TEST(ThreadPlan, a_cpu_that_is_not_there_is_an_error_and_not_a_crash) {
    const HostCpus host = read_host_cpus();
    CpuSet missing;
    missing.add(kCpusMax - 1);
    ASSERT_FALSE(host.online.contains(kCpusMax - 1));
    std::string error;
    EXPECT_FALSE(pin_current_thread(missing, error));
    EXPECT_EQ(error, "cannot run on CPUs 1023: Invalid argument");
    EXPECT_EQ(read_host_cpus().allowed, host.allowed);
}

TEST(ThreadPlan, pollers_that_share_a_cpu_are_warned_of) {
    ThreadPlan plan;
    plan.of(Role::data_plane) = {cpus("0")};
    plan.of(Role::engine) = {cpus("0-1")};
    EXPECT_TRUE(plan_warnings(plan, false).empty());
    const auto warnings = plan_warnings(plan, true);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_EQ(warnings[0],
              "data_plane and engine share CPUs 0: a thread that polls takes all of a CPU from the "
              "other");
}

TEST(ThreadPlan, every_role_that_shares_a_cpu_with_a_poller_is_warned_of) {
    ThreadPlan plan;
    plan.of(Role::data_plane) = {cpus("0")};
    plan.of(Role::engine) = {cpus("1")};
    for (const Role role : {Role::teller, Role::worker, Role::victim_worker, Role::housekeeping}) {
        for (const char* const polled : {"0", "1"}) {
            ThreadPlan sharing = plan;
            sharing.of(role) = {cpus(polled)};
            ASSERT_EQ(plan_warnings(sharing, true).size(), 1u) << to_string(role);
            EXPECT_NE(plan_warnings(sharing, true)[0].find(to_string(role)), std::string::npos);
        }
    }
}

}  // namespace
}  // namespace bayplan::threads
