# preempt takes from other jobs of the same queue and from no others (seed 002 §1.1,
# §2.2): what is as unimportant in another queue stays.

conf
  actions enqueue allocate backfill preempt
class low 1
class high 100
node n1 n2 cpu=4
queue ml other

submit ml/theirs queue=other priority=low 1 x cpu=4
submit ml/ours queue=ml priority=low 1 x cpu=4
cycle
----
bind ml/ours-0 n2
bind ml/theirs-0 n1

submit ml/new queue=ml priority=high 1 x cpu=4
submit ml/newer queue=ml priority=high 1 x cpu=4
cycle
----
evict ml/ours-0 n2 for ml/new-0
nominate ml/new-0 n2
wait ml/new: Reserved: n2
wait ml/newer: QueueOverused ml: cpu 4 deserved, 4 held; preempt NoVictims: 1 VictimNotLower

why ml/newer
----
QueueOverused ml: cpu 4 deserved, 4 held
preempt NoVictims: 1 VictimNotLower
  VictimNotLower of ml/new-0
