# For a gang of which some members fit into idle room only as many leave as the others need;
# where all fit no pod does (seed 002 §4.1).

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
node n1 n2 cpu=4

submit ml/low priority=low 2 x cpu=2 on=n1
submit ml/half priority=low 1 x cpu=2 on=n2
cycle
----
nothing

submit ml/gang priority=high 3 x cpu=2
cycle
----
evict ml/low-1 n1 for ml/gang-0
evict ml/low-0 n1 for ml/gang-0
nominate ml/gang-0..1 n1
nominate ml/gang-2 n2
wait ml/gang: Reserved: n1

run
----
2s    bind ml/gang-0..2 n1 n2
wait ml/low: NoPods
