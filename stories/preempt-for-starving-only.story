# Only jobs that starve have others evicted for them: not one that has its minimum, not one
# that lacks pods, not one that is not admitted (seed 002 §2.1, §3.1, §8.4 cause 1, §9.1
# steps 1 and 2).

conf
  actions enqueue allocate backfill preempt
class low 1
class high 100
node n1 cpu=5

submit ml/low priority=low min=1 4 x cpu=1
submit ml/begun priority=high 1 x cpu=1
cycle
----
bind ml/begun-0 n1
bind ml/low-0..3 n1

grow ml/begun 1 x cpu=1
submit ml/lacks priority=high min=3 2 x cpu=1
submit ml/oversize priority=high minresources=cpu:9 1 x cpu=1
cycle
----
wait ml/begun: QueueOverused default: cpu 5 deserved, 5 held
wait ml/lacks: NotEnoughTasks 2 of 3
wait ml/oversize: QueueQuotaInsufficient default: cpu 11 with it, 5 may be

submit ml/starves priority=high 1 x cpu=1
cycle
----
evict ml/low-3 n1 for ml/starves-0
nominate ml/starves-0 n1
wait ml/begun: QueueOverused default: cpu 5 deserved, 5 held
wait ml/lacks: NotEnoughTasks 2 of 3
wait ml/oversize: QueueQuotaInsufficient default: cpu 11 with it, 5 may be
wait ml/starves: Reserved: n1

jobs phase tasks
----
job          phase    tasks
ml/begun     Running  1 Pending, 1 Running
ml/lacks     Inqueue  2 Pending
ml/low       Running  3 Running, 1 Releasing
ml/oversize  Pending  1 Pending
ml/starves   Inqueue  1 Pipelined

log 4 preempt
----
V4 Job <ml/lacks> Queue <default> skip preemption, reason: 2 of at least 3 pods exist
V3 Try to preempt Task <ml/low-3> for Task <ml/starves-0>
