# Nodes are drained for maintenance by not starting what would still run when it begins. A pod that ends before, by an
# enforced limit and grace included, may start; one that might not is told how long the node is booked. Pods of which no
# end is known are kept off once the window begins within the time to drain, here 2h. Nothing is evicted.

conf
  actions enqueue allocate
  tier    priority gang
  tier    predicates nodeorder
node n1 cpu=8
queue ml
booking disks maintenance from=3h to=4h nodes=n1 drain=2h

submit ml/early   queue=ml 1 x cpu=1 for=10h
submit ml/fits    queue=ml 1 x cpu=1 at=2h limit=59m grace=60s for=30m
submit ml/long    queue=ml 1 x cpu=1 at=2h limit=60m grace=60s for=30m
submit ml/endless queue=ml 1 x cpu=1 at=2h for=30m
run until=2h
----
0s    bind ml/early-0 n1
2h    bind ml/fits-0 n1
wait ml/endless: NodeBooked: disks (maintenance) 3h to 4h, no limit on n1
wait ml/long: NodeBooked: disks (maintenance) 3h to 4h, limit 1h1m on n1

why ml/long
----
NodeBooked: disks (maintenance) 3h to 4h, limit 1h1m on n1
  NodeBooked disks (maintenance) 3h to 4h, limit 1h1m on n1

run until=5h
----
4h    bind ml/endless-0 n1
4h    bind ml/long-0 n1
