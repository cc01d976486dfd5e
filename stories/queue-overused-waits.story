# A queue that holds what it deserves is served no more, though there is room.
#
# Half of eight CPUs is blue's. Its task needs four on one node, and none has as many:
# it waits for a bigger one. red has its half and could use the rest, and does not get
# it, or blue would find it taken when the node comes.

node n1 n2 n3 n4 cpu=2
queue blue red

submit x/solver queue=blue 1 x cpu=4
submit x/fill   queue=red min=1 8 x cpu=1
run
----
0s    bind x/fill-0..3 n1 n2 n3 n4
wait x/fill: QueueOverused red: cpu 4 deserved, 4 held
wait x/solver: never PodTooLarge x/solver-0: cpu 4 asked, 2 there; NotEnoughResources: cpu 4 asked, 1 free on n1

queues deserved allocated request overused
----
queue  deserved  allocated  request  overused
blue   cpu=4     -          cpu=4    no
red    cpu=4     cpu=4      cpu=8    yes

node big cpu=4
cycle
----
bind x/solver-0 big
bind x/fill-4 n4
bind x/fill-5 n1
bind x/fill-6 n2
bind x/fill-7 n3
