# A job of higher priority goes before one of smaller share where priority stands in an
# earlier tier, as in the default configuration.
#
# urgent holds half of the node already, idle nothing; there is room for one more pod.

conf
  actions enqueue allocate
  tier    priority gang
  tier    drf predicates nodeorder
class high 100
node n1 cpu=4
queue ops

submit web/urgent queue=ops priority=high min=1 2 x cpu=2
submit web/idle   queue=ops min=1 1 x cpu=2 at=1s
cycle
----
bind web/urgent-0..1 n1

submit web/later queue=ops min=1 1 x cpu=2
finish web/urgent-0
cycle
----
bind web/idle-0 n1
wait web/later: NotEnoughResources: cpu 2 asked, 0 free on n1
