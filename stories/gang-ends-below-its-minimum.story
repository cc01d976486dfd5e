# A gang of which no pod is left that could run is over, also if fewer of its pods have ended than have to start
# together: it keeps no room of its queue.
#
# Two of train start together. One succeeds, the other is deleted and not made again.

node n1 cpu=4
queue q capability=cpu:2

submit ml/train queue=q min=2 minresources=cpu:2 2 x cpu=1
cycle 2 phases
----
0s    bind ml/train-0..1 n1
0s    phase ml/train Inqueue
1s    phase ml/train Running

finish ml/train-0
delete ml/train-1
submit ml/next queue=q min=2 minresources=cpu:2 2 x cpu=1
run phases
----
2s    bind ml/next-0..1 n1
2s    phase ml/next Inqueue
3s    phase ml/next Running
3s    phase ml/train Completed

jobs phase tasks
----
job       phase      tasks
ml/next   Running    2 Running
ml/train  Completed  1 Succeeded
