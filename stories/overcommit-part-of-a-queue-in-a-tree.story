# What a queue's jobs are admitted for, whatever is kept for others, follows the tree.
#
# Of twelve cpu eng may have six beside greedy, and of those dev, with weight 2 beside
# test, four. test has two.

conf
  actions enqueue allocate
  tier    gang overcommit predicates nodeorder
node n1 n2 cpu=5
queue greedy eng
queue dev parent=eng weight=2
queue test parent=eng

submit greedy/a queue=greedy min=12 minresources=cpu:12
cycle phases
----
phase greedy/a Inqueue
wait greedy/a: NoPods

submit dev/a queue=dev min=4 minresources=cpu:4
submit dev/b queue=dev min=1 minresources=cpu:1
submit test/a queue=test min=3 minresources=cpu:3
submit test/b queue=test min=2 minresources=cpu:2
cycle phases
----
phase dev/a Inqueue
phase test/b Inqueue
wait dev/a: NoPods
wait dev/b: ClusterOvercommitted: cpu 17 with it, 12 may be
wait greedy/a: NoPods
wait test/a: ClusterOvercommitted: cpu 19 with it, 12 may be
wait test/b: NoPods
