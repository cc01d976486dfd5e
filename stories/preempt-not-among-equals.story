# Of two jobs of one priority neither makes room for the other, whichever came first; a
# more important one that runs least of all (seed 002 §8.4 cause 2, §9.1 step 4).

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class mid 50
class high 100
node n1 n2 cpu=4

submit ml/equal priority=mid 1 x cpu=4
submit ml/above priority=high 1 x cpu=4
cycle
----
bind ml/above-0 n2
bind ml/equal-0 n1

submit ml/new priority=mid 1 x cpu=4
cycle
----
wait ml/new: NotEnoughResources: cpu 4 asked, 0 free on n1; preempt NoVictims: 2 VictimNotLower

why ml/new
----
NotEnoughResources: cpu 4 asked, 0 free on n1
  InsufficientResource cpu on 2 nodes
preempt NoVictims: 2 VictimNotLower
  VictimNotLower of 2 pods
