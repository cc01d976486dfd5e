# Only a job of a higher priority in the same queue takes the room of a planned start. urgent does, though it comes
# later; other, in a queue that holds nothing, does not.

conf
  actions enqueue allocate backfill(backfill.depth=1)
  tier    priority gang
  tier    predicates drf nodeorder
node n1 n2 cpu=4
queue ml ads
class high 100
class low 1

submit ml/a       queue=ml 1 x cpu=4 on=n1 limit=5m
submit ml/gang    queue=ml min=2 priority=low 2 x cpu=4 at=10s for=1m
submit ads/other  queue=ads 1 x cpu=4 at=20s
submit ml/urgent  queue=ml priority=high 1 x cpu=4 at=30s for=1m
run until=30s
----
30s   bind ml/urgent-0 n2
wait ads/other: NotEnoughResources: cpu 4 asked, 0 free on n1
wait ml/gang: GangIncomplete 0 of 2: StartPlanned 5m0s on n1, n2: NotEnoughResources: cpu 4 asked, 0 free on n1

run until=10m
----
5m    bind ml/gang-0..1 n1 n2
6m1s  bind ads/other-0 n2
