// Which thread is which: the roles of the daemon's threads, their CPUs, and how a thread takes its
// role.
//
// A plan gives each role a list of CPU sets. Thread i of a role runs on entry i of its list, taken
// in turn when there are more threads than entries: "0-3" lets all threads of the role run on any
// of four CPUs, the list [0, 1, 2, 3] gives each its own. A role without entries may use all
// allowed CPUs; its threads are still set to exactly those CPUs, because a new thread inherits the
// mask of its creator.
//
// Thread: install_thread_plan() by main before any other thread runs; then the plan never changes
// and the other functions may be called by any thread, for itself. The plan is the one process-wide
// state of the program: worker threads belong to TBB, which starts them where and when it likes, so
// nothing could hand it to them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "threads/cpu_set.h"

namespace bayplan::threads {

enum class Role : std::uint8_t { data_plane, engine, teller, worker, victim_worker, housekeeping };
inline constexpr std::size_t kRoleCount = 6;

// The name in a profile: data_plane, engine, teller, workers, victim_workers, housekeeping.
std::string_view to_string(Role);

struct ThreadPlan {
    std::array<std::vector<CpuSet>, kRoleCount> roles;

    std::vector<CpuSet>& of(Role role) { return roles[static_cast<std::size_t>(role)]; }
    const std::vector<CpuSet>& of(Role role) const { return roles[static_cast<std::size_t>(role)]; }
    // As a profile writes it: "0-3", "[0, 1]", or "any".
    std::string describe(Role) const;
    bool operator==(const ThreadPlan&) const = default;
};

// `allowed`: what the process may use, from read_host_cpus() before anything was pinned.
void install_thread_plan(ThreadPlan, const CpuSet& allowed);

// The CPUs that thread `index` of a role gets by the installed plan; empty if none is installed.
CpuSet planned_cpus(Role, std::size_t index);

// Pins and names the calling thread. Without an installed plan it is only named. False: the kernel
// refused, with the reason in `error`; the thread runs on, unpinned.
bool assume_role(Role, std::size_t index, std::string& error);

// The same for a proposal worker, for use by executors: cheap when repeated (once per thread), and
// without effect on a thread that has another role, because the engine's own thread may enter an
// arena too. Returns whether the thread is a worker now.
bool pin_worker(std::size_t index) noexcept;

// The same for a victim worker, which its engine starts itself: once per thread.
void pin_victim_worker(std::size_t index) noexcept;

bool pin_current_thread(const CpuSet&, std::string& error);
// At most 15 characters are kept: a limit of the kernel.
void name_current_thread(std::string_view name);

// Warnings, in sentences, of a plan that is possible but unwise: two polling threads on one CPU,
// and so on. `polling`: the data plane and the engines never sleep.
std::vector<std::string> plan_warnings(const ThreadPlan&, bool polling);

}  // namespace bayplan::threads
