# Where tdm decides which pods leave for others, two jobs do not evict each other in turn.
#
# kept may not be evicted itself, so it takes the room of one of the others. late, which is as they are, takes
# nothing: it could be evicted for them in the next cycle.

conf
  actions enqueue allocate preempt
  tier    gang
  tier    predicates tdm
node n1 cpu=2

submit ml/one 1 x cpu=1 owned
submit ml/two 1 x cpu=1 owned
cycle
----
bind ml/one-0 n1
bind ml/two-0 n1

submit ml/late 1 x cpu=1
cycle
----
wait ml/late: NotEnoughResources: cpu 1 asked, 0 free on n1; preempt NoVictims: 2 VictimForKept

submit ml/kept preemptable=no 1 x cpu=1
run until=1m
----
2s    evict ml/two-0 n1 for ml/kept-0
2s    nominate ml/kept-0 n1
3s    bind ml/kept-0 n1
wait ml/late: NotEnoughResources: cpu 1 asked, 0 free on n1; preempt NoVictims: 1 VictimForKept, 1 VictimKept
wait ml/two: NotEnoughResources: cpu 1 asked, 0 free on n1; preempt NoVictims: 1 VictimForKept, 1 VictimKept
