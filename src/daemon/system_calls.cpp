// See system_calls.h.
#include "daemon/system_calls.h"

#include <fmt/format.h>
#include <sched.h>
#include <seccomp.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

namespace bayplan::daemon {
namespace {

constexpr std::array kRefused = {
    // Other programs and processes: what would begin in the daemon's name, or be looked at and changed by it.
    "execve", "execveat", "fork", "vfork", "ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_open",
    "pidfd_getfd", "pidfd_send_signal", "kill", "process_madvise", "kexec_load", "kexec_file_load",
    // Its identity, and the world it is in.
    "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups", "setfsuid", "setfsgid", "capset",
    "chroot", "pivot_root", "unshare", "setns", "mount", "umount2", "open_tree", "move_mount", "fsopen", "fsconfig",
    "fsmount", "fspick", "mount_setattr", "personality",
    // The machine.
    "init_module", "finit_module", "delete_module", "bpf", "perf_event_open", "userfaultfd", "iopl", "ioperm", "reboot",
    "swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "syslog", "settimeofday", "clock_settime", "adjtimex",
    "clock_adjtime", "sethostname", "setdomainname", "nfsservctl", "vhangup", "modify_ldt", "lookup_dcookie",
    // Keys and files of others.
    "add_key", "request_key", "keyctl", "open_by_handle_at", "name_to_handle_at", "mknod", "mknodat", "fanotify_init",
    "io_uring_setup", "io_uring_enter", "io_uring_register"};

struct Free {
    void operator()(scmp_filter_ctx context) const { seccomp_release(context); }
};
using Filter = std::unique_ptr<void, Free>;

// 0, or a negative error number.
int refuse(const Filter& filter, std::string_view name) {
    const int number = seccomp_syscall_resolve_name(std::string(name).c_str());
    if (number == __NR_SCMP_ERROR) return 0;  // newer than the library: no program can have been made with it
    return seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), number, 0);
}

int fill(const Filter& filter) {
    int code = seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1);  // of all threads
    for (const char* name : kRefused) {
        if (code == 0) code = refuse(filter, name);
    }
    // A thread, but no process. The newer call has its flags in memory that a filter cannot read: it is said to be missing,
    // and the C library takes the older one.
    if (code == 0)
        code = seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                                SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
    if (code == 0) code = seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    if (code == 0) code = seccomp_load(filter.get());
    return code;
}

}  // namespace

bool limit_system_calls(std::string& error) {
    const Filter filter(seccomp_init(SCMP_ACT_ALLOW));
    const int code = filter ? fill(filter) : -ENOMEM;
    if (code == 0) return true;
    error =
        fmt::format("system calls cannot be limited: {}; see privileges in the configuration", std::strerror(-code));
    return false;
}

}  // namespace bayplan::daemon
