# What was freed for a job is for no other: a newcomer of the same importance does not get
# it, nor a less important one that would fit beside it (decision 13).

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
node n1 cpu=4

submit ml/old priority=low 4 x cpu=1
cycle
----
bind ml/old-0..3 n1

submit ml/new priority=high 1 x cpu=3
cycle
----
evict ml/old-3 n1 for ml/new-0
evict ml/old-2 n1 for ml/new-0
evict ml/old-1 n1 for ml/new-0
evict ml/old-0 n1 for ml/new-0
nominate ml/new-0 n1
wait ml/new: Reserved: n1

submit ml/same priority=high 1 x cpu=2
submit ml/tiny priority=low 1 x cpu=1
cycle
----
bind ml/new-0 n1
bind ml/tiny-0 n1
wait ml/old: NoPods
wait ml/same: NotEnoughResources: cpu 2 asked, 0 free on n1; preempt NoVictims

run
----
wait ml/old: NoPods
wait ml/same: NotEnoughResources: cpu 2 asked, 0 free on n1; preempt VictimsTooFew 1 of 2: 1 VictimNotLower
