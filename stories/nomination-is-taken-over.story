# A job that could lawfully evict a preemptor may have its nomination instead, when preempt
# has its turn before allocate: the more important newcomer gets the room, no other pod
# is evicted, and the nomination of the first is taken back (decision 13).

conf
  actions enqueue preempt allocate backfill
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class mid 50
class high 100
node n1 cpu=4

submit ml/old priority=low 1 x cpu=4
cycle
----
bind ml/old-0 n1

submit ml/mid priority=mid 1 x cpu=4
cycle
----
evict ml/old-0 n1 for ml/mid-0
nominate ml/mid-0 n1
wait ml/mid: Reserved: n1

submit ml/high priority=high 1 x cpu=4
cycle
----
nominate ml/mid-0
nominate ml/high-0 n1
bind ml/high-0 n1
wait ml/mid: NotEnoughResources: cpu 4 asked, 0 free on n1; preempt NoVictims
wait ml/old: NoPods

pods status node nominated
----
pod        status   node  nominated
ml/high-0  Binding  n1    -
ml/mid-0   Pending  -     n1

run
----
wait ml/mid: NotEnoughResources: cpu 4 asked, 0 free on n1; preempt NoVictims: 1 VictimNotLower
wait ml/old: NoPods

pods status node nominated
----
pod        status   node  nominated
ml/high-0  Running  n1    -
ml/mid-0   Pending  -     -
