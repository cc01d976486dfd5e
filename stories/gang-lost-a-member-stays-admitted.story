# A gang that runs and loses a member is not asked again at the gate of its queue.
#
# lo holds eight of the ten CPUs that its queue may hold. Were it asked as if it held
# nothing, it would need eight beside the seven that it still holds, and hang for ever.
# What it holds counts once: with the one that it lacks its queue holds eight again. Its
# phase is Unknown as long as it lacks a member, which controllers act upon.

node n1 cpu=20
queue q capability=cpu:10

submit ml/lo queue=q min=8 minresources=cpu:8 8 x cpu=1
cycle 2 phases
----
0s    bind ml/lo-0..7 n1
0s    phase ml/lo Inqueue
1s    phase ml/lo Running

delete ml/lo-7
cycle 3 phases
----
3s    phase ml/lo Unknown
wait ml/lo: NotEnoughTasks 7 of 8

queues allocated inqueue
----
queue  allocated  inqueue
q      cpu=7      cpu=1

grow ml/lo 1 x cpu=1
cycle 2 phases
----
5s    bind ml/lo-7 n1
6s    phase ml/lo Running
