// A scenario: a text that says what there is, what happens when, and what is decided then. Engine and
// oracle go through it side by side; the decisions of both must be as the text has them.
//
//   options kubernetes-1.35              (or: bayplan, which is the default)
//   options daemonset strategy=single deviation=5 max=2 delay=0 expiry=60 foreign
//   options queues                       a tree of queues in place of one leaf
//   queue a guaranteed=6 delay=10s       its guarantee of cpu and preemption.delay; and then its children
//   queue x in=a policy=fence offset=3   preemption.policy and priority.offset; `fenced`: priority.policy
//   runs a on n1 queue=x cpu=5           of the leaf's application
//   | queues: [{name: root, submitacl: "*"}]     a line of a queues.yaml, of its partition
//   load                                 those lines are the configuration now; or: load refused
//   application w queue=root.a user=ann groups=dev,ops tag:namespace=x; root.a   and where it goes, or why not
//   remove w                             the application
//   ask a of=w cpu=5                     of that application; `runs` likewise
//   state w running                      of the application
//   shows root.a used=vcore:5,pods:1 running=1 drains=no   of the queue: also pending, max, guaranteed, applications, gone
//   waits a; has not enough left         a part of why the pod waits
//   node n1 cpu=10 zone=east             what there is, and what happens, one thing a line:
//   runs a on n1 priority=100 cpu=5 grace=60 qos=burstable started=4 app=web
//   runs b on n1 cpu=5 owner opted-out static daemonset
//   foreign f on n1 cpu=2
//   ask d cpu=1 needs=n1 daemonset       the DaemonSet pod of that node
//   ask c priority=1000 cpu=10 never apart=web near=web port=80 apart-in-zone=web
//   gone a                               released by its shim
//   refused c                            nacked
//   budget web allows=1
//   ask e cpu=1 plugin=license           its shim's plugin is asked about it
//   answer e no yes; none is left        and answers, node by node, with a reason
//   tick 30s                             time goes on; what waits is tried after it
//   then nominate c n1 a,b               decisions since the last tick, all of them, in order
//   then fail d                          pods without their shim; `-` left out
//   then fail d; Insufficient cpu        and a part of its reasons
//   then nothing
//
// Lines that begin with # are remarks. Thread: one. Errors: std::invalid_argument for another line.
#pragma once

#include <string>

namespace bayplan::scenarios {

// The first difference from the text, with the line; or "".
std::string played(const std::string& text);

}  // namespace bayplan::scenarios
