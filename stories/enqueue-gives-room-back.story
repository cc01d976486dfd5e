# An admitted job that no node takes gives its queue's room back, instead of blocking
# those behind it.
#
# giant was admitted: eight CPUs are within what the queue may hold. But no node has eight,
# so it cannot start. small needs two: had giant kept its eight, small would wait outside
# for a job that never starts. When a large node comes, giant starts all the same.

node n1 n2 cpu=4
queue ml capability=cpu:10

submit ml/giant queue=ml minresources=cpu:8 1 x cpu=8
cycle phases
----
phase ml/giant Inqueue
wait ml/giant: never PodTooLarge ml/giant-0: cpu 8 asked, 4 there; NotEnoughResources: cpu 8 asked, 4 free on n1

submit ml/small queue=ml minresources=cpu:4 2 x cpu=2
cycle 2 phases
----
1s    bind ml/small-0..1 n1 n2
1s    phase ml/small Inqueue
2s    phase ml/small Running
wait ml/giant: never PodTooLarge ml/giant-0: cpu 8 asked, 4 there; QueueDeserved ml: cpu 12 with it, 8 deserved

node n3 cpu=16
queue ml capability=cpu:20
cycle phases
----
bind ml/giant-0 n3

queues inqueue allocated
----
queue  inqueue  allocated
ml     -        cpu=12
