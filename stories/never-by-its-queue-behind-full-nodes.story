# A job asks for more than its queue may ever hold, and the nodes are full, too. That it can never start is said
# whichever of the two refuses it first.
#
# holds takes one CPU of the node, so that the fourth pod of train has no room there now; its queue would refuse it on
# an empty node, too. The job fits asks for all that the queue may hold, and waits for room. Once the queue may hold
# more, train waits for room as well.

conf
  tier priority gang
  tier predicates proportion nodeorder

node n1 cpu=8
queue ml capability=cpu:6

submit other/holds 1 x cpu=1
submit other/more 1 x cpu=2
cycle
----
bind other/holds-0 n1
bind other/more-0 n1

submit x/train queue=ml 4 x cpu=2
submit x/fits queue=ml 3 x cpu=2
cycle
----
wait x/fits: GangIncomplete 2 of 3: NotEnoughResources: cpu 2 asked, 1 free on n1
wait x/train: never QueueTooSmall ml: cpu 8 asked, 6 there; GangIncomplete 2 of 4: NotEnoughResources: cpu 2 asked, 1 free on n1

queue ml capability=cpu:8
cycle
----
wait x/fits: GangIncomplete 2 of 3: NotEnoughResources: cpu 2 asked, 1 free on n1
wait x/train: GangIncomplete 2 of 4: NotEnoughResources: cpu 2 asked, 1 free on n1
