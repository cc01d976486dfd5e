# No pod is evicted for a booking, and none for a job that may not use the node: that would not help it.

conf
  actions enqueue allocate preempt
  tier    priority gang conformance
  tier    predicates nodeorder
node n1 cpu=4
queue ml
class high 100
booking disks maintenance from=30m to=40m

submit ml/low  queue=ml 1 x cpu=4 on=n1 for=35m
submit ml/high queue=ml priority=high 1 x cpu=4 limit=1h for=1h
run until=10m
----
wait ml/high: NotEnoughResources: cpu 4 asked, 0 free on n1; preempt VictimsTooFew 1 of 1

evictions
----
nothing

run
----
40m   bind ml/high-0 n1
