# What the log says of a preemption, from -v 3 (seed 002 §8.1, §8.2, §9.2).

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
node n1 cpu=4
queue ml

submit ml/old queue=ml priority=low min=2 4 x cpu=1
cycle
----
bind ml/old-0..3 n1

submit ml/lacks queue=ml priority=high min=2 1 x cpu=1
submit ml/new queue=ml priority=high 1 x cpu=2
cycle
----
evict ml/old-2..3 n1 for ml/new-0
nominate ml/new-0 n1
wait ml/lacks: NotEnoughTasks 1 of 2
wait ml/new: Reserved: n1

log 5 reempt
----
V5 Enter Preempt ...
V4 Job <ml/lacks> Queue <ml> skip preemption, reason: 1 of at least 2 pods exist
V3 Try to preempt Task <ml/old-2> for Task <ml/new-0>
V3 Try to preempt Task <ml/old-3> for Task <ml/new-0>
V3 Preempted <cpu 2000.00, memory 0.00, pods 2.00> for Task <ml/new-0> requested <cpu 2000.00, memory 0.00, pods 1.00>.
V3 No preemptors in Queue <default>, break.
V5 Leaving Preempt ...

log 3 operations
----
V3 Allocating operations ...
V3 Discarding operations ...
V3 Allocating operations ...
V3 Committing operations ...
