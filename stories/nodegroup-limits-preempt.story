# A job may take the place of a lesser one of its own queue where the limit of a group is what
# keeps it out.

conf
  actions enqueue allocate preempt
  tier priority gang conformance
  tier predicates proportion nodegroup nodeorder

node g1 cpu=8 label=volcano.sh/nodegroup-name:gold
node g2 cpu=8 label=volcano.sh/nodegroup-name:gold
queue ml groups=gold limit=gold/cpu:2
class high 100

submit x/low queue=ml 1 x cpu=2
cycle 2
----
0s    bind x/low-0 g1

submit x/urgent queue=ml priority=high 1 x cpu=2
cycle 3
----
2s    evict x/low-0 g1 for x/urgent-0
2s    nominate x/urgent-0 g1
3s    bind x/urgent-0 g1
wait x/low: NoPods
