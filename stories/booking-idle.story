# A window may end early: once no pod of the owner was on the nodes for so long in it, they are everybody's until the next
# window. A pod of the owner that runs keeps the booking, and so does one that has just ended, for that time.

conf
  actions enqueue allocate
  tier    priority gang
  tier    predicates nodeorder
node n1 cpu=4
queue ml web
booking demo owner=queue:ml cron=0_2_*_*_* for=3h purge=20m

submit ml/train  queue=ml 1 x cpu=4 at=2h10m limit=30m for=30m
submit web/waits queue=web 1 x cpu=4 at=2h15m limit=10h for=1h
run until=4h10m
----
2h10m bind ml/train-0 n1
3h0m1s bind web/waits-0 n1

bookings
----
demo Pending 26h to 29h on n1; the window of 2h was ended early

submit ml/late  queue=ml 1 x cpu=4 limit=10m for=10m at=4h20m
submit web/long queue=web 1 x cpu=4 limit=20h for=1h at=25h
run
----
4h20m bind ml/late-0 n1
26h20m bind web/long-0 n1
