# A queue with dequeueStrategy fifo serves jobs that compete strictly in their order. small is held back by train, which
# waits for nodes that small could use. tool is not: no node with room for train takes it. other is in another queue.

conf
  actions enqueue allocate
  tier    priority gang
  tier    predicates proportion nodeorder
node g1 g2 cpu=8 gpu=4 label=kind:gpu
node c1 cpu=8 label=kind:cpu
queue ml dequeue=fifo
queue ads

submit ml/busy   queue=ml  1 x cpu=1,gpu=2 for=10m on=g1
submit ml/train  queue=ml  min=2 2 x cpu=4,gpu=4 for=5m at=10s
submit ml/small  queue=ml  1 x cpu=1 selector=kind:gpu for=5m at=20s
submit ml/tool   queue=ml  1 x cpu=1 selector=kind:cpu for=5m at=30s
submit ads/other queue=ads 1 x cpu=1 selector=kind:gpu for=1m at=40s
run until=40s
----
30s   bind ml/tool-0 c1
40s   bind ads/other-0 g2
wait ml/small: BehindJob ml/train, both on g1 (2)
wait ml/train: GangIncomplete 1 of 2: NotEnoughResources: gpu 4 asked, 2 free on g1

why ml/small
----
BehindJob ml/train, both on g1 (2)
   on 2 nodes

run
----
10m   bind ml/small-0 g2
10m   bind ml/train-0..1 g1 g2
