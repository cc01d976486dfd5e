# Among nodes that are equally good a fixed rule decides, which differs from pod to pod: load spreads, and
# the same cluster gets the same plan. All nodes are looked at: the only one that takes big is found.

conf
  actions enqueue allocate
  tier    priority gang
  tier    predicates
node n1 n2 n3 n4 n5 n6 n7 n8 cpu=4
node z9 cpu=8

submit a/one 1 x cpu=1
submit a/two 1 x cpu=3
submit a/three 1 x cpu=2
submit a/big 1 x cpu=8
cycle
----
bind a/big-0 z9
bind a/one-0 n5
bind a/three-0 n8
bind a/two-0 n4
