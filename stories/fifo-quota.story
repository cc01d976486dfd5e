# What a queue may hold is served in order, too: small waits, though the queue has room for it, since big needs that
# room. memory, which asks for nothing that big lacks, does not wait.

conf
  actions enqueue allocate
  tier    priority gang
  tier    predicates capacity nodeorder
node n1 cpu=16 mem=64Gi label=zone:a
node n2 cpu=16 mem=64Gi label=zone:b
queue ml dequeue=fifo capability=cpu:8,memory:64Gi deserved=cpu:8,memory:64Gi

submit ml/busy  queue=ml 1 x cpu=6 selector=zone:a for=10m
submit ml/big   queue=ml 1 x cpu=4 selector=zone:a for=5m at=10s
submit ml/small queue=ml 1 x cpu=1 selector=zone:b for=5m at=20s
submit ml/memory queue=ml 1 x mem=1Gi selector=zone:b for=5m at=20s
run until=30s
----
0s    bind ml/busy-0 n1
20s   bind ml/memory-0 n2
wait ml/big: QueueCapability ml: cpu 10 with it, 8 may be
wait ml/small: BehindJob ml/big, both in ml: cpu 10 with both, 8 may be

run
----
10m1s bind ml/big-0 n1
10m1s bind ml/small-0 n2
