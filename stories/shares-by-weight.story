# Two queues that both want everything get what their weights say, however unequal their
# jobs.
#
# gold weighs three times as much as iron: 9 and 3 of 12 GPUs, and the CPUs by the same
# measure.

node n1 n2 n3 cpu=16 gpu=4
queue gold weight=3
queue iron weight=1

submit ml/many   queue=gold min=1 12 x cpu=4,gpu=1
submit ml/single queue=iron min=1 12 x cpu=4,gpu=1
run
----
0s    bind ml/many-0..8 n1 n2 n3
0s    bind ml/single-0..2 n1 n2 n3
wait ml/many: QueueOverused gold: cpu 36 deserved, 36 held; gpu 9 deserved, 9 held
wait ml/single: QueueOverused iron: cpu 12 deserved, 12 held; gpu 3 deserved, 3 held

queues deserved allocated overused
----
queue  deserved      allocated     overused
gold   cpu=36,gpu=9  cpu=36,gpu=9  yes
iron   cpu=12,gpu=3  cpu=12,gpu=3  yes
