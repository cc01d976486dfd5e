# Two pods of a replica start together. While the second replica has one pod only, it waits and
# says so; it hinders no other pod, and needs no node to be asked.

conf
  actions enqueue allocate backfill
  tier    priority gang
  tier    predicates nodeorder network-topology-aware
node a1 cpu=8

submit ml/serve min=2 subgroups=replica:2:1  2 x cpu=1 label=replica:0  1 x cpu=1 label=replica:1
cycle
----
bind ml/serve-0..1 a1
wait ml/serve: SubGroupIncomplete 1 of 2: replica-1

grow ml/serve 1 x cpu=1 label=replica:1
cycle
----
bind ml/serve-2..3 a1
