# What siblings are guaranteed is kept for them, on every level of the tree.
#
# Of twenty CPUs team b is guaranteed five; of team a's fifteen a queue in it is
# guaranteed three, and keeps them from its brother.

conf
  tier priority gang
  tier predicates capacity(enableHierarchy=true)

node n1 cpu=20
queue a guarantee=cpu:3
queue b guarantee=cpu:5
queue greedy parent=a
queue modest parent=a guarantee=cpu:3
queue quiet  parent=b

submit x/all queue=greedy min=1 20 x cpu=1
run
----
0s    bind x/all-0..11 n1
wait x/all: QueueCapability greedy: cpu 13 with it, 12 may be

submit x/some  queue=modest min=1 3 x cpu=1
submit x/other queue=quiet  min=1 5 x cpu=1
run
----
4s    bind x/other-0..4 n1
4s    bind x/some-0..2 n1
wait x/all: QueueCapability greedy: cpu 13 with it, 12 may be

queues guarantee real allocated
----
queue   guarantee  real    allocated
a       cpu=3      cpu=15  cpu=15
b       cpu=5      cpu=17  cpu=5
greedy  -          cpu=12  cpu=12
modest  cpu=3      cpu=15  cpu=3
quiet   -          cpu=17  cpu=5
