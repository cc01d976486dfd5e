# The log of a cycle in which a gang is tried in vain, in the words that people know and
# search for: what was tried is discarded, and nothing of it is committed.

conf
  tier gang
  tier predicates nodeorder
node n1 cpu=3

submit ml/team min=2
  1 x cpu=1
  1 x cpu=3
cycle
----
wait ml/team: never GangTooLarge 0 of 2: cpu 4 asked, 3 there; GangIncomplete 1 of 2: NotEnoughResources: cpu 3 asked, 2 free on n1

log 3 Binding
----
V3 Binding Task <ml/team-0> to node <n1>

log 3 Discarding
----
V3 Discarding operations ...

log 3 Committing
----
nothing
