# A queue root written by the user bounds the whole tree; what it does not name the
# cluster bounds.
#
# The cluster has sixteen CPUs and eight GPUs, and root may use eight CPUs.

node n1 cpu=16 gpu=8
queue root capability=cpu:8
queue day night

submit x/tests  queue=day   min=1 16 x cpu=1
submit x/nights queue=night min=1 16 x cpu=1,gpu=1
run
----
0s    bind x/nights-0..3 n1
0s    bind x/tests-0..3 n1
wait x/nights: QueueDeserved night: cpu 5 with it, 4 deserved
wait x/tests: QueueOverused day: cpu 4 deserved, 4 held

queues deserved allocated real
----
queue  deserved     allocated    real
day    cpu=4        cpu=4        cpu=8,gpu=8
night  cpu=4,gpu=8  cpu=4,gpu=4  cpu=8,gpu=8
