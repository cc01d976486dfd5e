# A booking may come again and again, by cron in a time zone: here each night from 22:00 to 6:00 in Berlin, which is from
# 21:00 to 5:00. The night in which it was made has begun already. The next window counts, so a job that takes longer
# than a day has hours is told of a later night each day.

conf
  actions enqueue allocate
  tier    priority gang
  tier    predicates nodeorder
node n1 cpu=4
queue ml
booking nights maintenance cron=0_22_*_*_* zone=Europe/Berlin for=8h

submit ml/day  queue=ml 1 x cpu=1 limit=16h for=10m
submit ml/long queue=ml 1 x cpu=1 limit=17h for=10m
run until=5h
----
5h    bind ml/day-0 n1
wait ml/long: NodeBooked: nights (maintenance) 21h to 29h, limit 17h on n1

run until=53h
----
wait ml/long: NodeBooked: nights (maintenance) 69h to 77h, limit 17h on n1

submit ml/evening queue=ml 1 x cpu=1 limit=1h for=10m
run until=69h
----
53h0m1s bind ml/evening-0 n1
wait ml/long: NodeBooked: nights (maintenance) 69h to 77h, limit 17h on n1
