# A controller that never makes a lost member anew keeps no job waiting for long.
#
# After a minute, which is how long room freed for a job is reserved, the room is free for all.

node n1 cpu=8

submit ml/train min=4 4 x cpu=2
cycle
----
bind ml/train-0..3 n1

submit ml/next 1 x cpu=2
fail ml/train-3
run
----
1m1s  bind ml/next-0 n1
wait ml/train: NotEnoughTasks 3 of 4
