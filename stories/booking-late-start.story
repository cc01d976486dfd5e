# An owner may allow others to run on into a window: a pod is started on a booked node, before the window or in it, if
# it has ended by so long (maxStartDelay) after the window began. The owner's own jobs start beside it meanwhile.

conf
  actions enqueue allocate
  tier    priority gang
  tier    predicates nodeorder
node n1 cpu=4
queue ml web
booking demo owner=queue:ml from=1h to=3h delay=10m

submit web/within queue=web 1 x cpu=1 limit=69m for=65m
submit web/beyond queue=web 1 x cpu=1 limit=71m for=5m
submit web/short  queue=web 1 x cpu=1 at=61m limit=2m for=1m
submit web/later  queue=web 1 x cpu=1 at=61m limit=10m for=1m
submit ml/small   queue=ml 1 x cpu=1 at=61m limit=30m for=20m
submit ml/large   queue=ml 1 x cpu=4 at=62m limit=30m for=30m
run until=61m
----
0s    bind web/within-0 n1
1h1m  bind ml/small-0 n1
1h1m  bind web/short-0 n1
wait web/beyond: NodeBooked: demo 1h to 3h, limit 1h11m on n1
wait web/later: NodeBooked: demo 1h to 3h, limit 10m on n1

run until=62m
----
wait ml/large: NotEnoughResources: cpu 4 asked, 1 free on n1
wait web/beyond: NodeBooked: demo 1h to 3h, limit 1h11m on n1
wait web/later: NodeBooked: demo 1h to 3h, limit 10m on n1

run
----
1h21m1s bind ml/large-0 n1
3h    bind web/beyond-0 n1
3h    bind web/later-0 n1
