# Room there is in plenty; what keeps the urgent pod out is a pod that it must not be with.
# Of two such pods the less important leaves, and no other pod.

conf
  actions enqueue allocate preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class urgent 1000
class usual 100
class idle 10
node n1 n2 cpu=16
submit web/other  1 x cpu=1 on=n1 priority=idle
submit web/usual  1 x cpu=1 on=n1 priority=usual label=app:cache owned
submit web/idle   1 x cpu=1 on=n2 priority=idle  label=app:cache owned
submit web/urgent 1 x cpu=1 priority=urgent apart=host@app=cache
cycle
----
evict web/idle-0 n2 for web/urgent-0
nominate web/urgent-0 n2
wait web/urgent: Reserved: n2

cycle
----
bind web/urgent-0 n2
bind web/idle-0 n1

cycle
----
nothing
