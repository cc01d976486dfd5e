# The value of a priority class never changes: to change it, an operator deletes the class and makes it again. Pods keep
# the priority that they were given, and so does their job while its class is missing: nothing less important evicts it.
# Once the class is there again, the job has its new value.

conf
  actions enqueue allocate backfill preempt
  tier    priority gang conformance
  tier    predicates nodeorder
class mid 50
class prod 1000
node n1 n2 cpu=4

submit ml/prod priority=prod min=2  2 x cpu=4 pod-priority=prod pod-priority=1000
cycle
----
bind ml/prod-0 n2
bind ml/prod-1 n1

submit ml/mid priority=mid  1 x cpu=4 pod-priority=mid pod-priority=50
cycle
----
wait ml/mid: NotEnoughResources: cpu 4 asked, 0 free on n1; preempt NoVictims: 2 VictimNotLower

remove class prod
cycle
----
wait ml/mid: NotEnoughResources: cpu 4 asked, 0 free on n1; preempt NoVictims: 2 VictimNotLower

class prod 40
cycle
----
evict ml/prod-1 n1 for ml/mid-0
evict ml/prod-0 n2 for ml/mid-0
nominate ml/mid-0 n1
wait ml/mid: Reserved: n1
