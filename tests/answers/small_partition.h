// A partition with a few nodes, queues and applications, through a real engine and a read model that is drained by hand.
//
// Thread: the test's.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "../engine/harness.h"
#include "answers/answers.h"
#include "read_model/model.h"

namespace bayplan::answers {

inline constexpr const char* kQueues = R"(
partitions:
  - name: default
    placementrules:
      - {name: provided, create: false, filter: {type: deny, users: [blocked]}}
      - {name: user, create: true, filter: {type: allow, users: ["d.*|gina"]}, parent: {name: fixed, value: root.users}}
    limits:
      - {limit: everybody, users: ["*"], maxapplications: 50}
    nodesortpolicy: {type: binpacking, resourceweights: {memory: 2.0, vcore: 1.5}}
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: prod
            properties: {priority.offset: "10"}
            resources: {guaranteed: {memory: 4G, vcore: 4}, max: {memory: 20G, vcore: 20}}
            queues:
              - name: web
                maxapplications: 5
                resources: {guaranteed: {memory: 2G, vcore: 2}}
                limits:
                  - {limit: alice, users: [alice], maxresources: {memory: 6G, vcore: 6}, maxapplications: 2}
                  - {limit: her group, groups: [alice], maxresources: {memory: 8G}, maxapplications: 4}
              - name: api
                properties: {application.sort.policy: fair, preemption.policy: disabled, preemption.delay: 90s}
          - name: batch
            resources: {max: {memory: 5G, vcore: 5}}
          - name: users
            parent: true
            childtemplate:
              maxapplications: 3
              properties: {application.sort.policy: fifo}
              resources: {guaranteed: {memory: 500M}, max: {memory: 2G, vcore: 2}}
)";

class SmallPartition {
public:
    using Amounts = testing::TestShim::Amounts;

    // `listener`: of the read model.
    explicit SmallPartition(bool queues = true, read_model::ModelListener* listener = nullptr)
        : engine_(options(queues), sink_), model_(listener) {
        engine_.publish_to(feed_);
        if (queues) {
            engine_.apply(QueuesText{.partition = "default", .text = kQueues});
        }
        shim_ = std::make_unique<testing::TestShim>(engine_, "cluster-a");
    }

    void node(const std::string& name, const Amounts& capacity, const std::map<std::string, std::string>& labels = {},
              NodeAction action = NodeAction::create) {
        std::vector<Attribute> attributes;
        for (const auto& [key, value] : labels) {
            attributes.push_back({shim_->id(key), shim_->id(value)});
        }
        const std::vector<Amount> amounts = encode(capacity);
        const NodeItem item{.node = shim_->id(name), .action = action, .capacity = amounts, .attributes = attributes};
        shim_->send(NodesMessage{std::span(&item, 1)});
    }

    void application(const std::string& name, const std::string& queue, const std::string& user) {
        const ApplicationItem item{.application = shim_->id(name),
                                   .queue = queue.empty() ? 0 : shim_->id(queue),
                                   .user = user.empty() ? 0 : shim_->id(user)};
        shim_->send(ApplicationsMessage{.add = std::span(&item, 1), .remove = {}});
    }

    // With the rest of the item as given.
    void ask(const std::string& key, const std::string& application, const Amounts& requests, std::int64_t created_s,
             AskItem item = {}) {
        const std::vector<Amount> amounts = encode(requests);
        item.key = key;
        item.application = application.empty() ? 0 : shim_->id(application);
        item.requests = amounts;
        item.created_s = created_s;
        shim_->send(AsksMessage{std::span(&item, 1)});
    }

    testing::TestShim& shim() { return *shim_; }
    Engine& engine() { return engine_; }

    // After the attempts that can be made.
    VersionPtr version() {
        engine_.run(1'000);
        model_.take(feed_);
        return model_.make_version();
    }

private:
    static EngineOptions options(bool queues) {
        EngineOptions options;
        options.executor = ExecutorKind::inline_;
        options.queues = queues;
        return options;
    }

    std::vector<Amount> encode(const Amounts& amounts) {
        std::vector<Amount> encoded;
        for (const auto& [kind, value] : amounts) {
            encoded.push_back({shim_->id(kind), value});
        }
        return encoded;
    }

    read_model::ChangeFeed feed_;
    testing::KeepingSink sink_;
    Engine engine_;
    read_model::Model model_;
    std::unique_ptr<testing::TestShim> shim_;
};

}  // namespace bayplan::answers
