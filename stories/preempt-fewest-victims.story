# No pod goes that can stay: one job of three cores rather than three of one, although these
# come first in the order of victims, and are given back again (seed 002 §5.2, reprieve).

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
node n1 cpu=6

submit ml/large priority=low 1 x cpu=3
cycle
----
bind ml/large-0 n1

submit ml/small-a priority=low 1 x cpu=1
submit ml/small-b priority=low 1 x cpu=1
submit ml/small-c priority=low 1 x cpu=1
cycle
----
bind ml/small-a-0 n1
bind ml/small-b-0 n1
bind ml/small-c-0 n1

submit ml/new priority=high 1 x cpu=3
cycle
----
evict ml/large-0 n1 for ml/new-0
nominate ml/new-0 n1
wait ml/new: Reserved: n1

submit ml/newer priority=high 1 x cpu=2
cycle
----
bind ml/new-0 n1
evict ml/small-b-0 n1 for ml/newer-0
evict ml/small-c-0 n1 for ml/newer-0
nominate ml/newer-0 n1
wait ml/large: NoPods
wait ml/newer: Reserved: n1
