# In a queue with dequeueStrategy fifo the start of the first job that waits is planned whenever action backfill is
# configured. Before that jobs behind it wait; from then on those start that do not delay it: short, which has ended by
# then, and beside, which runs where the first job does not.

conf
  actions enqueue allocate backfill
  tier    priority gang
  tier    predicates nodeorder
node n1 n2 cpu=4
queue ml dequeue=fifo

submit ml/a      queue=ml 1 x cpu=3 on=n1 limit=10m for=5m
submit ml/b      queue=ml 1 x cpu=2 on=n2
submit ml/first  queue=ml 1 x cpu=4 at=10s for=1m
submit ml/long   queue=ml 1 x cpu=1 selector=kubernetes.io/hostname:n1 at=20s for=20m
submit ml/short  queue=ml 1 x cpu=1 at=30s limit=5m
submit ml/beside queue=ml 1 x cpu=1 at=40s for=20m
run until=40s
----
30s   bind ml/short-0 n2
40s   bind ml/beside-0 n2
wait ml/first: StartPlanned 5m0s on n1: NotEnoughResources: cpu 4 asked, 1 free on n1
wait ml/long: NodesRefuse: NodeKept on n1; NodeSelector on n2

why ml/first
----
StartPlanned 5m0s on n1
  NotEnoughResources: cpu 4 asked, 1 free on n1
    InsufficientResource cpu on 2 nodes

run until=5m
----
5m    bind ml/first-0 n1
wait ml/long: StartPlanned 6m0s on n1: NotEnoughResources: cpu 1 asked, 0 free on n1
