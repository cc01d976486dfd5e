# A planned start moves forward when pods end before they had to: a has a limit of an hour and ends after five minutes.
# So gang needs n2 besides, and no longer n3. Late has no limit: it takes n3 once c has ended.

conf
  actions enqueue allocate backfill(backfill.depth=1,backfill.resolution=10s)
  tier    priority gang
  tier    predicates nodeorder
node n1 n2 n3 cpu=4
queue ml

submit ml/a    queue=ml 1 x cpu=4 on=n1 limit=60m takes=5m
submit ml/b    queue=ml 1 x cpu=4 on=n2 limit=20m
submit ml/c    queue=ml 1 x cpu=4 on=n3 limit=40m
submit ml/gang queue=ml min=2 2 x cpu=4 at=10s takes=30m
submit ml/late queue=ml 1 x cpu=4 at=20s
run until=20m
----
20m   bind ml/gang-0..1 n1 n2
wait ml/late: StartPlanned 40m0s on n3: NotEnoughResources: cpu 4 asked, 0 free on n1

run
----
40m   bind ml/late-0 n3
