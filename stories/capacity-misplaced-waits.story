# A job in a queue that has children waits with its reason, and so do jobs of queues in
# a ring or below a queue that is not there. No other job is affected.

conf
  tier priority gang
  tier predicates capacity(enableHierarchy=true)

node n1 cpu=20
queue team guarantee=cpu:2
queue leaf parent=team guarantee=cpu:2
queue ring parent=rong
queue rong parent=ring guarantee=cpu:9
queue lost parent=nowhere

submit x/high   queue=team 2 x cpu=1
submit x/round  queue=ring 1 x cpu=1
submit x/adrift queue=lost 1 x cpu=1
submit x/sound  queue=leaf 4 x cpu=1
run
----
0s    bind x/sound-0..3 n1
wait x/adrift: QueueOrphaned lost: nowhere
wait x/high: QueueNotLeaf team
wait x/round: QueueCyclic ring

queues real allocated request
----
queue  real    allocated  request
leaf   cpu=20  cpu=4      cpu=4
lost   -       -          cpu=1
ring   -       -          cpu=1
rong   -       -          -
team   cpu=20  cpu=4      cpu=6

problems
----
Queue/lost: spec.parent: its ancestor "nowhere" does not exist: its jobs wait
Queue/ring: spec.parent: its parents form a ring (parent "rong"): its jobs wait
Queue/rong: spec.parent: its parents form a ring (parent "ring"): its jobs wait
Queue/team: spec.queue: 1 job names it, and it has child queues: it waits, only leaves take jobs
