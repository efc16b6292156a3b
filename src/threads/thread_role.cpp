// Roles: the installed plan, pinning, names.
//
// Thread: see the header.
#include "threads/thread_role.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>

#include <cstring>
#include <exception>
#include <optional>
#include <utility>

namespace bayplan::threads {
namespace {

struct InstalledPlan {
    ThreadPlan plan;
    CpuSet allowed;
};

// Written once, before the threads that read it start; thread creation orders the two.
std::optional<InstalledPlan> installed_plan;

thread_local std::optional<Role> current_role;

struct RoleNames {
    std::string_view in_profile;
    std::string_view thread_prefix;
};
constexpr std::array<RoleNames, kRoleCount> kRoleNames{{
    {"data_plane", "bp-lcore"},
    {"engine", "bp-engine"},
    {"teller", "bp-teller"},
    {"workers", "bp-worker"},
    {"victim_workers", "bp-victim"},
    {"housekeeping", "bp-house"},
}};

}  // namespace

std::string_view to_string(Role role) { return kRoleNames[static_cast<std::size_t>(role)].in_profile; }

std::string ThreadPlan::describe(Role role) const {
    const std::vector<CpuSet>& entries = of(role);
    if (entries.empty()) return "any";
    if (entries.size() == 1) return entries.front().to_string();
    std::string text;
    for (const CpuSet& entry : entries) {
        text += text.empty() ? "[" : ", ";
        text += entry.to_string();
    }
    return text + "]";
}

void install_thread_plan(ThreadPlan plan, const CpuSet& allowed) {
    installed_plan = InstalledPlan{std::move(plan), allowed};
}

CpuSet planned_cpus(Role role, std::size_t index) {
    if (!installed_plan) return {};
    const std::vector<CpuSet>& entries = installed_plan->plan.of(role);
    return entries.empty() ? installed_plan->allowed : entries[index % entries.size()];
}

bool assume_role(Role role, std::size_t index, std::string& error) {
    current_role = role;
    name_current_thread(fmt::format("{}{}", kRoleNames[static_cast<std::size_t>(role)].thread_prefix, index));
    const CpuSet cpus = planned_cpus(role, index);
    return cpus.empty() || pin_current_thread(cpus, error);
}

bool pin_worker(std::size_t index) noexcept {
    if (current_role) return *current_role == Role::worker;
    try {
        std::string error;
        assume_role(Role::worker, index, error);
    } catch (const std::exception&) {
        // Out of memory for a name: the thread works on unpinned, which changes no decision.
    }
    return current_role == Role::worker;
}

void pin_victim_worker(std::size_t index) noexcept {
    try {
        std::string error;
        assume_role(Role::victim_worker, index, error);
    } catch (const std::exception&) {
        // As above.
    }
}

bool pin_current_thread(const CpuSet& cpus, std::string& error) {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    for (const std::size_t cpu : cpus.cpus()) CPU_SET(cpu, &mask);
    const int code = pthread_setaffinity_np(pthread_self(), sizeof mask, &mask);
    if (code != 0) error = fmt::format("cannot run on CPUs {}: {}", cpus.to_string(), std::strerror(code));
    return code == 0;
}

void name_current_thread(std::string_view name) {
    char buffer[16] = {};
    name.copy(buffer, sizeof buffer - 1);
    pthread_setname_np(pthread_self(), buffer);
}

std::vector<std::string> plan_warnings(const ThreadPlan& plan, bool polling) {
    std::vector<std::string> warnings;
    const auto merged = [&plan](Role role) {
        CpuSet all;
        for (const CpuSet& entry : plan.of(role)) {
            for (const std::size_t cpu : entry.cpus()) all.add(cpu);
        }
        return all;
    };
    const auto overlap = [&](Role left, Role right, std::string_view consequence) {
        const CpuSet both = merged(left).intersection(merged(right));
        if (both.empty()) return;
        warnings.push_back(fmt::format("{} and {} share CPUs {}: {}", to_string(left), to_string(right),
                                       both.to_string(), consequence));
    };
    if (polling) {
        const std::string_view starves = "a thread that polls takes all of a CPU from the other";
        overlap(Role::data_plane, Role::engine, starves);
        overlap(Role::data_plane, Role::teller, starves);
        overlap(Role::data_plane, Role::worker, starves);
        overlap(Role::data_plane, Role::victim_worker, starves);
        overlap(Role::data_plane, Role::housekeeping, starves);
        overlap(Role::engine, Role::teller, starves);
        overlap(Role::engine, Role::worker, starves);
        overlap(Role::engine, Role::victim_worker, starves);
        overlap(Role::engine, Role::housekeeping, starves);
    }
    return warnings;
}

}  // namespace bayplan::threads
