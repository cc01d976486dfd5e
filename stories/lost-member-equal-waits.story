# The room of a member that a gang has lost is the gang's until its controller has made it anew.
#
# The queue may hold eight CPUs, and train holds all of them. next has the same priority and waits. A
# member of train is deleted: for a few seconds no pod waits that would ask for its room. Had next been
# given it, six CPUs would stand idle with the three that are left, for as long as next runs.

node n1 cpu=20
queue q capability=cpu:8

submit ml/train queue=q min=4 4 x cpu=2
cycle
----
bind ml/train-0..3 n1

submit ml/next queue=q 1 x cpu=2
delete ml/train-3
cycle 3
----
wait ml/next: LostMemberFirst ml/train (cpu 2) until 1m1s: QueueCapability q (kept for a job that waits): cpu 10 with it, 8 may be
wait ml/train: NotEnoughTasks 3 of 4

# Its controller makes it anew: it is back, and next goes on waiting for its queue.
grow ml/train 1 x cpu=2
cycle
----
bind ml/train-3 n1
wait ml/next: QueueCapability q (held): cpu 8 with it, 8 may be
