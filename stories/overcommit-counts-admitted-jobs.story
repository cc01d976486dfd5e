# Jobs are admitted for up to 1.2 times what the cluster has: what admitted jobs have not taken yet and
# what is in use count together.
#
# With ten cpu, jobs are admitted for twelve. Three jobs of four are admitted before any of their
# pods exist; the fourth waits until one of them is over.

conf
  actions enqueue allocate
  tier    gang overcommit predicates nodeorder
node n1 n2 cpu=5

submit ml/a min=4 minresources=cpu:4
submit ml/b min=4 minresources=cpu:4
submit ml/c min=4 minresources=cpu:4
submit ml/d min=4 minresources=cpu:4
cycle phases
----
phase ml/a Inqueue
phase ml/b Inqueue
phase ml/c Inqueue
wait ml/a: NoPods
wait ml/b: NoPods
wait ml/c: NoPods
wait ml/d: ClusterOvercommitted: cpu 16 with it, 12 may be

# What a's pods take is not counted twice.
grow ml/a 4 x cpu=1 for=30s
cycle phases
----
bind ml/a-0 n1
bind ml/a-1 n2
bind ml/a-2 n1
bind ml/a-3 n2
wait ml/b: NoPods
wait ml/c: NoPods
wait ml/d: ClusterOvercommitted: cpu 16 with it, 12 may be

run phases
----
2s    phase ml/a Running
32s   phase ml/a Completed
32s   phase ml/d Inqueue
wait ml/b: NoPods
wait ml/c: NoPods
wait ml/d: NoPods
