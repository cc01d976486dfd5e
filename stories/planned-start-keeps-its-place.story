# A planned start is kept from a job that comes to stand before it in its queue: elder was made first, and its pods are
# let go when the start of first is planned already. first does not wait behind elder, for which its room is kept: each
# would wait for the other for ever.

conf
  actions enqueue allocate backfill(backfill.depth=1,backfill.resolution=10s)
  tier    priority gang
  tier    predicates nodeorder
node n1 n2 cpu=4
queue ml dequeue=fifo

submit ml/a     queue=ml 2 x cpu=4 limit=5m for=5m
submit ml/elder queue=ml min=2 2 x cpu=4 gated at=5s limit=1m
submit ml/first queue=ml min=2 2 x cpu=3 at=10s limit=1m
submit ml/late  queue=ml 1 x cpu=4 at=20s limit=10m
run until=20s
----
0s    bind ml/a-0..1 n1 n2
wait ml/elder: SchedulingGated 2
wait ml/first: GangIncomplete 0 of 2: StartPlanned 5m10s on n1, n2: NotEnoughResources: cpu 3 asked, 0 free on n1
wait ml/late: NotEnoughResources: cpu 4 asked, 0 free on n1

ungate ml/elder
run
----
5m1s  bind ml/first-0..1 n1 n2
6m2s  bind ml/elder-0..1 n1 n2
7m3s  bind ml/late-0 n2
