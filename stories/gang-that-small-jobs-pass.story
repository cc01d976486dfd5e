# A gang that no node takes is passed by small jobs, as long as it could not start without them. Once
# it could have started, had none of them been placed that came after it, room is kept for it.
#
# gang needs two of the three nodes whole. a and b were there before it, and run until 1m30s. s1 and s2
# pass it until then, for it would not start sooner without them. From then on room is kept: s3 has
# what is left beside it; s4 waits, though there is room. gang starts when s1 and s2 have ended.

conf
  actions enqueue allocate backfill
  tier    priority gang conformance
  tier    overcommit drf predicates proportion nodeorder
node n1 n2 n3 cpu=4
queue ml

submit ml/a queue=ml min=1 minresources=cpu:1 1 x cpu=1 on=n1 for=90s
submit ml/b queue=ml min=1 minresources=cpu:1 1 x cpu=1 on=n2 for=90s
submit ml/gang queue=ml min=2 minresources=cpu:8 at=5s 2 x cpu=4 for=60s
submit ml/s1 queue=ml minresources=cpu:1 at=30s 1 x cpu=1 for=100s
submit ml/s2 queue=ml minresources=cpu:1 at=60s 1 x cpu=1 for=100s
submit ml/s3 queue=ml minresources=cpu:2 at=100s 1 x cpu=2 for=100s
submit ml/s4 queue=ml minresources=cpu:2 at=110s 1 x cpu=2 for=100s
run until=1m40s
----
30s   bind ml/s1-0 n3
1m    bind ml/s2-0 n1
1m40s bind ml/s3-0 n3
wait ml/gang: GangIncomplete 1 of 2: RoomKept on n1, n2: NotEnoughResources: cpu 4 asked, 3 free on n1

nodes used claimed
----
node  used   claimed
n1    cpu=1  cpu=4
n2    -      cpu=4
n3    cpu=3  -

run until=2m11s
----
wait ml/gang: GangIncomplete 1 of 2: RoomKept on n1, n2: NotEnoughResources: cpu 4 asked, 3 free on n1
wait ml/s4: QueueQuotaInsufficient ml: cpu 13 with it, 12 may be

run
----
2m41s bind ml/gang-0..1 n1 n2
2m41s bind ml/s4-0 n3
