# Nodes are booked for the jobs of a queue, and of the queues below it. In the window only these are placed there, if
# they have ended when it does; before it, whoever ends before. At its end the nodes are everybody's again.

conf
  actions enqueue allocate
  tier    priority gang
  tier    predicates nodeorder
node n1 n2 cpu=4 label=pool:a
queue ml web
queue vision parent=ml
booking demo owner=queue:ml from=1h to=2h label=pool:a

submit ml/before  queue=vision 1 x cpu=4 limit=50m for=50m
submit web/before queue=web 1 x cpu=4 limit=50m for=50m
submit web/within queue=web 1 x cpu=4 at=70m limit=10m for=5m
submit ml/within  queue=vision 1 x cpu=4 at=70m limit=30m for=20m
submit ml/beyond  queue=vision 1 x cpu=4 at=70m limit=1h for=20m
run until=70m
----
0s    bind ml/before-0 n2
0s    bind web/before-0 n1
1h10m bind ml/within-0 n2
wait ml/beyond: NotEnoughResources: cpu 4 asked, 0 free on n2
wait web/within: NotEnoughResources: cpu 4 asked, 0 free on n2

run
----
2h    bind ml/beyond-0 n2
2h    bind web/within-0 n1
