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
bind ml/elastic-1 n2
bind ml/rigid-0 n1
bind ml/rigid-1 n2
bind ml/rigid-2 n1
bind ml/elastic-2 n2
bind ml/elastic-3 n1
bind ml/elastic-4 n2

submit ml/gang queue=b 4 x cpu=1
cycle
----
wait ml/gang: GangIncomplete 0 of 4: NotEnoughResources: cpu 1 asked, 0 free on n1; gangreclaim NoVictims: 5 VictimDeserved

evictions for whole rules
----
nothing

submit ml/more queue=b 1 x cpu=1
run
----
2s    evict ml/elastic-3 n1 for ml/more-0
2s    nominate ml/more-0 n1
3s    bind ml/more-0 n1
wait ml/gang: GangIncomplete 0 of 4: NotEnoughResources: cpu 1 asked, 0 free on n1; gangreclaim NoVictims: 5 VictimDeserved
