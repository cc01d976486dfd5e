# What a gang holds and what it lacks of its minimum count once at the gate of its queue.
#
# train has lost one of eight. The queue may hold ten: with the seven that train holds and
# the one that it lacks there is room for two more, not for three.

node n1 cpu=20
queue q capability=cpu:10

submit ml/train queue=q phase=Unknown min=8 minresources=cpu:8 7 x cpu=1 on=n1
submit ml/three queue=q minresources=cpu:3 3 x cpu=1
submit ml/two queue=q minresources=cpu:2 2 x cpu=1
cycle phases
----
phase ml/two Inqueue
bind ml/two-0..1 n1
wait ml/three: QueueQuotaInsufficient q: cpu 11 with it, 10 may be
wait ml/train: NotEnoughTasks 7 of 8

grow ml/train 1 x cpu=1
cycle phases
----
bind ml/train-7 n1
phase ml/two Running
wait ml/three: QueueQuotaInsufficient q: cpu 13 with it, 10 may be

queues allocated inqueue
----
queue  allocated  inqueue
q      cpu=10     -
