# With a patience the start of gang is planned once it has waited for so long. Jobs that came before that pass it as any
# others do: short, which found no room then, has ended before b has, and goes ahead; late has not.

conf
  actions enqueue allocate backfill(backfill.patience=5m)
  tier    gang
  tier    predicates nodeorder
node n1 n2 cpu=4

submit ml/a     1 x cpu=4 on=n1 limit=10m
submit ml/b     1 x cpu=4 on=n2 limit=14m
submit ml/gang  min=2 2 x cpu=4 at=10s for=1m
submit ml/late  1 x cpu=4 at=20s limit=30m
submit ml/short 1 x cpu=4 at=30s limit=2m
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
