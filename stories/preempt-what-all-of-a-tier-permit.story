# What two plugins of a tier do not permit together may not go, though the next plugin of that tier permits
# it: its list does not take the place of theirs.
#
# low is a gang at its minimum, so gang permits none of its members alone; wide has members above its
# minimum, and priority permits none of them. conformance permits all. wide stays; low goes as a whole.

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
node n1 cpu=4
node n2 cpu=2

submit ml/low priority=low 2 x cpu=1 on=n2
submit ml/wide priority=high min=1 4 x cpu=1 on=n1
cycle
----
nothing

submit ml/new priority=high 1 x cpu=1
cycle
----
evict ml/low-1 n2 for ml/new-0
evict ml/low-0 n2 for ml/new-0
nominate ml/new-0 n2
wait ml/new: Reserved: n2

evictions for whole rules
----
pod       for       whole  rules
ml/low-1  ml/new-0  yes    1:priority
ml/low-0  ml/new-0  yes    1:priority
