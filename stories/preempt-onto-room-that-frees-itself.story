# What terminates already frees its room without an eviction: the job waits for that, and
# no other pod leaves (seed 003 §6; a terminating pod is no victim).

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
node n1 n2 cpu=4

submit ml/leaving priority=low 1 x cpu=4
submit ml/stays priority=low 1 x cpu=4
cycle
----
bind ml/leaving-0 n2
bind ml/stays-0 n1

delete ml/leaving
submit ml/new priority=high 1 x cpu=4
cycle
----
pipeline ml/new-0 n2
wait ml/new: Pipelined 1 of 1

run
----
2s    bind ml/new-0 n2
