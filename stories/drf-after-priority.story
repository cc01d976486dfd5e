# A job of higher priority goes before one of smaller share where priority stands in an
# earlier tier, as it does in the default configuration.
#
# urgent holds the whole node, small nothing. One of urgent's pods ends, and its place
# goes to urgent again.

conf
  actions enqueue allocate
  tier    priority gang
  tier    drf predicates nodeorder
class high 100
node n1 cpu=4
queue ops

submit web/urgent queue=ops priority=high min=1 3 x cpu=2
cycle
----
bind web/urgent-0..1 n1
wait web/urgent: NotEnoughResources: cpu 2 asked, 0 free on n1

submit web/small queue=ops min=1 1 x cpu=2
finish web/urgent-0
cycle
----
bind web/urgent-2 n1
wait web/small: NotEnoughResources: cpu 2 asked, 0 free on n1
