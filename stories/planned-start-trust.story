# By a guess a job passes only where backfill.trust says so. The guess of short is wrong: it runs for two minutes more,
# and gang starts that much later. From then on no job passes it by a guess: it is late by more than maxSlip, 0.

conf
  actions enqueue allocate backfill(backfill.trust=declared,backfill.resolution=10s)
  tier    priority gang
  tier    predicates nodeorder
node n1 n2 cpu=4
queue ml

submit ml/a      queue=ml 1 x cpu=4 on=n1 limit=5m
submit ml/gang   queue=ml min=2 2 x cpu=4 at=10s for=1m
submit ml/short  queue=ml 1 x cpu=4 at=20s guess=3m for=6m
submit ml/second queue=ml 1 x cpu=4 at=310s guess=30s for=10m
run until=3m21s
----
20s   bind ml/short-0 n2
wait ml/gang: GangIncomplete 0 of 2: StartPlanned 5m0s on n1, n2: NotEnoughResources: cpu 4 asked, 0 free on n1

run until=6m21s
----
6m21s bind ml/gang-0..1 n1 n2
wait ml/second: StartPlanned 7m30s on n1: NotEnoughResources: cpu 4 asked, 0 free on n1

run
----
7m22s bind ml/second-0 n2
