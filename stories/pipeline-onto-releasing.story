# A job that fits as soon as a pod has left waits on that node, and holds the room
# against those behind it.
#
# old is terminating and still there. next is pipelined onto its room and is bound as soon as
# it is gone. Pipelined room counts once: small, which comes after, has to do with
# what is left, and that is not enough for it.

conf
  tier priority gang
  tier predicates nodeorder
class urgent 100
node n1 cpu=4

submit ml/old 1 x cpu=4
cycle
----
bind ml/old-0 n1

delete ml/old
submit ml/next priority=urgent 1 x cpu=3
submit ml/small 1 x cpu=2
cycle
----
pipeline ml/next-0 n1
wait ml/next: Pipelined 1 of 1
wait ml/small: NotEnoughResources: cpu 2 asked, 0 free on n1

nodes idle releasing pipelined future
----
node  idle  releasing  pipelined  future
n1    -     cpu=4      cpu=3      cpu=1

cycle
----
bind ml/next-0 n1
wait ml/small: NotEnoughResources: cpu 2 asked, 1 free on n1
