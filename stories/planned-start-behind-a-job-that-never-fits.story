# A job that the nodes could not hold if they were empty is not the first of its queue: the start of the one behind it is
# planned, and small jobs that come do not pass that for ever.

conf
  actions enqueue allocate backfill(backfill.depth=1,backfill.resolution=10s)
  tier    priority gang
  tier    predicates nodeorder
node n1 n2 cpu=4
queue ml dequeue=fifo

submit ml/never queue=ml 1 x cpu=40
submit ml/a     queue=ml 2 x cpu=2 limit=5m for=5m at=1s
submit ml/gang  queue=ml min=2 2 x cpu=4 limit=1m at=2s
submit ml/small queue=ml 1 x cpu=2 limit=10m at=3s
submit ml/short queue=ml 1 x cpu=2 limit=2m for=2m at=4s
run until=2m5s
----
1s    bind ml/a-0..1 n1 n2
4s    bind ml/short-0 n2
wait ml/gang: GangIncomplete 0 of 2: StartPlanned 5m10s on n1, n2: NotEnoughResources: cpu 4 asked, 2 free on n1
wait ml/never: never PodTooLarge ml/never-0: cpu 40 asked, 4 there; NotEnoughResources: cpu 40 asked, 0 free on n1
wait ml/small: NodeKept: on 2 nodes
