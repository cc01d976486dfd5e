# A queue of jobs that never have pods does not keep other queues out.
#
# Jobs may be admitted for twelve cpu. All twelve are kept for greedy's jobs, which never get pods.
# ml's jobs are admitted all the same for its part, by weight: six.

conf
  actions enqueue allocate
  tier    gang overcommit predicates nodeorder
node n1 n2 cpu=5
queue greedy ml

submit greedy/a queue=greedy min=4 minresources=cpu:4
submit greedy/b queue=greedy min=4 minresources=cpu:4
submit greedy/c queue=greedy min=4 minresources=cpu:4
cycle phases
----
phase greedy/a Inqueue
phase greedy/b Inqueue
phase greedy/c Inqueue
wait greedy/a: NoPods
wait greedy/b: NoPods
wait greedy/c: NoPods

submit greedy/d queue=greedy min=4 minresources=cpu:4
submit ml/a queue=ml min=4 minresources=cpu:4
submit ml/b queue=ml min=2 minresources=cpu:2
submit ml/c queue=ml min=1 minresources=cpu:1
cycle phases
----
phase ml/a Inqueue
phase ml/b Inqueue
wait greedy/a: NoPods
wait greedy/b: NoPods
wait greedy/c: NoPods
wait greedy/d: ClusterOvercommitted: cpu 16 with it, 12 may be
wait ml/a: NoPods
wait ml/b: NoPods
wait ml/c: ClusterOvercommitted: cpu 19 with it, 12 may be
