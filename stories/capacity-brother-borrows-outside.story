# What a queue takes beside a brother's guarantee is borrowed from all queues.
#
# Team a is guaranteed four of ten CPUs, all of it for `steady`. What its brother takes
# is no part of that: team b is left with six CPUs less what the brother has.

conf
  tier priority gang
  tier predicates capacity(enableHierarchy=true)

node n1 cpu=10
queue a guarantee=cpu:4
queue b
queue steady  parent=a guarantee=cpu:4
queue brother parent=a
queue batch   parent=b

submit x/brother queue=brother min=1 3 x cpu=1
run
----
0s    bind x/brother-0..2 n1

submit x/batch queue=batch min=1 9 x cpu=1
run
----
4s    bind x/batch-0..2 n1
wait x/batch: QueueCapability root (guarantees kept): cpu 11 with it, 10 may be

submit x/steady queue=steady min=4 4 x cpu=1
run
----
8s    bind x/steady-0..3 n1
wait x/batch: NotEnoughResources: cpu 1 asked, 0 free on n1
