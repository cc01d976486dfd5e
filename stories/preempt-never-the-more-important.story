# No pod is evicted for a less important one, in whichever tier plugin priority is: gang, in the tier before
# it, would let the members of elastic go that are above its minimum.

conf
  actions enqueue allocate backfill preempt
  tier    gang conformance
  tier    priority predicates nodeorder
class low 1
class high 100
node n1 cpu=4

submit ml/elastic priority=high min=1 4 x cpu=1
cycle
----
bind ml/elastic-0..3 n1

submit ml/new priority=low 1 x cpu=1
cycle
----
wait ml/new: NotEnoughResources: cpu 1 asked, 0 free on n1; preempt NoVictims: 4 VictimNotLower
