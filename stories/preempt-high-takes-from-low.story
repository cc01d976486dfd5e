# A job of higher priority has a less important one of its queue evicted, and gets its
# room once it is gone: no other job does in between (seed 002 §1, §9.1).

conf
  actions enqueue allocate backfill preempt
class low 1
class high 100
node n1 cpu=4

submit ml/old priority=low 1 x cpu=4
cycle
----
bind ml/old-0 n1

submit ml/new priority=high 1 x cpu=3
cycle
----
evict ml/old-0 n1 for ml/new-0
nominate ml/new-0 n1
wait ml/new: Reserved: n1

submit ml/small priority=low 1 x cpu=2
cycle
----
bind ml/new-0 n1
wait ml/old: NoPods
wait ml/small: QueueDeserved default: cpu 5 with it, 4 deserved; preempt NoVictims

cycle
----
wait ml/old: NoPods
wait ml/small: QueueDeserved default: cpu 5 with it, 4 deserved; preempt NoVictims: 1 VictimNotLower
