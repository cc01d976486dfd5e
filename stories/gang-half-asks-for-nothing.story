# Members that ask for nothing are members all the same: a gang of both kinds starts
# whole too.
#
# The coach asks for nothing, so there is always enough for it, but it needs a place
# among the pods of a node. Where there are only two places left, a gang of two workers
# and a coach cannot start; with three it can, and all of it starts in one cycle.

node n1 cpu=8 pods=2
queue ml

submit ml/team queue=ml min=3
  2 x cpu=1 as worker
  1 x nothing as coach
cycle
----
wait ml/team: never GangTooLarge 0 of 3: pods 3 asked, 2 there; GangIncomplete 2 of 3: NotEnoughResources: pods 1 asked, 0 free on n1

node n1 cpu=8 pods=3
cycle
----
bind ml/team-worker-0..1 n1
bind ml/team-coach-0 n1
