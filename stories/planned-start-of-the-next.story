# Once first starts, gang comes first. Its start is planned before jobs behind it have their turn, in the same moment:
# so late, which has no limit, does not take n1, which gang needs when b has ended. Short has ended by then.

conf
  actions enqueue allocate backfill(backfill.depth=1,backfill.resolution=10s)
  tier    priority gang
  tier    predicates nodeorder
node n1 n2 n3 cpu=4
queue ml

submit ml/a     queue=ml 2 x cpu=4 limit=5m for=5m
submit ml/b     queue=ml 1 x cpu=4 limit=10m for=10m
submit ml/first queue=ml 1 x cpu=4 at=10s limit=10m for=10m
submit ml/gang  queue=ml min=2 2 x cpu=4 at=20s for=1m
submit ml/late  queue=ml 1 x cpu=4 at=30s for=20m
submit ml/short queue=ml 1 x cpu=4 at=40s limit=2m for=2m
run until=7m2s
----
0s    bind ml/a-0..1 n1 n2
0s    bind ml/b-0 n3
5m1s  bind ml/first-0 n2
5m1s  bind ml/short-0 n1
wait ml/gang: GangIncomplete 1 of 2: StartPlanned 10m10s on n1, n3: NotEnoughResources: cpu 4 asked, 0 free on n1
wait ml/late: NotEnoughResources: cpu 4 asked, 0 free on n2

run until=31m3s
----
10m1s bind ml/gang-0..1 n1 n3
11m2s bind ml/late-0 n1
