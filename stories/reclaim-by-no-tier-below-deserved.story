# What a queue deserves is its own in every tier: with the tiers of Volcano's default file, too,
# where the plugins of the first would let the pods go, and proportion stands in the second.
#
# Of eight CPUs either queue deserves four, and pods of another scheduler hold two. `a` has its
# four. `b` has two and is owed two more, but no queue in the cluster holds too much.

conf
  actions enqueue allocate backfill reclaim
  tier    priority gang conformance
  tier    overcommit drf predicates proportion nodeorder
node n1 cpu=8
queue a b

submit x/other 2 x cpu=1 scheduler=other on=n1
submit x/a queue=a min=1 4 x cpu=1
submit x/b queue=b min=1 2 x cpu=1
cycle 2
----
0s    bind x/a-0..3 n1
0s    bind x/b-0..1 n1
wait x/other: NoPods

submit x/due queue=b min=1 2 x cpu=1
cycle
----
wait x/due: NotEnoughResources: cpu 1 asked, 0 free on n1; reclaim NoVictims: 4 VictimDeserved
wait x/other: NoPods

queues deserved allocated
----
queue  deserved  allocated
a      cpu=4     cpu=4
b      cpu=4     cpu=2
