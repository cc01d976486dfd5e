# Whether a pod would run where others leave is tried under every rule, also in the dry run of
# enableTopologyAwarePreemption: web needs a host port that old has, on a node with room for both.

conf
  actions enqueue allocate backfill preempt(enableTopologyAwarePreemption=true)
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
node n1 cpu=4

submit ml/old priority=low 1 x cpu=1 port=80
submit ml/other priority=low 1 x cpu=1
cycle
----
bind ml/old-0 n1
bind ml/other-0 n1

submit ml/web priority=high 1 x cpu=1 port=80
cycle
----
evict ml/old-0 n1 for ml/web-0
nominate ml/web-0 n1
wait ml/web: Reserved: n1
