# Pods that ask for nothing hold nothing: the node with thirty of them is as empty as one without pods, and better
# than one on which a pod holds a CPU.

conf
  actions enqueue allocate
  tier    priority gang
  tier    predicates nodeorder
node n1 n2 cpu=8

submit ops/probes min=0 30 x nothing on=n1
submit ml/one 1 x cpu=1 on=n2
submit ml/two 1 x cpu=1
cycle
----
bind ml/two-0 n1
