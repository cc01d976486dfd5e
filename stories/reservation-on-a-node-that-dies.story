# The node on which room was made dies: the reservation ends with it, and room is made
# elsewhere. Nothing is nominated to a node that is not there.

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
node n1 n2 cpu=4

submit ml/old-a priority=low 1 x cpu=4 owned
submit ml/old-b priority=low 1 x cpu=4 owned
cycle
----
bind ml/old-a-0 n2
bind ml/old-b-0 n1

submit ml/new priority=high 1 x cpu=4
cycle
----
evict ml/old-b-0 n1 for ml/new-0
nominate ml/new-0 n1
wait ml/new: Reserved: n1

remove node n2
cycle
----
bind ml/new-0 n1
wait ml/old-b: WaitsForTurn

pods status node nominated
----
pod         status   node  nominated
ml/new-0    Binding  n1    n1
ml/old-a-0  Running  n2    -
ml/old-b-0  Pending  -     -

run
----
wait ml/old-a: NotEnoughResources: cpu 4 asked, 0 free on n1; preempt NoVictims: 1 VictimNotLower
wait ml/old-b: NotEnoughResources: cpu 4 asked, 0 free on n1; preempt NoVictims: 1 VictimNotLower
