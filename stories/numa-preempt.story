# No pod is evicted for one that its kubelet might turn away all the same: of four pods
# on two NUMA nodes two may be neighbours or not, so three have to go for one NUMA node to
# be free for certain (seed 003 §9.2, decision 13).

conf
  actions enqueue allocate preempt
  tier    priority gang conformance
  tier    predicates nodeorder numa-aware
class high 10
node n1 cpu=8
numa n1 policy=single-numa-node nodes=4,4

submit ml/low min=1 4 x cpu=2 cores=2
cycle
----
bind ml/low-0..3 n1

submit ml/urgent priority=high 1 x cpu=4 cores=4
cycle
----
evict ml/low-1..3 n1 for ml/urgent-0
nominate ml/urgent-0 n1
wait ml/urgent: Reserved: n1

cycle
----
bind ml/urgent-0 n1
