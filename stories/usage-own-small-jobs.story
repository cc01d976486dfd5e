# A user's small jobs do not hold back that user's large one for ever. Where what is used counts, they
# could: each that passes it makes the user's share larger, and so the jobs of others come before it.
#
# alice's large job is first of its queue and needs both nodes: its start is planned for when carol's job ends.
# alice's small jobs have ended by then and pass it, so that bob, with nothing used, is before alice from
# then on. The large job keeps its start: what bob brings waits, though bob is first.

conf
  actions enqueue allocate backfill
  tier    priority gang
  tier    fairshare(fairshare.weight=0.999) predicates proportion nodeorder
node n1 n2 cpu=4
queue ml dequeue=fifo

submit carol/busy queue=ml 1 x cpu=4 on=n1 limit=600s for=600s
submit alice/large queue=ml min=2 at=1s 2 x cpu=4 for=600s
submit alice/s1 queue=ml at=2s 1 x cpu=4 limit=100s for=100s
submit alice/s2 queue=ml at=3s 1 x cpu=4 limit=100s for=100s
submit alice/s3 queue=ml at=4s 1 x cpu=4 limit=100s for=100s
submit bob/b1 queue=ml at=120s 1 x cpu=4 for=600s
submit bob/b2 queue=ml at=130s 1 x cpu=4 for=600s
run
----
2s    bind alice/s1-0 n2
1m43s bind alice/s2-0 n2
3m24s bind alice/s3-0 n2
10m   bind alice/large-0..1 n1 n2
20m1s bind bob/b1-0 n2
20m1s bind bob/b2-0 n1
