# The more important gang is served first, the next with what is left; what one has been
# given no other counts on (seed 002 §2.1, phase 1).

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class mid 50
class high 100
node n1 n2 cpu=4

submit ml/low-a priority=low 4 x cpu=1
submit ml/low-b priority=low 4 x cpu=1
cycle
----
bind ml/low-a-0 n1
bind ml/low-a-1 n2
bind ml/low-a-2 n1
bind ml/low-a-3 n2
bind ml/low-b-0 n1
bind ml/low-b-1 n2
bind ml/low-b-2 n1
bind ml/low-b-3 n2

submit ml/mid priority=mid 2 x cpu=2
submit ml/high priority=high 2 x cpu=2
cycle
----
evict ml/low-b-3 n2 for ml/high-1
evict ml/low-b-2 n1 for ml/high-0
evict ml/low-b-1 n2 for ml/high-1
evict ml/low-b-0 n1 for ml/high-0
nominate ml/high-0 n1
nominate ml/high-1 n2
evict ml/low-a-3 n2 for ml/mid-1
evict ml/low-a-2 n1 for ml/mid-0
evict ml/low-a-1 n2 for ml/mid-1
evict ml/low-a-0 n1 for ml/mid-0
nominate ml/mid-0 n1
nominate ml/mid-1 n2
wait ml/high: Reserved: n1
wait ml/mid: Reserved: n1

cycle
----
bind ml/high-0 n1
bind ml/high-1 n2
bind ml/mid-0 n1
bind ml/mid-1 n2
wait ml/low-a: NoPods
wait ml/low-b: NoPods

jobs tasks
----
job       tasks
ml/high   2 Binding
ml/low-a  -
ml/low-b  -
ml/mid    2 Binding
