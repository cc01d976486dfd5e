# A planned start keeps its distance: both nodes of rack-a are to be free in 5 minutes, and before that a2 is moved into
# another rack. What was kept for the gang is apart now, so it is not started there. The start is planned anew once a
# rack has two nodes again.

conf
  actions enqueue allocate backfill(backfill.depth=1,backfill.resolution=10s)
  tier    priority gang
  tier    predicates nodeorder network-topology-aware
node a1 a2 cpu=4
hypernode rack-a tier=1 nodes=a1,a2
queue ml

submit ml/first queue=ml 2 x cpu=4 limit=5m for=5m
submit ml/gang  queue=ml min=2 topology=hard:1 2 x cpu=4 at=10s limit=1m for=1m
run until=10s
----
0s    bind ml/first-0..1 a1 a2
wait ml/gang: GangIncomplete 0 of 2: StartPlanned 5m10s on a1, a2: TopologyNoRoom 0 of 2 (tier 1) in rack-a

hypernode rack-a tier=1 nodes=a1
hypernode rack-b tier=1 nodes=a2
run until=6m
----
wait ml/gang: GangIncomplete 1 of 2: TopologyNoRoom 1 of 2 (tier 1) in rack-a

nodes used claimed
----
node  used  claimed
a1    -     -
a2    -     -

hypernode rack-b tier=1
hypernode rack-a tier=1 nodes=a1,a2
run
----
6m1s  bind ml/gang-0..1 a1 a2
