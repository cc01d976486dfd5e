# A gang of pods that ask for nothing starts whole or not at all, like any other.
#
# There are two places for pods and the choir needs three. A pod that is no gang takes
# one of them; the choir takes none.

node n1 cpu=4 pods=2
queue ops

submit ops/choir queue=ops min=3 3 x nothing
submit ops/solo  queue=ops 1 x nothing
cycle
----
bind ops/solo-0 n1
wait ops/choir: never GangTooLarge 2 of 3: pods 3 asked, 2 there; GangIncomplete 2 of 3: NotEnoughResources: pods 1 asked, 0 free on n1

node n2 pods=2
cycle
----
bind ops/choir-0 n1
bind ops/choir-1..2 n2
