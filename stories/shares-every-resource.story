# Every resource is shared by itself, and the one that runs short first is the one that
# stops a queue.
#
# sums asks for CPU above all and maps for memory. Each deserves five of ten CPUs; maps
# may have the memory that sums does not ask for, 15 of 20Gi. A third task of sums would
# need six CPUs, a fourth of maps 16Gi.

node n1 cpu=10 memory=20Gi
queue maps sums

submit x/sums queue=sums min=1 5 x cpu=2,memory=1Gi
submit x/maps queue=maps min=1 5 x cpu=1,memory=4Gi
run
----
0s    bind x/maps-0..2 n1
0s    bind x/sums-0..1 n1
wait x/maps: QueueDeserved maps: memory 16Gi with it, 15Gi deserved
wait x/sums: QueueDeserved sums: cpu 6 with it, 5 deserved

queues deserved allocated share overused
----
queue  deserved           allocated          share  overused
maps   cpu=5,memory=15Gi  cpu=3,memory=12Gi  0.80   no
sums   cpu=5,memory=5Gi   cpu=4,memory=2Gi   0.80   no
