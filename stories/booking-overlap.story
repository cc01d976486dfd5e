# Two bookings for owners do not share a node: the older one has it, and the problem is told. Maintenance may be booked
# over anything.

conf
  actions enqueue allocate
  tier    priority gang
  tier    predicates nodeorder
node n1 cpu=4
queue ml web
booking first owner=queue:ml from=0s to=1h
cycle
----
nothing

booking second owner=queue:web from=30m to=2h
booking disks maintenance from=50m to=55m
submit web/mine   queue=web 1 x cpu=1 limit=20m for=10m
submit ml/theirs  queue=ml 1 x cpu=1 limit=40m for=10m
submit ml/between queue=ml 1 x cpu=1 limit=50m for=10m
cycle
----
bind ml/theirs-0 n1
wait ml/between: NodeBooked: disks (maintenance) 50m to 55m, limit 50m on n1
wait web/mine: NodeBooked: first 0s to 1h, limit 20m on n1

problems
----
Booking/second: spec.nodes: 0 of 1 node that it asks for: 1 matches its selector, 1 of these is booked at the same time by older bookings

why ml/between
----
NodeBooked: disks (maintenance) 50m to 55m, limit 50m on n1
  NodeBooked disks (maintenance) 50m to 55m, limit 50m on n1

run
----
1h    bind web/mine-0 n1
2h    bind ml/between-0 n1
