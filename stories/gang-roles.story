# One server and two workers at least: room for three is one server and two workers.
#
# train has two servers and four workers. Served by their numbers, a server, a worker
# and another server would fill the room, and the gang could not start at all. What the
# roles need at least is served before anything above it.

node n1 cpu=3
queue ml

submit ml/train queue=ml min=3 minroles=ps:1,worker:2
  2 x cpu=1 as ps
  4 x cpu=1 as worker
cycle
----
bind ml/train-ps-0 n1
bind ml/train-worker-0..1 n1
wait ml/train: QueueOverused ml: cpu 3 deserved, 3 held

jobs tasks
----
job       tasks
ml/train  3 Pending, 3 Binding
