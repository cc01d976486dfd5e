# A queue with reclaimable: false gives nothing back, however much it has borrowed (seed 002
# §6.2).

conf
  actions enqueue allocate backfill reclaim
node n1 cpu=6
queue lender
queue mine reclaimable=false
queue yours

submit ml/mine queue=mine min=1 3 x cpu=1
submit ml/yours queue=yours min=1 3 x cpu=1
cycle
----
bind ml/mine-0 n1
bind ml/yours-0 n1
bind ml/mine-1 n1
bind ml/yours-1 n1
bind ml/mine-2 n1
bind ml/yours-2 n1

submit ml/back queue=lender min=2 2 x cpu=1
cycle
----
wait ml/back: GangIncomplete 0 of 2: NotEnoughResources: cpu 1 asked, 0 free on n1; reclaim VictimsTooFew 1 of 6: 3 VictimUnreclaimed, 2 VictimDeserved

run
----
wait ml/back: GangIncomplete 0 of 2: NotEnoughResources: cpu 1 asked, 0 free on n1; reclaim VictimsTooFew 1 of 6: 3 VictimUnreclaimed, 2 VictimDeserved

submit ml/again queue=lender 1 x cpu=1
run
----
4s    evict ml/yours-2 n1 for ml/again-0
4s    nominate ml/again-0 n1
5s    bind ml/again-0 n1
wait ml/back: GangIncomplete 0 of 2: NotEnoughResources: cpu 1 asked, 0 free on n1; reclaim NoVictims: 3 VictimUnreclaimed, 2 VictimDeserved
