# How bookings stand: in which phase, on which nodes, and which pods may run on in the window. A pod without a limit is
# one of these once none is started there any more (drain); the owner's pods are none. What a booking lacks is told.

conf
  actions enqueue allocate
  tier    priority gang
  tier    predicates nodeorder
node n1 n2 cpu=4 label=pool:a
queue ml web
booking demo owner=queue:ml from=3h to=4h label=pool:a count=3 drain=1h
booking disks maintenance from=3h30m to=5h nodes=n1 drain=1h

submit web/serve queue=web 1 x cpu=1 on=n1 for=10h
submit web/short queue=web 1 x cpu=1 on=n2 limit=1h for=30m
submit ml/train queue=ml 1 x cpu=1 on=n1 for=10h
cycle
----
nothing

bookings
----
demo Pending 3h to 4h on n1, n2; 2 of 3 nodes, 2 match, 0 taken, 0 out; overlaps disks
disks Pending 3h30m to 5h on n1; overlaps demo

submit web/waits queue=web 1 x cpu=4 at=3h
run until=3h
----
wait web/waits: NotEnoughResources: cpu 4 asked, 2 free on n1

bookings
----
demo Active 3h to 4h on n1, n2; 2 of 3 nodes, 2 match, 0 taken, 0 out; 1 in conflict: web/serve-0 on n1; overlaps disks
disks Pending 3h30m to 5h on n1; 2 in conflict: ml/train-0 on n1, web/serve-0 on n1; overlaps demo

run until=10h
----
4h    bind web/waits-0 n2

bookings
----
demo Ended
disks Ended
