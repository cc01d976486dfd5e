# A member that is made anew in another shape is the one that was lost: nothing is kept beside it.
#
# train-3 asked for four CPUs; what comes in its place asks for one. The rest is next's.

node n1 cpu=8

submit ml/train min=3 2 x cpu=2 1 x cpu=4
cycle
----
bind ml/train-0..2 n1

submit ml/next 1 x cpu=3
fail ml/train-2
cycle
----
wait ml/next: LostMemberFirst ml/train (cpu 4) until 1m1s: QueueDeserved default (kept for a job that waits): cpu 11 with it, 8 deserved
wait ml/train: NotEnoughTasks 2 of 3

grow ml/train 1 x cpu=1
cycle
----
bind ml/train-3 n1
bind ml/next-0 n1
