# A start is not planned into a window: the gang needs both nodes for longer than there is before the maintenance of
# one, so it is planned for the end of that. Short jobs use the room until then.

conf
  actions enqueue allocate backfill(backfill.trust=enforced)
  tier    priority gang
  tier    predicates nodeorder
node n1 n2 cpu=4
queue ml
booking disks maintenance from=30m to=40m nodes=n2

submit ml/busy  queue=ml 1 x cpu=4 on=n1 limit=10m for=10m
submit ml/train queue=ml 2 x cpu=4 limit=25m for=20m at=6m
submit ml/short queue=ml 1 x cpu=4 at=7m limit=15m for=5m
run until=10m
----
7m    bind ml/short-0 n2
wait ml/train: GangIncomplete 1 of 2: StartPlanned 40m0s on n1, n2: NotEnoughResources: cpu 4 asked, 0 free on n1

run
----
40m   bind ml/train-0..1 n1 n2
