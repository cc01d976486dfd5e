# A PodGroup that is deleted, to be made again, leaves its pods with the priority that they have themselves: what is
# less important than they are does not take their room meanwhile, and what is more important does.

conf
  actions enqueue allocate preempt
  tier priority gang
  tier predicates nodeorder
class low 10
class high 1000
class highest 2000
node n1 cpu=4

submit ml/first priority=high min=2 2 x cpu=2
cycle
----
bind ml/first-0..1 n1

remove group ml/first
submit ml/less priority=low 1 x cpu=2
cycle
----
wait ml/less: NotEnoughResources: cpu 2 asked, 0 free on n1; preempt NoVictims: 2 VictimNotLower

submit ml/more priority=highest 1 x cpu=4
cycle
----
evict ml/first-1 n1 for ml/more-0
evict ml/first-0 n1 for ml/more-0
nominate ml/more-0 n1
wait ml/less: NotEnoughResources: cpu 2 asked, 0 free on n1; preempt NoVictims: 1 VictimNotLower
wait ml/more: Reserved: n1
