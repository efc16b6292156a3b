// See privilege_settings.h.
#include "config/privilege_settings.h"

#include "config/setting_values.h"

namespace bayplan::config {

const Settings<PrivilegesConfig>& privilege_settings() {
    static const Settings<PrivilegesConfig> table = [] {
        using P = PrivilegesConfig;
        Settings<P> result;
        result.push_back(text("user", MEMBER(P, user), "a user's name",
                              "Whom a daemon that root has started becomes, with that user's groups, once the port is "
                              "open; when not given, it stays who it is. Files that SIGHUP reads again must be "
                              "readable by that user."));
        result.push_back(choice("core_dumps", MEMBER(P, core_dumps), Choices<bool>{{"no", false}, {"yes", true}},
                                "Whether a crash may leave a core file; the private keys would be in it."));
        result.push_back(choice("system_calls", MEMBER(P, all_system_calls),
                                Choices<bool>{{"limited", false}, {"all", true}},
                                "Whether the kernel refuses what a daemon at work never asks for (seccomp): other "
                                "programs, other processes, other namespaces, mounts, modules."));
        return result;
    }();
    return table;
}

}  // namespace bayplan::config
