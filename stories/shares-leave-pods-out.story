# The number of pods is no part of a share: a job of many small pods holds little.
#
# The node takes twelve pods. many holds ten of these places and a tenth of the CPUs, large a fifth of the
# CPUs with one pod. There is room for one pod more: many, which holds less, has it.

conf
  actions enqueue allocate
  tier    priority
  tier    drf predicates nodeorder
node n1 cpu=100 pods=12

submit x/large min=1 1 x cpu=20
submit x/many min=1 10 x cpu=1
cycle
----
bind x/large-0 n1
bind x/many-0..9 n1

grow x/large 1 x cpu=1
grow x/many 1 x cpu=1
cycle
----
bind x/many-10 n1
wait x/large: NotEnoughResources: pods 1 asked, 0 free on n1
