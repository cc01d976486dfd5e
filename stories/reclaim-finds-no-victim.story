# No pod has to go of a queue that holds no more than it deserves (seed 000 §8.2 and §14.4).
#
# `a` and `b` deserve two CPUs each and hold them. `c` is guaranteed nothing and comes with
# less weight: what it deserves is less than one pod, so no pod goes for it.

conf
  actions enqueue allocate reclaim
  tier priority gang conformance
  tier predicates proportion

node n1 cpu=4
queue a b weight=10
queue c

submit x/a queue=a min=1 2 x cpu=1
submit x/b queue=b min=1 2 x cpu=1
cycle
----
bind x/a-0 n1
bind x/b-0 n1
bind x/a-1 n1
bind x/b-1 n1

submit x/c queue=c min=1 1 x cpu=1
cycle
----
wait x/c: QueueDeserved c: cpu 1 with it, 190m deserved; reclaim NoVictims: QueueDeserved c: cpu 1 with it, 190m deserved

queues deserved allocated
----
queue  deserved   allocated
a      cpu=1905m  cpu=2
b      cpu=1905m  cpu=2
c      cpu=190m   -
