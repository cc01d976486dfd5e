# Of a gang above its minimum the surplus goes and then, as a whole, the rest of it, where
# that is cheapest: pair and alone are more important (decisions 12 and 17).

conf
  actions enqueue allocate backfill reclaim
class mid 10
node n1 n2 cpu=8
queue a b

submit ml/sweep queue=a min=1 1 x cpu=4 on=n1 1 x cpu=4 on=n2
submit ml/pair queue=a priority=mid 2 x cpu=2 on=n2
submit ml/alone queue=a priority=mid 1 x cpu=4 on=n1
cycle
----
nothing

submit ml/train queue=b 2 x cpu=3
cycle
----
evict ml/sweep-0 n1 for ml/train-0
evict ml/sweep-1 n2 for ml/train-1
nominate ml/train-0 n1
nominate ml/train-1 n2
wait ml/train: Reserved: n1
