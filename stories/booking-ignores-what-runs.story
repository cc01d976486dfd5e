# With ignoreRunning what runs on booked nodes is meant to run on: no conflict is told. What may start there is as ever,
# and nothing is evicted with or without it.

conf
  actions enqueue allocate
  tier    priority gang
  tier    predicates nodeorder
node n1 n2 cpu=4
queue web
booking told    owner=queue:ml from=1h to=2h nodes=n1 drain=30m
booking ignored owner=queue:ml from=1h to=2h nodes=n2 drain=30m ignore-running

submit web/serve queue=web 1 x cpu=1 on=n1
submit web/other queue=web 1 x cpu=1 on=n2
submit web/late  queue=web 1 x cpu=4 at=40m
submit web/small queue=web 1 x cpu=1 at=40m
run until=40m
----
wait web/late: NotEnoughResources: cpu 4 asked, 3 free on n1
wait web/small: NodeBooked: NodeBooked ignored 1h to 2h, no limit on n2; NodeBooked told 1h to 2h, no limit on n1

bookings
----
ignored Pending 1h to 2h on n2
told Pending 1h to 2h on n1; 1 in conflict: web/serve-0 on n1
