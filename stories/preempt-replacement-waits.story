# A victim's controller makes it anew at once: the replacement waits, and does not get back
# the room that its predecessor left (decision 13). No pod is evicted twice for one need.

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
node n1 cpu=4

submit ml/old priority=low min=1 2 x cpu=2 owned
cycle
----
bind ml/old-0..1 n1

submit ml/new priority=high 1 x cpu=3
run
----
1s    evict ml/old-0..1 n1 for ml/new-0
1s    nominate ml/new-0 n1
2s    bind ml/new-0 n1
wait ml/old: NotEnoughResources: cpu 2 asked, 1 free on n1; preempt NoVictims: 1 VictimNotLower

pods status node
----
pod       status   node
ml/new-0  Running  n1
ml/old-0  Pending  -
ml/old-1  Pending  -

finish ml/new
run
----
6s    bind ml/old-0..1 n1
