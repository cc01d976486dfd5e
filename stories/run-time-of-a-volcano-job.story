# What a Volcano Job says in spec.runningEstimate is a guess for those of its pods that say nothing. It comes after
# ashlar.sh/duration and before what earlier runs took, is extended by itself when it is outlived, up to the limit, and
# lets a job pass a planned start where guesses of authors do.

conf
  actions enqueue allocate backfill(backfill.trust=declared,backfill.resolution=10s)
  tier    priority gang
  tier    predicates nodeorder
node n1 n2 cpu=4
queue ml

submit ml/earlier  queue=ml 1 x cpu=1 on=n1 takes=1m template=train
submit ml/busy     queue=ml 1 x cpu=3 on=n1 limit=10m
submit ml/large    queue=ml min=2 2 x cpu=4 at=2m for=1m
submit ml/short    queue=ml estimate=5m 1 x cpu=2 at=3m takes=7m template=train
submit ml/says     queue=ml estimate=5m 1 x cpu=1 guess=4m at=3m template=train
submit ml/long     queue=ml estimate=1h 1 x cpu=1 at=3m limit=2h
submit ml/x 1 x nothing at=4m
submit ml/y 1 x nothing at=9m
run until=4m
----
3m    bind ml/says-0 n2
3m    bind ml/short-0 n2
4m    bind ml/x-0 n2
wait ml/large: GangIncomplete 0 of 2: StartPlanned 10m0s on n1, n2: NotEnoughResources: cpu 4 asked, 1 free on n1
wait ml/long: NodeKept: on 2 nodes

jobs runtime
----
job         runtime
ml/busy     10m enforced
ml/earlier  unknown
ml/large    1m declared
ml/long     1h runningEstimate, limit 2h
ml/says     4m declared
ml/short    5m runningEstimate
ml/x        unknown

run until=9m
----
9m    bind ml/y-0 n2
wait ml/large: GangIncomplete 0 of 2: StartPlanned 10m0s on n1, n2: NotEnoughResources: cpu 4 asked, 1 free on n1
wait ml/long: NodeKept: on 2 nodes

jobs runtime
----
job         runtime
ml/busy     10m enforced
ml/earlier  unknown
ml/large    1m declared
ml/long     1h runningEstimate, limit 2h
ml/says     8m declared
ml/short    10m runningEstimate
ml/x        unknown
ml/y        unknown
