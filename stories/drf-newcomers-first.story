# Between jobs of one priority the one that holds less goes first, whichever came first.
#
# wide came first and holds three quarters; small comes later and holds nothing, so the
# next free place is small's, and only the one after it is wide's.

conf
  actions enqueue allocate
  tier    drf predicates nodeorder
node n1 cpu=4
queue ml

submit ml/wide queue=ml min=1 6 x cpu=1
cycle
----
bind ml/wide-0..3 n1
wait ml/wide: NotEnoughResources: cpu 1 asked, 0 free on n1

submit ml/small queue=ml min=1 2 x cpu=1
finish ml/wide-0
cycle
----
bind ml/small-0 n1
wait ml/small: NotEnoughResources: cpu 1 asked, 0 free on n1
wait ml/wide: NotEnoughResources: cpu 1 asked, 0 free on n1

finish ml/wide-1
cycle
----
bind ml/small-1 n1
wait ml/wide: NotEnoughResources: cpu 1 asked, 0 free on n1
