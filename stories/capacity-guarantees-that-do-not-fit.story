# Guarantees that contradict each other are named with both amounts, harm nothing outside
# the queue that made them, and are kept as far as they can be.

conf
  tier priority gang
  tier predicates capacity(enableHierarchy=true)

node n1 cpu=20
queue a capability=cpu:6 guarantee=cpu:4 deserved=cpu:5
queue a1 a2 parent=a guarantee=cpu:5 deserved=cpu:4
queue b deserved=cpu:10

submit x/one   queue=a1 min=1 9 x cpu=1
submit x/two   queue=a2 min=1 9 x cpu=1
submit x/three queue=b  min=1 20 x cpu=1
run
----
0s    bind x/one-0..2 n1
0s    bind x/three-0..13 n1
0s    bind x/two-0..2 n1
wait x/one: QueueCapability a: cpu 7 with it, 6 may be
wait x/three: NotEnoughResources: cpu 1 asked, 0 free on n1
wait x/two: QueueCapability a: cpu 7 with it, 6 may be

queues guarantee deserved real allocated
----
queue  guarantee  deserved  real    allocated
a      cpu=4      cpu=5     cpu=6   cpu=6
a1     cpu=5      cpu=5     cpu=5   cpu=3
a2     cpu=5      cpu=5     cpu=5   cpu=3
b      -          cpu=10    cpu=16  cpu=14

problems
----
Queue/a: spec.deserved.cpu: its children deserve 8, and it deserves 5: they cannot all have theirs
Queue/a: spec.guarantee.resource.cpu: its children are guaranteed 10, and it has 4 to guarantee: not all of it can be kept
