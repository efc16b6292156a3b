// A shim's books and an engine, without an API server: for what profiles, gates and Workloads make of pods.
//
// Thread: one, the test's.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kube/document_reader.h"
#include "kube_shim/embedded.h"

namespace bayplan::kube_shim {

class SmallCluster final : private DecisionHandler {
public:
    // `config`: a KubeSchedulerConfiguration without its head; empty: none.
    explicit SmallCluster(const std::string& config = {}, const std::string& gates = {})
        : SmallCluster(options_of(config, gates)) {}

    void put(const std::string& text) {
        with(text, [this](const kube::ReadObject& object) { books_.put(object); });
    }
    void remove(const std::string& text) {
        with(text, [this](const kube::ReadObject& object) { books_.remove(object); });
    }
    // `labels`, `spec`: members.
    void node(const std::string& name, const std::string& labels = {}, const std::string& taints = {}) {
        put(R"({"kind":"Node","metadata":{"name":")" + name + R"(","labels":{)" + labels + R"(}},"spec":{"taints":[)" +
            taints + R"(]},"status":{"allocatable":{"cpu":"2","memory":"4Gi","pods":"10"}}})");
    }
    // `more`: members of its spec.
    void pod(const std::string& name, const std::string& more = {}, const std::string& cpu = "1") {
        put(R"({"kind":"Pod","metadata":{"name":")" + name + R"(","namespace":"ns","uid":"u-)" + name +
            R"("},"spec":{)" + more + (more.empty() ? "" : ",") +
            R"("containers":[{"name":"c","resources":{"requests":{"cpu":")" + cpu + R"("}}}]}})");
    }
    // Until nothing happens any more. By pod: its node, "preempted", or why it waits.
    const std::map<std::string, std::string>& run() {
        do {
            books_.flush([this](const StateBody& body) { return engine_->send(body); }, true);
        } while (engine_->turn());
        return now_;
    }
    std::string of(const std::string& pod) {
        run();
        const auto found = now_.find("ns/" + pod);
        return found == now_.end() ? "" : found->second;
    }
    // Texts and specs that no object names are forgotten, if they are many.
    void forget_unused() {
        run();
        books_.forget_unused([this](const StateBody& body) { return engine_->send(body); });
    }
    Books& books() { return books_; }
    const Engine& engine() const { return engine_->engine(); }
    // "CLAIM for POD", in the order in which they were told.
    const std::vector<std::string>& given_back() const { return given_back_; }
    void forget_what_is_given_back() { remembers_ = false; }
    void remember_what_is_given_back() { remembers_ = true; }
    // Of a placed pod: what it needs before it is bound.
    const ClaimSteps& steps(const std::string& pod) { return steps_["ns/" + pod]; }

private:
    explicit SmallCluster(BooksOptions options)
        : engine_options_(engine_of(options)),
          books_(
              std::move(options), [](const std::string& what) { ADD_FAILURE() << what; },
              [](const std::string&, const std::string&) {}),
          engine_(EmbeddedPartition::stated_by(books_, engine_options_, *this,
                                               [](const std::string& what) { ADD_FAILURE() << what; })) {
        engine_->decide();
        while (!engine_->decides()) {
            engine_->turn();
        }
    }

    static BooksOptions options_of(const std::string& config, const std::string& gates) {
        BooksOptions options;
        std::vector<std::string> faults;
        read_feature_gates(gates, options.gates, faults);
        if (!config.empty()) {
            const std::string head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
            auto read = scheduler_config::read_scheduler_config(head + config, "config", {});
            faults.insert(faults.end(), read.faults.begin(), read.faults.end());
            options.config = std::move(read.config);
        }
        for (const std::string& fault : faults) {
            ADD_FAILURE() << fault;
        }
        if (options.config) {
            options.schedulers = options.config->schedulers();
        }
        return options;
    }
    static EngineOptions engine_of(const BooksOptions& options) {
        EngineOptions made = kube_options();
        if (options.config) {
            options.config->apply(made);
        }
        return made;
    }
    static void with(const std::string& text, const std::function<void(const kube::ReadObject&)>& call) {
        std::string padded = text;
        padded.reserve(padded.size() + kube::kTextPadding);
        std::vector<kube::ObjectFault> faults;
        kube::read_objects(padded, "test", call, faults);
        EXPECT_TRUE(faults.empty()) << text << faults[0].to_string();
    }

    void on_allocated(const std::string& key, std::string_view node, std::string_view devices) override {
        books_.assume(key, node);
        steps_[key] = books_.claims_to_prepare(key, node, devices);
        now_[key] = node;
    }
    void on_released(const std::string& key, Termination, std::string_view) override {
        books_.set_preempted(key, true);
        now_[key] = "preempted";
    }
    void on_waiting(const std::string& key, std::string_view text) override { now_[key] = text; }
    void on_nominated(const std::string&, std::string_view, std::string_view) override {}
    void on_claim_given_back(const std::string& claim, std::string_view text) override {
        given_back_.push_back(claim + " " + std::string(text));
        if (remembers_) {
            books_.give_back(claim);
        }
    }
    void on_rejected(DecisionKind, std::string_view name, std::string_view text) override {
        ADD_FAILURE() << name << ": " << text;
    }

    std::map<std::string, std::string> now_;
    std::map<std::string, ClaimSteps> steps_;
    std::vector<std::string> given_back_;
    bool remembers_ = true;
    EngineOptions engine_options_;
    Books books_;
    std::unique_ptr<EmbeddedPartition> engine_;
};

}  // namespace bayplan::kube_shim
