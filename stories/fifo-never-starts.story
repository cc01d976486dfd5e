# A job that no size of the nodes' room could ever hold, and one that is gated, hold back no other job.

conf
  actions enqueue allocate
  tier    priority gang
  tier    predicates nodeorder
node n1 cpu=8
queue ml dequeue=fifo

submit ml/busy  queue=ml 1 x cpu=4 for=10m
submit ml/huge  queue=ml 1 x cpu=9 at=5s
submit ml/gated queue=ml 1 x cpu=8 gated at=6s
submit ml/small queue=ml 1 x cpu=1 for=5m at=20s
run until=5m21s
----
0s    bind ml/busy-0 n1
20s   bind ml/small-0 n1
wait ml/gated: SchedulingGated 1
wait ml/huge: never PodTooLarge ml/huge-0: cpu 9 asked, 8 there; NotEnoughResources: cpu 9 asked, 4 free on n1
