# Each role keeps its own minimum: of one ps and three workers, two of them needed, the
# one worker above goes; then no other pod, but the gang as a whole (seed 002 §4.3).

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
node n1 cpu=4

submit ml/train priority=low min=3 minroles=ps:1,worker:2 1 x cpu=1 as ps 3 x cpu=1 as worker
cycle
----
bind ml/train-ps-0 n1
bind ml/train-worker-0..2 n1

submit ml/one priority=high 1 x cpu=1
cycle
----
evict ml/train-worker-2 n1 for ml/one-0
nominate ml/one-0 n1
wait ml/one: Reserved: n1

submit ml/two priority=high 1 x cpu=1
cycle
----
bind ml/one-0 n1
evict ml/train-worker-1 n1 for ml/two-0
evict ml/train-worker-0 n1 for ml/two-0
evict ml/train-ps-0 n1 for ml/two-0
nominate ml/two-0 n1
wait ml/two: Reserved: n1
