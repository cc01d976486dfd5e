# Two queues that give one level of the hierarchy different weights are both served; the
# first by name is believed, and the other is told.

conf
  tier drf(enableHierarchy=true) predicates nodeorder
node n1 cpu=4
queue dev path=eng:2/dev
queue ops path=eng:3/ops

submit a/ops queue=ops 1 x cpu=1
cycle
----
bind a/ops-0 n1

problems
----
Queue/ops: volcano.sh/hierarchy-weights: root/eng has weight 3 here and 2 in queue dev, whose weight is taken
