# A flexible booking takes pods of its owner whenever they end, so those without a limit, too. Here the owner is one
# gang. After a window begins, pods of others may run for as long as the booking says (delay).

conf
  actions enqueue allocate
  tier    priority gang
  tier    predicates nodeorder
node n1 n2 cpu=4
queue ml
booking demo owner=group:ml/train from=10m to=20m flex delay=5m

submit ml/late  queue=ml 1 x cpu=4 at=5m limit=10m for=10m
submit ml/later queue=ml 1 x cpu=4 at=6m limit=10m for=10m
submit ml/train queue=ml 2 x cpu=4 at=7m for=1h
run until=7m
----
5m    bind ml/late-0 n2
wait ml/later: NotEnoughResources: cpu 4 asked, 0 free on n2
wait ml/train: GangIncomplete 1 of 2: NotEnoughResources: cpu 4 asked, 0 free on n1

run
----
15m1s bind ml/train-0..1 n1 n2
1h15m2s bind ml/later-0 n2
