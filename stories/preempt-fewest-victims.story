# Nobody goes who can stay: one large victim instead of two small ones on a node, and of
# four equal ones just as many as are needed (seed 002 §5.2, reprieve).

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class low 1
class high 100
node n1 cpu=8

submit ml/small-a priority=low 1 x cpu=1
submit ml/small-b priority=low 1 x cpu=1
submit ml/large priority=low 1 x cpu=3
submit ml/other priority=low 1 x cpu=3
cycle
----
bind ml/large-0 n1
bind ml/other-0 n1
bind ml/small-a-0 n1
bind ml/small-b-0 n1

submit ml/new priority=high 1 x cpu=3
cycle
----
evict ml/other-0 n1 for ml/new-0
nominate ml/new-0 n1
wait ml/new: Reserved: n1

evictions for instead
----
pod         for       instead
ml/other-0  ml/new-0  -
