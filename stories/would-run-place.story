# What would make a job run that finds no place: room in one domain, a higher tier, labels, taints, gates; and what would
# not, as long as nobody changes what it asks for.

conf
  actions enqueue allocate backfill
  tier priority gang conformance
  tier predicates nodeorder network-topology-aware

node a1 a2 cpu=4 label=zone:east
node b1 b2 cpu=4 label=zone:west
hypernode rack-a tier=1 nodes=a1,a2
hypernode rack-b tier=1 nodes=b1,b2
hypernode row tier=2 children=rack-a,rack-b
queue ml

submit ml/here  queue=ml 1 x cpu=3 on=a1
submit ml/there queue=ml 1 x cpu=3 on=b1
submit ml/two   queue=ml 1 x cpu=2 on=b2
cycle
----
nothing

submit ml/ring  queue=ml min=3 topology=hard:1 3 x cpu=2
submit ml/west  queue=ml 1 x cpu=3 selector=zone:west
submit ml/gated queue=ml 1 x cpu=1 gated
run until=10s
----
wait ml/gated: SchedulingGated 1
wait ml/ring: GangIncomplete 2 of 3: TopologyNoRoom 2 of 3 (tier 1) in rack-a
wait ml/west: NotEnoughResources: cpu 3 asked, 2 free on b2

would-run ml/ring
----
minMember 2 instead of 3
its pods ask for 1.3 cpu each instead of 2
highestTierAllowed 2 instead of 1
1 more cpu free on node a1 (in HyperNode rack-a, tier 1)
after ml/here ends

would-run ml/west
----
its pods ask for 2 cpu each instead of 3
its pods have no nodeSelector for zone
1 more cpu free on node b2
1 more node like b1
after ml/two ends

would-run ml/gated
----
the scheduling gates of 1 pod are removed
