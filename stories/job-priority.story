# Of two jobs of a queue the more important is served first, whenever it came.
#
# patch comes later than crawl, and there is room for one of them.

class normal 10
class urgent 100
node n1 cpu=4
queue ops

submit web/blocker queue=ops 1 x cpu=4
cycle
----
bind web/blocker-0 n1

submit web/crawl queue=ops priority=normal 1 x cpu=3
cycle
----
wait web/crawl: QueueOverused ops: cpu 4 deserved, 4 held

submit web/patch queue=ops priority=urgent 1 x cpu=3
finish web/blocker
cycle
----
bind web/patch-0 n1
wait web/crawl: QueueDeserved ops: cpu 6 with it, 4 deserved
