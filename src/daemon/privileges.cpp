// See privileges.h.
#include "daemon/privileges.h"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "daemon/capabilities.h"
#include "daemon/system_calls.h"

namespace bayplan::daemon {
namespace {

// Its leak checker traces the process from a child at the end, and needs what is taken away here.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kLeaksAreChecked = true;
#else
constexpr bool kLeaksAreChecked = false;
#endif

std::string failure(const char* what) { return fmt::format("{}: {}", what, std::strerror(errno)); }

bool forbid_core_files(std::string& error) {
    const rlimit none{0, 0};
    if (setrlimit(RLIMIT_CORE, &none) == 0) return true;
    error = failure("core files cannot be forbidden");
    return false;
}

// Pages are locked when they are touched: stacks and arenas are far larger than what is used of them.
bool lock_memory_in(std::string& error) {
    const rlimit all{RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_MEMLOCK, &all);  // if it may not, it may have been given enough
    if (mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0) return true;
    error = failure("memory cannot be locked") +
            "; start it as root or with LimitMEMLOCK=infinity, or set lock_memory: no in the profile";
    return false;
}

bool become(const std::string& name, std::string& error) {
    errno = 0;
    const passwd* const user = getpwnam(name.c_str());
    if (user == nullptr) {
        error = fmt::format("there is no user '{}'; see privileges in the configuration", name);
        return false;
    }
    if (geteuid() == user->pw_uid) return true;
    if (geteuid() != 0) {
        error = fmt::format("only root can become '{}'; start it as root or as that user", name);
        return false;
    }
    // Of all threads: the C library sees to that.
    if (initgroups(name.c_str(), user->pw_gid) != 0 || setresgid(user->pw_gid, user->pw_gid, user->pw_gid) != 0 ||
        setresuid(user->pw_uid, user->pw_uid, user->pw_uid) != 0) {
        error = failure("cannot become another user");
        return false;
    }
    return true;
}

}  // namespace

bool begin_with_few_privileges(const config::PrivilegesConfig& config, bool lock_memory, std::string& error) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        error = failure("privileges cannot be limited");
        return false;
    }
    if (!config.core_dumps && !kLeaksAreChecked && !forbid_core_files(error)) return false;
    return !lock_memory || lock_memory_in(error);
}

bool give_up_privileges(const config::PrivilegesConfig& config, std::string& error) {
    if (!config.user.empty() && !become(config.user, error)) return false;
    // Not before: DPDK looks at files of /proc/self when it starts. A change of user alone would make it 0.
    prctl(PR_SET_DUMPABLE, config.core_dumps || kLeaksAreChecked ? 1 : 0);
    if (!drop_capabilities(error)) return false;
    return config.all_system_calls || kLeaksAreChecked || limit_system_calls(error);
}

Privileges read_privileges() {
    Privileges now;
    const passwd* const user = getpwuid(geteuid());
    now.user = user != nullptr ? user->pw_name : std::to_string(geteuid());
    const std::string own = fmt::format("/proc/self/task/{}/status", gettid());
    now.capabilities = status_field(own, "CapEff");
    now.capabilities.erase(0, std::min(now.capabilities.find_first_not_of('0'), now.capabilities.size() - 1));
    now.no_new_privileges = status_field(own, "NoNewPrivs") == "1";
    now.system_calls_limited = status_field(own, "Seccomp") == "2";
    now.locked = status_field(own, "VmLck");
    return now;
}

}  // namespace bayplan::daemon
