# Nothing is reclaimed for a queue whose parent may hold no more: the pod would not be placed.
#
# b holds nothing of the two CPUs that it deserves, but team, which is above it, is full with what a
# deserves. other holds twice what it deserves, and keeps it.

conf
  actions enqueue allocate backfill reclaim
  tier    priority gang conformance
  tier    predicates capacity(enableHierarchy=true) nodeorder
node n1 cpu=12
queue other deserved=cpu:4
queue team capability=cpu:4 deserved=cpu:4
queue a parent=team deserved=cpu:4
queue b parent=team deserved=cpu:2

submit ml/a queue=a min=1 4 x cpu=1
submit ml/other queue=other min=1 8 x cpu=1
run
----
0s    bind ml/a-0..3 n1
0s    bind ml/other-0..7 n1

submit ml/b queue=b 1 x cpu=1
run
----
wait ml/b: QueueCapability team: cpu 5 with it, 4 may be; reclaim VictimsTooFew 4 of 12: 8 VictimDeserved

queues allocated deserved real
----
queue  allocated  deserved  real
a      cpu=4      cpu=4     cpu=4
b      -          cpu=2     cpu=4
other  cpu=8      cpu=4     cpu=12
team   cpu=4      cpu=4     cpu=4
