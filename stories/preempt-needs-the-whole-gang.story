# No pod is evicted for a gang that would not start all the same: with every pod of low
# gone there is room for two of three (decision 13).

conf
  actions enqueue allocate backfill preempt
class low 1
class high 100
node n1 n2 cpu=4

submit ml/low priority=low 1 x cpu=4
submit ml/keep priority=high 1 x cpu=4
cycle
----
bind ml/keep-0 n2
bind ml/low-0 n1

submit ml/gang priority=high min=2 2 x cpu=3
cycle
----
wait ml/gang: QueueOverused default: cpu 8 deserved, 8 held; preempt VictimsTooFew 1 of 2: 1 VictimNotLower

why ml/gang
----
QueueOverused default: cpu 8 deserved, 8 held
preempt VictimsTooFew 1 of 2: 1 VictimNotLower
  VictimNotLower of ml/keep-0
