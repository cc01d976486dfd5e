# A gang starts whole or not at all whatever plugins there are: without plugin gang, too, no part of it is bound. In
# Volcano that plugin alone holds a gang together. Who wants pods to start one by one asks for a minimum of one.

conf
  actions allocate backfill
  tier    priority
  tier    predicates

node n1 cpu=2
submit ml/gang   min=4 4 x cpu=1
submit ml/singly min=1 4 x cpu=1
cycle
----
bind ml/singly-0..1 n1
wait ml/gang: never GangTooLarge 2 of 4: cpu 4 asked, 2 there; GangIncomplete 0 of 4: NotEnoughResources: cpu 1 asked, 0 free on n1
wait ml/singly: NotEnoughResources: cpu 1 asked, 0 free on n1
