# The node on which room was made dies: the nomination ends with it, and room
# is made elsewhere.

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

remove node n1
cycle
----
nominate ml/new-0
evict ml/old-a-0 n2 for ml/new-0
nominate ml/new-0 n2
wait ml/new: Reserved: n2
wait ml/old-b: NotEnoughResources: cpu 4 asked, 0 free on n2; preempt NoVictims: 1 VictimNotLower

pods status node nominated
----
pod         status     node  nominated
ml/new-0    Pipelined  n2    n1
ml/old-a-0  Releasing  n2    -
ml/old-b-0  Pending    -     -

run
----
3s    bind ml/new-0 n2
wait ml/old-a: NotEnoughResources: cpu 4 asked, 0 free on n2; preempt NoVictims: 1 VictimNotLower
wait ml/old-b: NotEnoughResources: cpu 4 asked, 0 free on n2; preempt NoVictims: 1 VictimNotLower
