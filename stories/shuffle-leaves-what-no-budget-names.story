# pdb protects pods from eviction and names none: shuffle evicts no pod because no budget selects it.
#
# web has a budget that permits one eviction, free has none.

conf
  actions enqueue allocate backfill shuffle
  tier    priority gang pdb
  tier    predicates nodeorder
node n1 cpu=4
budget ml/web selects=app:web min=1

submit ml/web min=1 2 x cpu=1 label=app:web owned
submit ml/free 1 x cpu=1 label=app:free owned
run until=5m
----
0s    bind ml/free-0 n1
0s    bind ml/web-0..1 n1
