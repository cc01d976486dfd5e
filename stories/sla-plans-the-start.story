# A job that has waited as long as it was to has its start planned, in a queue in which no starts are planned otherwise:
# from then on no later job delays it. late would take n1 for half an hour as soon as a has ended; short has ended
# before b has, and goes ahead.

conf
  actions enqueue allocate backfill
  tier    sla gang
  tier    predicates nodeorder
node n1 n2 cpu=4

submit ml/a     1 x cpu=4 on=n1 limit=10m
submit ml/b     1 x cpu=4 on=n2 limit=14m
submit ml/gang  min=2 2 x cpu=4 at=10s sla=5m for=1m
submit ml/late  1 x cpu=4 at=20s limit=30m
submit ml/short 1 x cpu=4 at=30s limit=2m
run until=30s
----
wait ml/gang: GangIncomplete 0 of 2: NotEnoughResources: cpu 4 asked, 0 free on n1
wait ml/late: NotEnoughResources: cpu 4 asked, 0 free on n1
wait ml/short: NotEnoughResources: cpu 4 asked, 0 free on n1

run until=310s
----
wait ml/gang: GangIncomplete 0 of 2: StartPlanned 14m0s on n1, n2: NotEnoughResources: cpu 4 asked, 0 free on n1
wait ml/late: NotEnoughResources: cpu 4 asked, 0 free on n1
wait ml/short: NotEnoughResources: cpu 4 asked, 0 free on n1

run until=20m
----
10m   bind ml/short-0 n1
14m   bind ml/gang-0..1 n1 n2
15m1s bind ml/late-0 n2
