# The preemptor is deleted while its victim leaves: its room is free again for others,
# and they need evict no pod.

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
node n1 cpu=4

submit ml/old priority=low 1 x cpu=4 owned
cycle
----
bind ml/old-0 n1

submit ml/new priority=high 1 x cpu=4
cycle
----
evict ml/old-0 n1 for ml/new-0
nominate ml/new-0 n1
wait ml/new: Reserved: n1

delete ml/new
cycle
----
bind ml/old-0 n1

run
----
nothing
