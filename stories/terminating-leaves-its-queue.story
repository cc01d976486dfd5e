# A pod that terminates counts in its queue no more, as in Volcano: the one that is made anew for it starts at once where
# a node has room, although its queue may hold no more than one of them. So a user whose pods take long to end holds more
# than the queue's capability until they have ended; a ResourceQuota counts them until then.

node n1 n2 cpu=4
queue web capability=cpu:4

submit web/old queue=web 1 x cpu=4 grace=10m
cycle
----
bind web/old-0 n2

delete web/old
submit web/new queue=web 1 x cpu=4
cycle
----
bind web/new-0 n1

queues allocated
----
queue  allocated
web    cpu=4

nodes used releasing
----
node  used   releasing
n1    cpu=4  -
n2    cpu=4  cpu=4
