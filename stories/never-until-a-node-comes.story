# That a job can never start is said of the nodes that exist. A larger node, and a queue that may hold more, end it.
#
# large is larger than any node; gang's minimum has no room on the empty nodes, and capped's is above its queue's
# capability. When a node comes and the capability is raised, all start in the next cycles and nothing of it is left.

conf
  tier priority gang
  tier predicates capacity nodeorder

node n1 cpu=4
queue q capability=cpu:2
queue r

submit x/large queue=r 1 x cpu=6
submit x/gang queue=r 3 x cpu=2
submit x/capped queue=q 3 x cpu=1
cycle
----
wait x/capped: never QueueTooSmall q: cpu 3 asked, 2 there; GangIncomplete 2 of 3: QueueCapability q: cpu 3 with it, 2 may be
wait x/gang: never GangTooLarge 2 of 3: cpu 6 asked, 4 there; GangIncomplete 2 of 3: NotEnoughResources: cpu 2 asked, 0 free on n1
wait x/large: never PodTooLarge x/large-0: cpu 6 asked, 4 there; NotEnoughResources: cpu 6 asked, 4 free on n1

node n2 cpu=16
queue q capability=cpu:3
cycle
----
bind x/gang-0..2 n2
bind x/large-0 n2
bind x/capped-0..2 n1

cycle
----
nothing
