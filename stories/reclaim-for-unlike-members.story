# The members of a gang may ask for different resources. What is evicted for one of them frees nothing that the next one
# asks for, and does not keep that one from a victim of its own. others deserves half of both resources and holds all.

conf
  actions enqueue allocate backfill reclaim
  tier    priority gang conformance
  tier    predicates capacity nodeorder
node n1 cpu=4
node n2 gpu=4
queue own    deserved=cpu:2,gpu:2
queue others deserved=cpu:2,gpu:2

submit ml/cores queue=others min=1 4 x cpu=1
submit ml/cards queue=others min=1 4 x gpu=1
run
----
0s    bind ml/cards-0..3 n2
0s    bind ml/cores-0..3 n1

submit ml/mixed queue=own min=2
  1 x cpu=1 as head
  1 x gpu=1 as worker
run
----
4s    evict ml/cards-3 n2 for ml/mixed-worker-0
4s    evict ml/cores-3 n1 for ml/mixed-head-0
4s    nominate ml/mixed-head-0 n1
4s    nominate ml/mixed-worker-0 n2
5s    bind ml/mixed-head-0 n1
5s    bind ml/mixed-worker-0 n2
