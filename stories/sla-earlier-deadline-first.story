# Of two jobs the one with the earlier deadline is served first, and one that has a
# deadline before one that has none, whichever came first.

conf
  actions enqueue allocate
  tier    sla gang
  tier    predicates nodeorder
node n1 cpu=1

submit ml/ever    1 x cpu=1 for=10s
submit ml/late    1 x cpu=1 for=10s sla=2h at=1s
submit ml/sooner  1 x cpu=1 for=10s sla=1h at=2s
submit ml/nothing 1 x cpu=1 for=10s at=3s
run
----
0s    bind ml/ever-0 n1
11s   bind ml/sooner-0 n1
22s   bind ml/late-0 n1
33s   bind ml/nothing-0 n1
