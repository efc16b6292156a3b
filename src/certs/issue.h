// Makes keys and certificates: an authority, a daemon's, a shim's.
//
// Thread: main. Errors: a Result's text says which file and why; files are written whole or not at all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bayplan::certs {

enum class Role : std::uint8_t { authority, daemon, shim };

struct Wanted {
    Role role = Role::shim;
    std::string file;                // without its ending: FILE.pem, FILE.key
    std::string name;                // the common name
    std::vector<std::string> hosts;  // names and addresses of a daemon
    std::int64_t days = 365;
};

// Outcome; exactly one is not empty.
struct Issued {
    std::string made;  // the certificate's file
    std::string kept;  // it is there already
    std::string fault;
};

// In this folder, signed by its ca.pem and ca.key. `renew`: also where there is one already (not of an authority).
Issued issue(const std::string& folder, const Wanted&, bool renew);

}  // namespace bayplan::certs
