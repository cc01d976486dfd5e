# What a job is told of one before it in a fifo queue names that job within its own namespace only: a queue may be shared
# by tenants.

conf
  actions enqueue allocate
  tier    priority gang
  tier    predicates nodeorder
node n1 cpu=8
queue ml dequeue=fifo

submit red/busy   queue=ml  1 x cpu=4 for=10m on=n1
submit red/train  queue=ml  min=2 2 x cpu=4 for=5m at=10s
submit red/small  queue=ml  1 x cpu=1 for=5m at=20s
submit blue/small queue=ml  1 x cpu=1 for=5m at=30s
run until=10m
----
10m   bind red/train-0..1 n1
wait blue/small: BehindJob of another namespace, both on n1 (1)
wait red/small: NotEnoughResources: cpu 1 asked, 0 free on n1
