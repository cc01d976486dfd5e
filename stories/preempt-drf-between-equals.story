# Between jobs of equal priority drf decides: a job takes from one that is left with at
# least as large a share as it would have itself, and stops where shares meet (seed 002
# §4.3 DRF, §8.4 cause 4).

conf
  actions enqueue allocate backfill preempt
  tier    priority gang drf
  tier    predicates nodeorder
node n1 cpu=6

submit ml/wide min=1 6 x cpu=1
cycle
----
bind ml/wide-0..5 n1

submit ml/new min=1 4 x cpu=1
cycle
----
wait ml/new: NotEnoughResources: cpu 1 asked, 0 free on n1; preempt NoVictims: 6 VictimNotLower

cycle
----
wait ml/new: NotEnoughResources: cpu 1 asked, 0 free on n1; preempt NoVictims: 6 VictimNotLower

submit ml/large 1 x cpu=5
cycle
----
wait ml/large: NotEnoughResources: cpu 5 asked, 0 free on n1; preempt NoVictims: 6 VictimNotLower
wait ml/new: NotEnoughResources: cpu 1 asked, 0 free on n1; preempt NoVictims: 6 VictimNotLower

why ml/large
----
NotEnoughResources: cpu 5 asked, 0 free on n1
  InsufficientResource cpu on n1
preempt NoVictims: 6 VictimNotLower
  VictimNotLower of 6 pods
