# Schedulers that share a cluster by shards use nodes of their own first, and those of
# others only where theirs take no pod.
#
# n1 is ours; n2, which belongs to another shard, is larger and would be the better place.
# old goes to ours, far to the only node that can hold it. Room that is idle elsewhere is
# worth more than room that is still being freed here: over goes to n3 and does not wait
# for n1. When nothing is idle, here waits for the room that is being freed on n1 although
# n2 will have more, and there, which n1 cannot hold, waits for n2.

conf
  tier priority gang
  tier predicates nodeorder
node n1 cpu=4
node n2 cpu=8 elsewhere

submit ml/old 1 x cpu=4
submit ml/far 1 x cpu=8
cycle
----
bind ml/far-0 n2
bind ml/old-0 n1

delete ml/old
node n3 cpu=4 elsewhere
submit ml/over 1 x cpu=4
cycle
----
bind ml/over-0 n3

submit ml/again 1 x cpu=4
cycle
----
bind ml/again-0 n1

delete ml/again
delete ml/far
submit ml/here 1 x cpu=4
submit ml/there 1 x cpu=8
cycle
----
pipeline ml/here-0 n1
pipeline ml/there-0 n2
wait ml/here: Pipelined 1 of 1
wait ml/there: Pipelined 1 of 1
