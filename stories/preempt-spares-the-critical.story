# conformance: what keeps the cluster itself running is never a victim, neither by its
# priority class nor by its namespace.

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
class system-node-critical 0
node n1 n2 cpu=4

submit kube-system/dns priority=low 1 x cpu=4
submit ml/agent priority=system-node-critical 1 x cpu=4
cycle
----
bind kube-system/dns-0 n2
bind ml/agent-0 n1

submit ml/new priority=high 1 x cpu=4
cycle
----
wait ml/new: NotEnoughResources: cpu 4 asked, 0 free on n1; preempt NoVictims: 2 VictimCritical

why ml/new
----
NotEnoughResources: cpu 4 asked, 0 free on n1
  InsufficientResource cpu on 2 nodes
preempt NoVictims: 2 VictimCritical
  VictimCritical of 2 pods
