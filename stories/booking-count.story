# A number of nodes is booked out of those that match. When one of them fails or is cordoned another one takes its
# place; when it is back it is booked again. Which ones does not depend on what runs.

conf
  actions enqueue allocate
  tier    priority gang
  tier    predicates nodeorder
node n1 n2 n3 n4 cpu=4 label=pool:a
node m1 cpu=4
queue ml web
booking demo owner=user:ada from=0s to=1h label=pool:a count=2

submit web/serve queue=web min=1 5 x cpu=4 limit=2h for=90m
cycle
----
bind web/serve-0 n2
bind web/serve-1 n1
bind web/serve-2 m1
wait web/serve: NotEnoughResources: cpu 4 asked, 0 free on m1

cordon n3
finish web/serve-0
cycle
----
wait web/serve: NotEnoughResources: cpu 4 asked, 0 free on m1

why web/serve
----
NotEnoughResources: cpu 4 asked, 0 free on m1
  InsufficientResource cpu on 2 nodes
  NodeBooked demo 0s to 1h, limit 2h on 2 nodes
  NodeUnschedulable on n3

uncordon n3
cycle
----
bind web/serve-3 n2
wait web/serve: NotEnoughResources: cpu 4 asked, 0 free on m1
