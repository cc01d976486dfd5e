# Of a gang that can spare members, these go one by one, each while its queue holds more than it
# deserves. The rest can only go together, and is judged as if these were gone. Each queue deserves
# four CPUs. a holds six; its job needs three of them. So two of its pods may go for b, and one not,
# which a deserves; and the other three not, since a would hold only these.

conf
  actions enqueue allocate backfill reclaim
node n1 cpu=6
node n2 cpu=6
queue a b c

submit ml/elastic queue=a min=3 6 x cpu=1 on=n1
submit ml/c queue=c min=1 6 x cpu=1 on=n2
cycle
----
nothing

submit ml/b queue=b 1 x cpu=4
cycle
----
wait ml/b: NotEnoughResources: cpu 4 asked, 0 free on n1; reclaim VictimsTooFew 4 of 12: 5 VictimDeserved, 3 VictimMinimum

why ml/b
----
NotEnoughResources: cpu 4 asked, 0 free on n1
  InsufficientResource cpu on 2 nodes
reclaim VictimsTooFew 4 of 12: 5 VictimDeserved, 3 VictimMinimum
  VictimDeserved c of 4 pods
  VictimMinimum a of 3 pods
  VictimDeserved a of ml/elastic-3
