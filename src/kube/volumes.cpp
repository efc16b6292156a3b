// See volumes.h.
#include "kube/volumes.h"

#include <array>

namespace bayplan::kube {

namespace {

// In-tree kinds of a disk, the member that names the disk, and the CSI driver that serves the kind today.
struct InTreeDisk {
    std::string_view member;
    std::string_view name;
    std::string_view driver;
    VolumeKind kind;
};

constexpr std::array<InTreeDisk, 7> kInTreeDisks{{
    {"gcePersistentDisk", "pdName", "pd.csi.storage.gke.io", VolumeKind::gce_disk},
    {"awsElasticBlockStore", "volumeID", "ebs.csi.aws.com", VolumeKind::aws_disk},
    {"azureDisk", "diskURI", "disk.csi.azure.com", VolumeKind::azure_disk},
    {"azureFile", "shareName", "file.csi.azure.com", VolumeKind::other},
    {"cinder", "volumeID", "cinder.csi.openstack.org", VolumeKind::other},
    {"vsphereVolume", "volumePath", "csi.vsphere.vmware.com", VolumeKind::other},
    {"portworxVolume", "volumeID", "pxd.portworx.com", VolumeKind::other},
}};

bool add_disk(Converter& convert, const Value& value, std::vector<PodVolume>& volumes) {
    for (const InTreeDisk& disk : kInTreeDisks) {
        const Value& source = value[disk.member];
        if (source.present()) {
            PodVolume& volume = volumes.emplace_back();
            volume.kind = disk.kind;
            volume.name = convert.needed(source, disk.name);
            volume.driver = convert.texts.id(disk.driver);
            volume.read_only = convert.reader.flag(source["readOnly"]);
            return true;
        }
    }
    return false;
}

bool add_network_disk(Converter& convert, const Value& value, std::vector<PodVolume>& volumes) {
    if (const Value& iscsi = value["iscsi"]; iscsi.present()) {
        PodVolume& volume = volumes.emplace_back();
        volume.kind = VolumeKind::iscsi;
        volume.name = convert.needed(iscsi, "iqn");
        volume.read_only = convert.reader.flag(iscsi["readOnly"]);
        return true;
    }
    if (const Value& rbd = value["rbd"]; rbd.present()) {
        PodVolume& volume = volumes.emplace_back();
        volume.kind = VolumeKind::rbd;
        volume.name = convert.needed(rbd, "image");
        volume.pool = convert.text(rbd["pool"]);
        volume.monitors = convert.text_list(rbd["monitors"]);
        volume.read_only = convert.reader.flag(rbd["readOnly"]);
        return true;
    }
    return false;
}

}  // namespace

std::vector<PodVolume> pod_volumes(Converter& convert, const Value& list, std::string_view pod_name) {
    std::vector<PodVolume> volumes;
    for (const Value& value : convert.reader.items(list)) {
        if (add_disk(convert, value, volumes) || add_network_disk(convert, value, volumes)) {
            continue;
        }
        if (const Value& claim = value["persistentVolumeClaim"]; claim.present()) {
            PodVolume& volume = volumes.emplace_back();
            volume.kind = VolumeKind::claim;
            volume.name = convert.text(claim["claimName"]);
            volume.read_only = convert.reader.flag(claim["readOnly"]);
        } else if (value["ephemeral"].present()) {
            // The controller calls the claim by both names.
            const std::string name = std::string(pod_name) + "-" + std::string(convert.reader.needed(value, "name"));
            PodVolume& volume = volumes.emplace_back();
            volume.kind = VolumeKind::ephemeral;
            volume.name = convert.intern(value["name"], name);
        } else if (const Value& csi = value["csi"]; csi.present()) {
            PodVolume& volume = volumes.emplace_back();
            volume.kind = VolumeKind::csi;
            volume.driver = convert.needed(csi, "driver");
            volume.read_only = convert.reader.flag(csi["readOnly"]);
        }
    }
    return volumes;
}

void volume_source(Converter& convert, const Value& spec, Volume& volume) {
    if (const Value& csi = spec["csi"]; csi.present()) {
        volume.source = VolumeKind::csi;
        volume.driver = convert.needed(csi, "driver");
        volume.handle = convert.needed(csi, "volumeHandle");
        return;
    }
    for (const InTreeDisk& disk : kInTreeDisks) {
        if (const Value& source = spec[disk.member]; source.present()) {
            volume.source = disk.kind;
            volume.handle = convert.needed(source, disk.name);
            volume.driver = convert.texts.id(disk.driver);
            return;
        }
    }
    if (const Value& iscsi = spec["iscsi"]; iscsi.present()) {
        volume.source = VolumeKind::iscsi;
        volume.handle = convert.text(iscsi["iqn"]);
    } else if (const Value& rbd = spec["rbd"]; rbd.present()) {
        volume.source = VolumeKind::rbd;
        volume.handle = convert.text(rbd["image"]);
    }
}

}  // namespace bayplan::kube
