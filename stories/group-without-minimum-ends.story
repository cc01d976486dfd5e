# A group that needs no member and has none has nothing more to run: it is Completed.
#
# Some operators set the minimum to nothing when their job is over. Members that come later
# all the same are admitted like those of any other group.

node n1 cpu=8
queue q

submit ml/ray queue=q min=2 minresources=cpu:2 2 x cpu=1
cycle 2 phases
----
0s    bind ml/ray-0..1 n1
0s    phase ml/ray Inqueue
1s    phase ml/ray Running

edit ml/ray min=0 minresources=cpu:0
delete ml/ray-0
delete ml/ray-1
cycle 3 phases
----
3s    phase ml/ray Completed

grow ml/ray 1 x cpu=1
cycle 2 phases
----
5s    bind ml/ray-0 n1
5s    phase ml/ray Inqueue
6s    phase ml/ray Running

submit ml/empty queue=q min=0
cycle phases
----
phase ml/empty Inqueue
phase ml/empty Completed

jobs phase tasks
----
job       phase      tasks
ml/empty  Completed  -
ml/ray    Running    1 Running
