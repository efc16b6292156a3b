// Texts of a queues.yaml that use everything there is, as starting points for random damage.
//
// Thread: constants.
#pragma once

#include <array>
#include <string_view>

namespace bayplan::queue_config {

inline constexpr std::array<std::string_view, 5> kQueueSeeds = {
    R"(partitions:
  - name: default
    nodesortpolicy: {type: binpacking, resourceweights: {vcore: 1.5, memory: 2, nvidia.com/gpu: 0x10}}
    preemption: {enabled: yes, quotapreemptionenabled: off}
    usergroupresolver: {type: ldap}
    limits:
      - {limit: everybody, users: ['*'], maxapplications: 9_0, maxresources: {memory: 200Gi, vcore: 500m}}
    placementrules:
      - name: provided
        create: true
        filter: {type: deny, users: ['^(svc|tmp)-[0-9]{2,4}$']}
      - name: tag
        value: namespace
        create: true
        parent: {name: user, create: true, parent: {name: fixed, value: root.teams, filter: {groups: [dev, ops]}}}
      - {name: fixed, value: spare}
    queues:
      - name: root
        submitacl: '*'
        adminacl: 'admin ops,dev'
        maxapplications: 90
        queues:
          - name: teams
            parent: true
            maxapplications: 80
            childtemplate:
              maxapplications: 4
              properties: {application.sort.policy: fair, priority.offset: '-3'}
              resources: {guaranteed: {memory: 1G}, max: {memory: 4G, vcore: 8}}
            resources: &bounds
              guaranteed: {memory: 10G, vcore: 4}
              max: {memory: 40G, vcore: 32}
          - name: spare
            maxapplications: 10
            resources: *bounds
            properties: {priority.policy: fence, preemption.policy: disabled, preemption.delay: 90s}
            limits:
              - {limit: ops, groups: [ops], maxapplications: 2}
              - {limit: rest, groups: ['*'], maxresources: {memory: 1G}}
checksum: none
)",
    R"(# two partitions, roots inserted
partitions:
- {queues: [{name: a, queues: [{name: b}, {name: c}]}, {name: d}]}
- name: gpu
  queues: []
...
)",
    R"(partitions:
- name: default
  queues:
  - name: root
    properties: &base {a: "1", 'b': ~}
    queues:
    - name: "x"
      properties:
        <<: *base
        c: |
          several
          lines
    - ? name
      : y
      ? properties
      : {<<: [*base, {d: 1}]}
---
ignored: [
)",
    R"({"partitions": [{"name": "default", "queues": [
    {"name": "root", "queues": [{"name": "json", "maxapplications": 5.0}]}]}]})",
    R"(# maxima that guarantees use up, applications that rest, queues that shrink
partitions:
  - name: default
    preemption: {enabled: true, quotapreemptionenabled: true}
    queues:
      - name: root
        submitacl: '*'
        properties: {application.unschedasks.backoff: "3", application.unschedasks.backoff.delay: 1m30s}
        queues:
          - name: a
            resources: {guaranteed: {vcore: 1, memory: 1}, max: {vcore: 1, memory: 2}}
            properties: {preemption.policy: fence, quota.preemption.delay: 10s, application.unschedasks.backoff: "0"}
            queues:
              - name: b
                resources: {guaranteed: {vcore: 1}}
                properties: {preemption.delay: 15s, application.unschedasks.backoff: 18446744073709551615}
              - {name: c, properties: {preemption.policy: disabled, application.unschedasks.backoff.delay: never}}
          - {name: x, resources: {max: {vcore: 0}}}
)"};

}  // namespace bayplan::queue_config
