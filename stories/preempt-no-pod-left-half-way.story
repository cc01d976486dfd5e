# The first of two members of a gang could have its place by an eviction, the second could
# not: no pod is evicted for the first alone (seed 002 §2.1, Discard; §9.1 step 6).

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
node n1 n2 cpu=4

submit ml/low priority=low 1 x cpu=4
submit ml/keep priority=high 1 x cpu=4
cycle
----
bind ml/keep-0 n2
bind ml/low-0 n1

submit ml/gang priority=high 2 x cpu=4
cycle
----
wait ml/gang: GangIncomplete 0 of 2: NotEnoughResources: cpu 4 asked, 0 free on n1; preempt VictimsTooFew 1 of 2: 1 VictimNotLower

log 3 preempt
----
V3 Failed to preempt Task: no victims make room for Task <ml/gang-0> of Job <ml/gang>

log 3 operations
----
V3 Allocating operations ...
V3 Discarding operations ...
V3 Allocating operations ...
V3 Discarding operations ...
