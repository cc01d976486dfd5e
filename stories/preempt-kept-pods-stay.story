# A pod marked volcano.sh/preemptable: "false" is never a victim, however unimportant it
# is (seed 002 §2.2, §8.4 cause 2, §9.1 step 3).

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
node n1 n2 cpu=4

submit ml/kept priority=low 1 x cpu=4 kept
cycle
----
bind ml/kept-0 n2

submit ml/other priority=high 1 x cpu=4
cycle
----
bind ml/other-0 n1

submit ml/new priority=high 1 x cpu=4
cycle
----
wait ml/new: NotEnoughResources: cpu 4 asked, 0 free on n1; preempt NoVictims: 1 VictimKept, 1 VictimNotLower

why ml/new
----
NotEnoughResources: cpu 4 asked, 0 free on n1
  InsufficientResource cpu on 2 nodes
preempt NoVictims: 1 VictimKept, 1 VictimNotLower
  VictimKept of ml/kept-0
  VictimNotLower of ml/other-0
