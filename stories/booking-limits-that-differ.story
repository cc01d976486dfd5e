# Pods of one job may be alike in all but how long they may run. A pod that would run into the time for which a node is
# booked has no place there; another pod of its job that ends before has one.

conf
  actions enqueue allocate
  tier    priority gang
  tier    predicates nodeorder
node n1 cpu=4 label=pool:a
queue web
booking demo owner=user:ada from=1h to=2h label=pool:a

submit web/mixed queue=web min=1 1 x cpu=1 limit=2h for=90m 1 x cpu=1 limit=30m for=20m
cycle
----
bind web/mixed-1 n1
wait web/mixed: NodeBooked: demo 1h to 2h, limit 2h on n1
