# Of the queue's room nothing is kept for longer than a minute for a lost member that nothing makes anew.
#
# train has lost one of four. waits fits beside the three, and is admitted a minute later. When the pod comes
# at last, train has its place before late, which came with it.

node n1 cpu=4
queue q capability=cpu:4

submit ml/train queue=q min=4 minresources=cpu:4 4 x cpu=1
cycle 2 phases
----
0s    bind ml/train-0..3 n1
0s    phase ml/train Inqueue
1s    phase ml/train Running

fail ml/train-3
submit ml/waits queue=q minresources=cpu:1 1 x cpu=1 for=30s
cycle 2 phases
----
2s    phase ml/train Unknown
wait ml/train: NotEnoughTasks 3 of 4
wait ml/waits: QueueQuotaInsufficient q: cpu 5 with it, 4 may be

run until=2m phases
----
1m2s  bind ml/waits-0 n1
1m2s  phase ml/waits Inqueue
1m3s  phase ml/waits Running
1m33s phase ml/waits Completed
wait ml/train: NotEnoughTasks 3 of 4

cordon n1
grow ml/train 1 x cpu=1
submit ml/late queue=q minresources=cpu:1 1 x cpu=1
cycle 2 phases
----
2m2s  phase ml/late Inqueue
wait ml/late: NodeUnschedulable: on n1
wait ml/train: GangIncomplete 0 of 1: NodeUnschedulable: on n1

node n2 cpu=1
run until=4m phases
----
2m3s  bind ml/train-4 n2
2m3s  phase ml/train Running
wait ml/late: QueueCapability q (held): cpu 4 with it, 4 may be
