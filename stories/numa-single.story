# A kubelet that insists on one NUMA node turns away what does not fit on one: such a pod
# is not bound there (seed 003 §9.2, numaaware).
#
# n1 has cpus enough, but no six on one NUMA node. far asks for a policy that no kubelet
# has. n2 tells nothing of its NUMA nodes: it takes only pods that ask for no policy.

conf
  tier priority gang
  tier predicates nodeorder numa-aware
node n1 cpu=8
node n2 cpu=4
numa n1 policy=single-numa-node nodes=4,4
queue ml

submit ml/wide queue=ml 1 x cpu=6 cores=6
submit ml/far queue=ml 1 x cpu=2 cores=2 numa=restricted
submit ml/near queue=ml 1 x cpu=2 cores=2 numa=single-numa-node
submit ml/plain queue=ml 1 x cpu=4 cores=4
submit ml/shares queue=ml 1 x cpu=1
cycle
----
bind ml/near-0 n1
bind ml/plain-0 n1
bind ml/shares-0 n2
wait ml/far: NodeNUMAPolicy: NodeNUMAPolicy on n2; NodeNUMAPolicy single-numa-node on n1
wait ml/wide: NotEnoughResources: cpu 6 asked, 2 free on n1
