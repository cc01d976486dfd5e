# What an admitted gang keeps of its queue's room without running is lent under the same rule as room on nodes: to a job
# that has ended before the gang's planned start, and to no other, though nodes have room for both.

conf
  actions enqueue allocate backfill
  tier    priority gang
  tier    predicates proportion nodeorder
node n1 n2 n3 cpu=4
queue ml capability=cpu:8 dequeue=fifo

submit ml/busy  queue=ml 1 x cpu=4 on=n1 limit=10m for=10m
submit ml/gang  queue=ml min=2 minresources=cpu:8 2 x cpu=4 at=10s limit=1h for=10m
submit ml/long  queue=ml 1 x cpu=2 at=20s for=1h
submit ml/short queue=ml 1 x cpu=2 at=30s limit=5m for=4m
run until=30s
----
30s   bind ml/short-0 n3
wait ml/gang: GangIncomplete 1 of 2: StartPlanned 11m0s on n1, n2: NotEnoughResources: cpu 4 asked, 2 free on n3
wait ml/long: QueueCapability ml (kept for a job that waits): cpu 12 with it, 8 may be

queues allocated inqueue capability
----
queue  allocated  inqueue  capability
ml     cpu=6      cpu=8    cpu=8

run
----
10m   bind ml/gang-0..1 n1 n2
20m1s bind ml/long-0 n3
