// The texts that rules know by name, interned once. See known_texts.h.

#include "labels/known_texts.h"

namespace bayplan {

KnownTexts::KnownTexts(TextTable& texts)
    : metadata_name(texts.acquire("metadata.name")),
      hostname(texts.acquire("kubernetes.io/hostname")),
      zone(texts.acquire("topology.kubernetes.io/zone")),
      region(texts.acquire("topology.kubernetes.io/region")),
      zone_beta(texts.acquire("failure-domain.beta.kubernetes.io/zone")),
      region_beta(texts.acquire("failure-domain.beta.kubernetes.io/region")),
      unschedulable_taint(texts.acquire("node.kubernetes.io/unschedulable")),
      service(texts.acquire("Service")),
      replica_set(texts.acquire("ReplicaSet")),
      stateful_set(texts.acquire("StatefulSet")),
      replication_controller(texts.acquire("ReplicationController")),
      no_provisioner(texts.acquire("kubernetes.io/no-provisioner")),
      migrations{{
          {texts.acquire("kubernetes.io/gce-pd"), texts.acquire("pd.csi.storage.gke.io"), Counts::everywhere},
          {texts.acquire("kubernetes.io/aws-ebs"), texts.acquire("ebs.csi.aws.com"), Counts::everywhere},
          {texts.acquire("kubernetes.io/azure-disk"), texts.acquire("disk.csi.azure.com"), Counts::everywhere},
          {texts.acquire("kubernetes.io/cinder"), texts.acquire("cinder.csi.openstack.org"), Counts::everywhere},
          {texts.acquire("kubernetes.io/portworx-volume"), texts.acquire("pxd.portworx.com"), Counts::where_annotated},
          {texts.acquire("kubernetes.io/azure-file"), texts.acquire("file.csi.azure.com"), Counts::nowhere},
          {texts.acquire("kubernetes.io/vsphere-volume"), texts.acquire("csi.vsphere.vmware.com"), Counts::nowhere},
      }} {}

}  // namespace bayplan
