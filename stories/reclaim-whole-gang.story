# A whole gang of another queue goes as long as its queue holds more than it deserves before
# the last of its members goes (decision 12). a deserves four of eight: its five may not go,
# since before the last of them went it would hold four; its three may, and do where they
# are enough.

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
wait ml/b4: NotEnoughResources: cpu 4 asked, 0 free on n1; reclaim VictimsTooFew 3 of 8: 5 VictimDeserved

submit ml/b3 queue=b 1 x cpu=3
cycle
----
evict ml/three-2 n1 for ml/b3-0
evict ml/three-1 n1 for ml/b3-0
evict ml/three-0 n1 for ml/b3-0
nominate ml/b3-0 n1
wait ml/b3: Reserved: n1
wait ml/b4: QueueDeserved b: cpu 7 with it, 4 deserved; reclaim NoVictims: QueueDeserved b: cpu 7 with it, 4 deserved

evictions for whole
----
pod         for      whole
ml/three-2  ml/b3-0  yes
ml/three-1  ml/b3-0  yes
ml/three-0  ml/b3-0  yes

run
----
3s    bind ml/b3-0 n1
wait ml/b4: QueueDeserved b: cpu 7 with it, 4 deserved; reclaim NoVictims: QueueDeserved b: cpu 7 with it, 4 deserved
wait ml/three: NoPods
