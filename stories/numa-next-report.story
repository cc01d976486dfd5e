# Where a kubelet put a pod, and which pod it sees first, only the next report tells: until then
# a node takes no pod that might find no place, or could take another's (seed 003 §9.2).
#
# Both halves of n1 are free. Once two pods of two cpus are bound they may lie on one NUMA
# node or on both; whole, which needs all of one, waits. The report shows them on one.

conf
  tier priority gang
  tier predicates nodeorder numa-aware
node n1 cpu=8
numa n1 policy=single-numa-node nodes=4,4

submit ml/small 2 x cpu=2 cores=2 numa=single-numa-node
cycle
----
bind ml/small-0..1 n1

submit ml/whole 1 x cpu=4 cores=4 numa=single-numa-node
cycle
----
wait ml/whole: NodeNUMA: (cpu 4 together, 4 free) on n1

numa n1 policy=single-numa-node nodes=4/0,4
cycle
----
bind ml/whole-0 n1
