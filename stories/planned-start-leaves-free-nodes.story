# The room for gang is kept where pods end by its start, not where there is room now: that is left to others. So
# endless, which has no limit, starts at once on n3, and gang no later for that.

conf
  actions enqueue allocate backfill(backfill.depth=1,backfill.resolution=10s)
  tier    priority gang
  tier    predicates nodeorder
node n1 n2 n3 cpu=4
queue ml

submit ml/a       queue=ml 1 x cpu=4 on=n1 limit=5m for=5m
submit ml/b       queue=ml 1 x cpu=4 on=n2 limit=5m for=5m
submit ml/gang    queue=ml min=2 2 x cpu=4 at=10s for=1m
submit ml/endless queue=ml 1 x cpu=4 at=20s
run until=6m
----
20s   bind ml/endless-0 n3
5m    bind ml/gang-0..1 n1 n2
