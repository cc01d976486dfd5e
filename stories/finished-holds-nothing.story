# A pod that has finished holds nothing, neither on its node nor in its queue, and counts
# for its job all the same.
#
# The first of two members has done its work and the second still runs: the gang is whole.
# Both finished, it is completed.

node n1 cpu=2
queue ml

submit ml/pair queue=ml min=2 2 x cpu=1
cycle
----
bind ml/pair-0..1 n1

submit ml/next queue=ml 1 x cpu=1
cycle
----
wait ml/next: QueueOverused ml: cpu 2 deserved, 2 held

finish ml/pair-0
cycle phases
----
bind ml/next-0 n1

jobs phase tasks
----
job      phase    tasks
ml/next  Inqueue  1 Binding
ml/pair  Running  1 Running, 1 Succeeded

finish ml/pair-1
cycle phases
----
phase ml/next Running
phase ml/pair Completed

queues allocated
----
queue  allocated
ml     cpu=1
