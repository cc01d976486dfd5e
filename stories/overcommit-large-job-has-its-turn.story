# A job that is larger than its queue's part has its turn, however often others are admitted anew.
#
# Of twelve cpu, ml may have six whatever is kept for greedy, and large asks for eight. greedy makes its
# PodGroup anew whenever what is kept for it lapses. When large has waited for a minute, what is kept for greedy
# counts no more against it.

conf
  actions enqueue allocate
  tier    gang overcommit predicates nodeorder
node n1 n2 cpu=5
queue greedy ml

submit greedy/a queue=greedy min=10 minresources=cpu:10
submit ml/large queue=ml min=8 minresources=cpu:8
cycle phases
----
phase greedy/a Inqueue
wait greedy/a: NoPods
wait ml/large: ClusterOvercommitted: cpu 18 with it, 12 may be

run until=1m
----
wait greedy/a: NoPods
wait ml/large: ClusterOvercommitted: cpu 18 with it, 12 may be

delete greedy/a
submit greedy/b queue=greedy min=10 minresources=cpu:10
run until=2m1s phases
----
1m1s  phase greedy/b Inqueue
1m1s  phase ml/large Inqueue
wait greedy/b: NoPods
wait ml/large: NoPods

grow ml/large 8 x cpu=1
run until=2m2s
----
2m2s  bind ml/large-0..7 n1 n2
wait greedy/b: NoPods
