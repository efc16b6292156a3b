// Proposals, changes and restored values of `bayplan tune` on hosts of several kinds.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/check_command.h"
#include "cli/tune_command.h"
#include "config/profile.h"
#include "host/proposal.h"
#include "host/tune_state.h"
#include "host_root.h"

namespace bayplan {
namespace {

using ::testing::HasSubstr;
using testing::HostRoot;
using ::testing::Not;
using threads::Role;

constexpr char kProfile[] =
    "data_plane: 4\nengine: 5\nworkers: [6, 7]\nhousekeeping: 0-3\n"
    "host: {isolated: '4-7,12-15', hugepages: 512Mi, governor: performance, clocksource: tsc,\n"
    "       transparent_hugepages: madvise, swap: off}\n";
constexpr char kState[] = "/var/lib/bayplan/tune.state";
constexpr char kHugepages[] = "/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages";
constexpr char kTransparent[] = "/sys/kernel/mm/transparent_hugepage/enabled";
constexpr char kGovernor[] = "/sys/devices/system/cpu/cpu5/cpufreq/scaling_governor";
constexpr char kClock[] = "/sys/devices/system/clocksource/clocksource0/current_clocksource";

struct Answer {
    int status = 0;
    std::string out;
    std::string error;
};

Answer tune(const HostRoot& root, cli::TuneArguments arguments) {
    arguments.root = root.path();
    Answer run;
    run.status = cli::tune_host(arguments, run.out, run.error);
    return run;
}

Answer apply(const HostRoot& root, bool dry_run = false) {
    root.write("/profile.yaml", kProfile);
    cli::TuneArguments arguments;
    arguments.profile = root.file("/profile.yaml");
    arguments.apply = true;
    arguments.dry_run = dry_run;
    return tune(root, arguments);
}

Answer undo(const HostRoot& root, bool dry_run = false) {
    cli::TuneArguments arguments;
    arguments.undo = true;
    arguments.dry_run = dry_run;
    return tune(root, arguments);
}

// All files below the root, with their contents, but the files of the test and of the state.
std::map<std::string, std::string> everything(const HostRoot& root) {
    std::map<std::string, std::string> files;
    for (const char* top : {"/proc", "/sys"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root.file(top))) {
            if (!entry.is_regular_file()) continue;
            const std::string path = entry.path().string().substr(root.path().size());
            files[path] = root.read(path);
        }
    }
    return files;
}

TEST(Tune, applies_what_can_be_set_at_run_time_and_says_the_rest) {
    const HostRoot root;
    testing::make_server(root);
    const Answer run = apply(root);
    EXPECT_EQ(run.status, 0) << run.error;
    EXPECT_EQ(root.read(kHugepages), "256");
    EXPECT_EQ(root.read(kTransparent), "madvise");
    EXPECT_EQ(root.read(kGovernor), "performance");
    EXPECT_EQ(root.read("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor"), "powersave");  // housekeeping's
    EXPECT_EQ(root.read(kClock), "tsc");
    EXPECT_EQ(root.read("/proc/sys/kernel/numa_balancing"), "0");
    EXPECT_EQ(root.read("/proc/irq/0/smp_affinity_list"), "0-3,8-11");
    EXPECT_EQ(root.read("/proc/irq/24/smp_affinity_list"), "0");
    EXPECT_EQ(root.read("/proc/irq/42/smp_affinity_list"), "0-3,8-11");  // was on isolated CPUs alone
    EXPECT_EQ(root.read("/proc/irq/default_smp_affinity"), "f0f");
    EXPECT_EQ(root.read("/sys/devices/virtual/workqueue/cpumask"), "f0f");
    EXPECT_THAT(run.out, HasSubstr("isolcpus=4-7,12-15 nohz_full=4-7,12-15"));
    EXPECT_THAT(run.out, HasSubstr("swapoff -a"));
    EXPECT_THAT(run.out, HasSubstr("hugepages of 2Mi on NUMA domain 1            0 -> 256"));
}

TEST(Tune, as_json_every_change_has_its_file_and_values) {
    const HostRoot root;
    testing::make_server(root);
    root.write("/profile.yaml", kProfile);
    cli::TuneArguments arguments;
    arguments.profile = root.file("/profile.yaml");
    arguments.apply = true;
    arguments.output = "json";
    for (const bool dry_run : {true, false}) {
        arguments.dry_run = dry_run;
        const Answer run = tune(root, arguments);
        EXPECT_EQ(run.status, 0) << run.error;
        EXPECT_THAT(run.out,
                    HasSubstr(std::string(R"(,"before":"0","after":"256","done":)") + (dry_run ? "false}" : "true}")));
        EXPECT_THAT(run.out, HasSubstr(R"("by_hand":[)"));
        EXPECT_THAT(run.out, HasSubstr("swapoff -a"));
    }
    cli::TuneArguments undoing;
    undoing.undo = true;
    undoing.output = "json";
    EXPECT_THAT(tune(root, undoing).out, HasSubstr(R"("before":"256","after":"0","done":true})"));
    cli::TuneArguments proposing;
    proposing.output = "json";
    EXPECT_THAT(tune(root, proposing).out, ::testing::StartsWith(R"({"profile":")"));
}

TEST(Tune, leaves_a_host_alone_whose_profile_asks_for_nothing) {
    const HostRoot root;
    testing::make_server(root);
    const auto before = everything(root);
    root.write("/profile.yaml", "{}");
    cli::TuneArguments arguments;
    arguments.profile = root.file("/profile.yaml");
    arguments.apply = true;
    EXPECT_THAT(tune(root, arguments).out, HasSubstr("Nothing to change"));
    EXPECT_EQ(everything(root), before);
}

TEST(Tune, undo_restores_every_value_and_ends) {
    const HostRoot root;
    testing::make_server(root);
    const auto before = everything(root);
    ASSERT_EQ(apply(root).status, 0);
    EXPECT_NE(everything(root), before);
    // Again, after the values have changed: what was there first is what counts.
    root.write(kHugepages, "17");
    ASSERT_EQ(apply(root).status, 0);
    const Answer run = undo(root);
    EXPECT_EQ(run.status, 0) << run.error;
    auto after = everything(root);
    EXPECT_EQ(after[kTransparent], "always");  // the kernel would put brackets around it
    after[kTransparent] = before.at(kTransparent);
    EXPECT_EQ(after, before);
    EXPECT_FALSE(std::filesystem::exists(root.file(kState)));
    const Answer again = undo(root);
    EXPECT_EQ(again.status, 1);
    EXPECT_THAT(again.error, HasSubstr("nothing to undo"));
}

TEST(Tune, a_dry_run_says_the_same_and_does_nothing) {
    const HostRoot root;
    testing::make_server(root);
    const auto before = everything(root);
    const Answer dry = apply(root, true);
    EXPECT_EQ(everything(root), before);
    EXPECT_FALSE(std::filesystem::exists(root.file(kState)));
    EXPECT_EQ(dry.out, apply(root).out);
    const auto applied = everything(root);
    EXPECT_THAT(undo(root, true).out, HasSubstr("256 -> 0"));
    EXPECT_EQ(everything(root), applied);
    EXPECT_THAT(apply(root).out, HasSubstr("Nothing to change"));
}

TEST(Tune, a_change_that_fails_does_not_keep_the_others_from_being_done_or_undone) {
    const HostRoot root;
    testing::make_server(root);
    const auto before = everything(root);
    const host::HostFiles files(root.path());
    root.write("/profile.yaml", kProfile);
    config::ProfileConfig profile;
    config::Faults faults;
    ASSERT_TRUE(config::load_profile(root.file("/profile.yaml"), profile, faults));
    const host::Plan plan = host::plan_changes(files, host::read_host_facts(files), profile);
    root.block(kClock);
    std::vector<std::string> failed;
    const auto note = [&](const host::Outcome& outcome) {
        if (!outcome.error.empty()) failed.push_back(outcome.change.path);
    };
    std::string error;
    ASSERT_TRUE(host::apply_changes(files, plan.changes, root.file(kState), note, error));
    EXPECT_EQ(failed, std::vector<std::string>{kClock});
    EXPECT_EQ(root.read("/proc/irq/0/smp_affinity_list"), "0-3,8-11");  // comes after the clock

    // The clock cannot be restored either, and a governor fails now: both stay for another try.
    root.block(kGovernor);
    const Answer run = undo(root);
    EXPECT_EQ(run.status, 1);
    EXPECT_THAT(run.error, HasSubstr("2 settings could not be restored"));
    EXPECT_EQ(root.read("/proc/irq/0/smp_affinity_list"), "0-15");
    root.remove(kClock);
    root.write(kClock, "tsc");
    root.remove(kGovernor);
    root.write(kGovernor, "performance");
    EXPECT_EQ(undo(root).status, 0);
    auto after = everything(root);
    after[kTransparent] = before.at(kTransparent);
    EXPECT_EQ(after, before);
}

TEST(Tune, changes_nothing_if_the_state_cannot_be_kept_or_is_broken) {
    const HostRoot root;
    testing::make_server(root);
    const auto before = everything(root);
    root.write("/var/lib/bayplan", "a file where the folder should be");
    const Answer run = apply(root);
    EXPECT_EQ(run.status, 1);
    EXPECT_THAT(run.error, HasSubstr("nothing was changed"));
    EXPECT_EQ(everything(root), before);
    root.remove("/var/lib/bayplan");
    root.write(kState, "# bayplan tune\n/proc/x\tbefore");
    EXPECT_EQ(apply(root).status, 1);
    EXPECT_THAT(undo(root).error, HasSubstr("tune.state:2: is not a line of a state"));
    EXPECT_EQ(everything(root), before);
}

TEST(Tune, undo_goes_on_where_a_setting_has_vanished) {
    const HostRoot root;
    testing::make_server(root);
    ASSERT_EQ(apply(root).status, 0);
    root.remove("/proc/irq/42");
    EXPECT_EQ(undo(root).status, 0);
    EXPECT_EQ(root.read("/proc/irq/41/smp_affinity_list"), "4-7,12-15");
}

TEST(Tune, proposes_profiles_that_fit_the_host_and_that_check_accepts) {
    for (const auto make : {testing::make_server, testing::make_vm, testing::make_container}) {
        const HostRoot root;
        make(root);
        const Answer run = tune(root, {});
        ASSERT_EQ(run.status, 0);
        root.write("/proposed.yaml", run.out);
        cli::CheckArguments arguments;
        arguments.profile = root.file("/proposed.yaml");
        arguments.root = root.path();
        std::string out;
        std::string error;
        EXPECT_NE(cli::check_host_against(arguments, out, error), 2) << run.out << error;
        EXPECT_THAT(out, Not(HasSubstr("error     CPUs"))) << out;
        EXPECT_THAT(out, Not(HasSubstr("entries of"))) << out;
        EXPECT_THAT(out, Not(HasSubstr("share CPUs"))) << out;
    }
}

TEST(Tune, keeps_to_the_numa_domain_of_the_nic_and_leaves_other_threads_of_cores_alone) {
    const HostRoot root;
    testing::make_server(root);
    cli::TuneArguments arguments;
    arguments.nics = {"eth0"};
    const Answer run = tune(root, arguments);
    root.write("/proposed.yaml", run.out);
    config::ProfileConfig profile;
    config::Faults faults;
    ASSERT_TRUE(config::load_profile(root.file("/proposed.yaml"), profile, faults)) << run.out;
    EXPECT_EQ(profile.plan.describe(Role::data_plane), "4");
    EXPECT_EQ(profile.plan.describe(Role::engine), "5");
    EXPECT_EQ(profile.plan.describe(Role::teller), "6");
    EXPECT_EQ(profile.plan.describe(Role::worker), "7");
    EXPECT_EQ(profile.plan.describe(Role::housekeeping), "0-3,8-11");
    EXPECT_EQ(profile.host.isolated[0].to_string(), "4-7,12-15");
    EXPECT_EQ(profile.host.nics, std::vector<std::string>{"eth0"});
    arguments.nics = {"eth9"};
    EXPECT_EQ(tune(root, arguments).status, 2);
}

TEST(Tune, shares_a_small_host_and_asks_little_of_it) {
    const HostRoot root;
    testing::make_container(root);  // two CPUs allowed
    const Answer run = tune(root, {});
    EXPECT_THAT(run.out, HasSubstr("data_plane: \"0\"\nengine: \"1\"\nteller: \"0-1\"\nworkers: \"0-1\"\n"));
    EXPECT_THAT(run.out, Not(HasSubstr("isolated:")));
    EXPECT_THAT(run.out, HasSubstr("hugepages: 0\n"));
}

TEST(Tune, proposes_one_cpu_where_the_host_says_nothing_of_its_cores) {
    const HostRoot root;
    std::filesystem::create_directories(root.file("/proc"));
    const Answer run = tune(root, {});
    EXPECT_EQ(run.status, 0) << run.error;
    EXPECT_THAT(run.out, HasSubstr("data_plane: \"0\"\nengine: \"0\"\nteller: \"0\"\nworkers: \"0\"\n"));
}

TEST(Tune, a_dry_run_or_a_state_of_nothing_is_refused) {
    const HostRoot root;
    testing::make_server(root);
    cli::TuneArguments arguments;
    arguments.dry_run = true;
    EXPECT_EQ(tune(root, arguments).status, 2);
    arguments.dry_run = false;
    arguments.state = root.file(kState);
    EXPECT_THAT(tune(root, arguments).error, HasSubstr("--state goes with --apply or --undo"));
}

TEST(Tune, says_so_where_no_cpu_that_is_online_may_be_used) {
    const HostRoot root;
    testing::make_container(root);
    root.write("/sys/devices/system/cpu/online", "8-15");
    const Answer run = tune(root, {});
    EXPECT_EQ(run.status, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.error, HasSubstr("no CPU"));
}

TEST(SameValue, knows_the_spellings_of_lists_and_masks) {
    EXPECT_TRUE(host::same_value("0,1,2,3", "0-3"));
    EXPECT_TRUE(host::same_value("00000f0f", "f0f"));
    EXPECT_TRUE(host::same_value("00000000,0000000f", "f"));
    EXPECT_FALSE(host::same_value("0-3", "0-4"));
    EXPECT_FALSE(host::same_value("f0f", "f0e"));
    EXPECT_FALSE(host::same_value("", "0"));
    EXPECT_FALSE(host::same_value("1024", "10240"));
}

}  // namespace
}  // namespace bayplan
