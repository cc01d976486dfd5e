# Between jobs of equal priority drf decides: a job takes from one that is left with at
# least as large a share as it would have itself, and stops where shares meet (seed 002
# §4.3 DRF, §8.4 cause 4). priority, in another tier, permits only less important ones.

conf
  actions enqueue allocate backfill preempt
  tier    priority gang(enableJobStarving=false)
  tier    drf predicates nodeorder
node n1 cpu=6

submit ml/wide min=1 6 x cpu=1
cycle
----
bind ml/wide-0..5 n1

submit ml/new min=1 4 x cpu=1
run
----
1s    evict ml/wide-3..5 n1 for ml/new-0 ml/new-1 ml/new-2
1s    nominate ml/new-0..2 n1
2s    bind ml/new-0..2 n1
wait ml/new: NotEnoughResources: cpu 1 asked, 0 free on n1; preempt NoVictims: 3 VictimShare

submit ml/large 1 x cpu=4
cycle
----
wait ml/large: NotEnoughResources: cpu 4 asked, 0 free on n1; preempt NoVictims: 6 VictimShare
wait ml/new: NotEnoughResources: cpu 1 asked, 0 free on n1; preempt NoVictims: 3 VictimShare

why ml/large
----
NotEnoughResources: cpu 4 asked, 0 free on n1
  InsufficientResource cpu on n1
preempt NoVictims: 6 VictimShare
  VictimShare 66.667%, the victim would be left with 33.333% of 4 pods
  VictimShare 66.667%, the victim would be left with 0% of 2 pods
