# A PodGroup that is deleted and made again while its pods run finds its gang admitted.

node n1 cpu=20
queue q capability=cpu:10

submit ml/train queue=q min=8 minresources=cpu:8 8 x cpu=1
cycle 2 phases
----
0s    bind ml/train-0..7 n1
0s    phase ml/train Inqueue
1s    phase ml/train Running

remove group ml/train
delete ml/train-0
cycle 2 phases
----
nothing

submit ml/train queue=q min=8 minresources=cpu:8
cycle phases
----
phase ml/train Unknown
wait ml/train: NotEnoughTasks 7 of 8

grow ml/train 1 x cpu=1
cycle 2 phases
----
5s    bind ml/train-0 n1
6s    phase ml/train Running
