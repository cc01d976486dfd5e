# gangreclaim makes room for a whole gang of a queue that has less than it deserves: surplus
# first, over as many nodes as it needs, and no more than its queue deserves.

conf
  actions enqueue allocate backfill gangreclaim
node n1 n2 cpu=4
queue a b

submit ml/elastic queue=a min=1 5 x cpu=1
submit ml/rigid queue=a 3 x cpu=1
cycle
----
bind ml/elastic-0 n1
bind ml/rigid-0 n2
bind ml/rigid-1 n1
bind ml/rigid-2 n2
bind ml/elastic-1 n1
bind ml/elastic-2 n2
bind ml/elastic-3 n1
bind ml/elastic-4 n2

submit ml/gang queue=b 4 x cpu=1
cycle
----
evict ml/elastic-3 n1 for ml/gang-0
evict ml/elastic-1 n1 for ml/gang-0
evict ml/elastic-0 n1 for ml/gang-0
evict ml/elastic-4 n2 for ml/gang-3
nominate ml/gang-0..2 n1
nominate ml/gang-3 n2
wait ml/gang: Reserved: n1

evictions for whole rules
----
pod           for        whole  rules
ml/elastic-3  ml/gang-0  no     1:gang 2:proportion
ml/elastic-1  ml/gang-0  no     1:gang 2:proportion
ml/elastic-0  ml/gang-0  no     1:gang 2:proportion
ml/elastic-4  ml/gang-3  no     1:gang 2:proportion

submit ml/more queue=b 1 x cpu=1
run
----
2s    bind ml/gang-0..3 n1 n2
wait ml/more: QueueOverused b: cpu 4 deserved, 4 held; gangreclaim NoVictims: QueueDeserved b: cpu 5 with it, 4 deserved
