# A gang that its queue does not deserve as a whole starts no member.
#
# red deserves five of ten CPUs. Its gang needs six at once. There would be room on the
# node, but the queue's part is not enough for the whole gang, so none of it starts.

node n1 cpu=10
queue blue red

submit x/small queue=blue min=1 10 x cpu=1
submit x/whole queue=red  min=3 3 x cpu=2
cycle
----
bind x/small-0..4 n1
wait x/small: QueueOverused blue: cpu 5 deserved, 5 held
wait x/whole: GangIncomplete 2 of 3: NotEnoughResources: cpu 2 asked, 1 free on n1
