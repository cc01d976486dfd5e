# CPUs are shared to the thousandth, and a part of a pod runs nothing: ten CPUs among three
# queues of equal weight are 3.334, 3.333 and 3.333, three pods each, and the tenth CPU idles
# (docs/queues.md, what does not divide).
#
# It is for any queue with a pod that fits: a pod of 300m in one of the queues takes its part of it.

node n1 cpu=10
queue blue green red

submit x/b queue=blue min=1 9 x cpu=1
submit x/g queue=green min=1 9 x cpu=1
submit x/r queue=red min=1 9 x cpu=1
run
----
0s    bind x/b-0..2 n1
0s    bind x/g-0..2 n1
0s    bind x/r-0..2 n1
wait x/b: QueueDeserved blue: cpu 4 with it, 3334m deserved
wait x/g: QueueDeserved green: cpu 4 with it, 3333m deserved
wait x/r: QueueDeserved red: cpu 4 with it, 3333m deserved

queues deserved allocated
----
queue  deserved   allocated
blue   cpu=3334m  cpu=3
green  cpu=3333m  cpu=3
red    cpu=3333m  cpu=3

submit x/small queue=green 1 x cpu=300m
run
----
4s    bind x/small-0 n1
wait x/b: QueueDeserved blue: cpu 4 with it, 3334m deserved
wait x/g: QueueDeserved green: cpu 4300m with it, 3333m deserved
wait x/r: QueueDeserved red: cpu 4 with it, 3333m deserved
