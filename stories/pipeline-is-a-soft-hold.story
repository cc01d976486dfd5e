# Room that is still being freed binds no job that is pipelined there: one that is ahead may take it.
#
# first was pipelined on the node that a pod is leaving. Before the room is free boss comes,
# which is more important; it is boss that starts there, and first waits again.

class boss 100
node n1 cpu=4
queue ml

submit ml/old queue=ml 1 x cpu=4
cycle
----
bind ml/old-0 n1

delete ml/old
submit ml/first queue=ml 1 x cpu=4
cycle
----
pipeline ml/first-0 n1
wait ml/first: Pipelined 1 of 1

submit ml/boss queue=ml priority=boss 1 x cpu=4
cycle
----
bind ml/boss-0 n1
wait ml/first: QueueOverused ml: cpu 4 deserved, 4 held
