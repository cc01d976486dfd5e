# With backfill.trust=predicted a job may pass by what earlier runs took, too. Short ran twice for two minutes, so it
# goes ahead of gang. This time it takes six, and gang starts that much later; again is held back then: gang is late by
# more than maxSlip, 0.

conf
  actions enqueue allocate backfill(backfill.trust=predicted,backfill.resolution=10s)
  tier    priority gang
  tier    predicates nodeorder
node n1 n2 cpu=4
queue ml

submit ml/ran-1 queue=ml 1 x cpu=4 takes=2m template=short
submit ml/ran-2 queue=ml 1 x cpu=4 takes=2m template=short
run until=3m
----
0s    bind ml/ran-1-0 n2
0s    bind ml/ran-2-0 n1

submit ml/a     queue=ml 1 x cpu=4 on=n1 limit=5m
submit ml/gang  queue=ml min=2 2 x cpu=4 at=190s for=1m
submit ml/short queue=ml 1 x cpu=4 at=200s takes=6m template=short
submit ml/again queue=ml 1 x cpu=4 at=490s takes=30s template=short
run until=5m21s
----
3m20s bind ml/short-0 n2
wait ml/gang: GangIncomplete 0 of 2: StartPlanned 8m10s on n1, n2: NotEnoughResources: cpu 4 asked, 0 free on n1

run until=9m21s
----
9m21s bind ml/gang-0..1 n1 n2
wait ml/again: StartPlanned 10m30s on n1: NotEnoughResources: cpu 4 asked, 0 free on n1

run
----
10m22s bind ml/again-0 n2
