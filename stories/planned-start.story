# With an argument of action backfill the start of the first job that waits is planned: the earliest time at which, by the
# ends of pods that are known, all of it has room. short has ended by then, by its limit, and runs in that room. long has
# no limit, so it has only what is left beside it. beside is not in the way.

conf
  actions enqueue allocate backfill(backfill.depth=1,backfill.resolution=10s)
  tier    priority gang
  tier    predicates nodeorder
node n1 n2 n3 cpu=4
queue ml

submit ml/a      queue=ml 1 x cpu=4 on=n1 limit=100s
submit ml/b      queue=ml 1 x cpu=2 on=n2 limit=300s
submit ml/c      queue=ml 1 x cpu=4 on=n3
submit ml/gang   queue=ml min=2 2 x cpu=4 at=10s for=60s
submit ml/long   queue=ml 1 x cpu=1 at=20s for=60s
submit ml/short  queue=ml 1 x cpu=2 at=30s limit=60s
submit ml/short2 queue=ml 1 x cpu=4 at=150s limit=100s for=80s
submit ml/late   queue=ml 1 x cpu=4 at=230s limit=100s for=20s
run until=1m31s
----
30s   bind ml/short-0 n2
wait ml/gang: GangIncomplete 0 of 2: StartPlanned 5m0s on n1, n2: NotEnoughResources: cpu 4 asked, 2 free on n2
wait ml/long: NotEnoughResources: cpu 1 asked, 0 free on n1

why ml/gang
----
GangIncomplete 0 of 2
  StartPlanned 5m0s on n1, n2
    NotEnoughResources: cpu 4 asked, 2 free on n2
      InsufficientResource cpu on 3 nodes

nodes used claimed
----
node  used   claimed
n1    cpu=4  -
n2    cpu=2  cpu=4
n3    cpu=4  -

run until=5m
----
2m30s bind ml/short2-0 n1
5m    bind ml/gang-0..1 n1 n2
wait ml/late: NotEnoughResources: cpu 4 asked, 0 free on n1
wait ml/long: StartPlanned 6m0s on n1: NotEnoughResources: cpu 1 asked, 0 free on n1
