// Texts that rules know by name, as ids of one TextTable.
//
// Thread: made once by the engine's, which owns the table; then read by any. Holds one reference of each
// text for as long as the table lives (a table and its KnownTexts go together).
#pragma once

#include <array>

#include "base/text_table.h"

namespace bayplan {

struct KnownTexts {
    explicit KnownTexts(TextTable& texts);

    Text metadata_name;  // the only field of matchFields
    Text hostname;       // kubernetes.io/hostname
    Text zone;           // topology.kubernetes.io/zone
    Text region;         // topology.kubernetes.io/region
    Text zone_beta;      // failure-domain.beta.kubernetes.io/zone
    Text region_beta;    // failure-domain.beta.kubernetes.io/region

    Text unschedulable_taint;  // node.kubernetes.io/unschedulable

    // Kinds of PodSet and PodOwner.
    Text service;
    Text replica_set;
    Text stateful_set;
    Text replication_controller;

    Text no_provisioner;  // kubernetes.io/no-provisioner

    // In-tree volume plugins that CSI drivers serve, those drivers, and on which nodes with a CSINode a volume of the
    // plugin counts as the driver's.
    enum class Counts : std::uint8_t { everywhere, where_annotated, nowhere };
    struct Migration {
        Text plugin = 0;
        Text driver = 0;
        Counts counts = Counts::everywhere;
    };
    std::array<Migration, 7> migrations;
};

}  // namespace bayplan
