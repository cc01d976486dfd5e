# Two leaves are compared by their teams: a team that holds much of its part waits, even
# for a queue of its own that holds nothing (seed 001 §4.3).
#
# Team a holds two of its four through training; inference, which holds nothing, goes
# behind batch: the team of batch holds one of four. When the node is full it is the node that
# is full, no queue.

conf
  tier priority gang
  tier predicates capacity(enableHierarchy=true)

node n1 cpu=4
queue a b deserved=cpu:4
queue training inference parent=a deserved=cpu:2
queue batch parent=b deserved=cpu:2

submit x/train queue=training  2 x cpu=1
submit x/crunch queue=batch    1 x cpu=1
cycle
----
bind x/train-0..1 n1
bind x/crunch-0 n1

submit x/infer queue=inference 1 x cpu=1
submit x/later queue=batch     1 x cpu=1
cycle
----
bind x/later-0 n1
wait x/infer: NotEnoughResources: cpu 1 asked, 0 free on n1

queues all allocated share
----
queue      allocated  share
a          cpu=2      0.50
b          cpu=2      0.50
batch      cpu=2      1.00
default    -          1.00
inference  -          0.00
root       cpu=4      1.00
training   cpu=2      1.00
