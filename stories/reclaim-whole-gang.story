# A gang that can only go whole is judged whole, as a pod of its size would be (decision 12): it may
# go while its queue holds more than it deserves. a deserves four of eight CPUs and holds all of
# them. So its five pods go for a pod of b that needs four, though a is left with three. They do
# not come back at b's cost, since b has what it deserves.

conf
  actions enqueue allocate backfill reclaim
node n1 cpu=8
queue a b

submit ml/three queue=a 3 x cpu=1
submit ml/five queue=a 5 x cpu=1
cycle
----
bind ml/five-0..4 n1
bind ml/three-0..2 n1

submit ml/b4 queue=b 1 x cpu=4
cycle
----
evict ml/five-4 n1 for ml/b4-0
evict ml/five-3 n1 for ml/b4-0
evict ml/five-2 n1 for ml/b4-0
evict ml/five-1 n1 for ml/b4-0
evict ml/five-0 n1 for ml/b4-0
nominate ml/b4-0 n1
wait ml/b4: Reserved: n1

evictions for whole
----
pod        for      whole
ml/five-4  ml/b4-0  yes
ml/five-3  ml/b4-0  yes
ml/five-2  ml/b4-0  yes
ml/five-1  ml/b4-0  yes
ml/five-0  ml/b4-0  yes

run
----
2s    bind ml/b4-0 n1
wait ml/five: NoPods

submit ml/again queue=a 5 x cpu=1
submit ml/more queue=b 1 x cpu=1
run
----
wait ml/again: GangIncomplete 1 of 5: NotEnoughResources: cpu 1 asked, 0 free on n1; reclaim NoVictims: 1 VictimDeserved
wait ml/five: NoPods
wait ml/more: QueueOverused b: cpu 4 deserved, 4 held; reclaim NoVictims: QueueDeserved b: cpu 5 with it, 4 deserved
