# A controller that never makes a lost member anew keeps nobody waiting for long.
#
# After a minute, which is how long room is reserved that was freed for somebody, the room is anybody's.

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
