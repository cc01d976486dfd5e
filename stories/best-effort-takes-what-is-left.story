# Pods that ask for nothing come after all others and take a place, not room.
#
# The node is full to the last CPU, and has three places for pods. Two are left, so two
# of the three pods that ask for nothing get one.

node n1 cpu=4 pods=3
queue ops

submit ops/probe queue=ops min=1 3 x nothing
submit ops/work  queue=ops 1 x cpu=4
cycle
----
bind ops/work-0 n1
bind ops/probe-0..1 n1
wait ops/probe: NotEnoughResources: pods 1 asked, 0 free on n1
