# Of the nodes that take a pod, the one on which its cpus lie on the fewest NUMA nodes is
# best: Volcano's guide has twelve cpus a NUMA node on n1, twenty on n2, and a pod of sixteen.
#
# A pod that asks for no policy fills the node that is the fuller for it.

conf
  tier priority gang
  tier predicates binpack numa-aware(weight=10)
node n1 cpu=24
node n2 cpu=40
numa n1 policy=best-effort nodes=12,12
numa n2 policy=best-effort nodes=20,20

submit ml/plain 1 x cpu=16 cores=16
cycle
----
bind ml/plain-0 n1

delete ml/plain
cycle
----
nothing

submit ml/job 1 x cpu=16 cores=16 numa=best-effort
cycle
----
bind ml/job-0 n2
