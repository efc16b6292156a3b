// Devices of nodes, what asks want of them, and what shims say they have.
//
// Thread and errors: see generator.h.
#include "generator.h"

namespace bayplan::property {

namespace {}  // namespace

// Shares, one device, several; now and then several and a share.
std::int64_t Generator::device_amount() {
    const std::uint64_t dice = random_.below(10);
    return dice < 6   ? random_.between(1, 9) * 100
           : dice < 8 ? 1000
           : dice < 9 ? random_.between(2, 4) * 1000
                      : random_.between(1001, 2999);
}

// Most nodes have as devices what others count as a plain amount.
void Generator::declare_devices(const oracle::Oracle& oracle, const ShimModel& model, oracle::OwnedNode& node) {
    for (const char* const kind : {"example.com/dev", "example.com/nic"}) {
        const DictId id = id_of(oracle, model, kind);
        for (Amount& amount : node.capacity) {
            if (amount.resource == id && random_.chance(85)) {
                node.devices.push_back(id);
                if (amount.value > 0 && amount.value < 100'000 && !random_.chance(spoil_percent_)) {
                    amount.value -= amount.value % 1000;
                }
                break;
            }
        }
    }
    if (random_.chance(spoil_percent_)) {
        switch (random_.below(5)) {
            case 0: node.devices.push_back(kUndefined); break;
            case 1: node.devices.push_back(id_of(oracle, model, "nowhere")); break;
            case 2: node.devices.insert(node.devices.end(), 5, id_of(oracle, model, "example.com/dev")); break;
            case 3:
                node.devices.push_back(id_of(oracle, model, "example.com/nic"));
                node.devices.push_back(id_of(oracle, model, "example.com/nic"));
                break;
            default:
                node.capacity.push_back({id_of(oracle, model, "root.other"), 129'000});
                node.devices.push_back(id_of(oracle, model, "root.other"));
                break;
        }
    }
}

// As a shim that has seen better days may state it.
std::string Generator::any_devices() {
    static const std::vector<std::string> texts = {"example.com/dev=0",
                                                   "example.com/dev=1",
                                                   "example.com/dev=1+0",
                                                   "example.com/dev=2",
                                                   "example.com/dev=0+1+2",
                                                   "example.com/dev=3,example.com/nic=0",
                                                   "",
                                                   "example.com/nic=1",
                                                   "example.com/dev=127",
                                                   "other=0",
                                                   "example.com/dev",
                                                   "example.com/dev=",
                                                   "example.com/dev=1+1",
                                                   "example.com/dev=0,",
                                                   "example.com/dev=128",
                                                   "example.com/dev=01",
                                                   "x=0,x=1",
                                                   "a b=0"};
    return texts[random_.below(random_.chance(80) ? 10 : texts.size())];
}

}  // namespace bayplan::property
