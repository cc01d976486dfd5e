# A pod without a PodGroup is a gang of one; the pods of one owner are one job, and its
# annotations may ask for more.
#
# shell is bare. api's two pods belong together, and one may start without the other.
# solver's owner asks for both or none.

node n1 cpu=3
queue ml

submit x/shell  no-group queue=ml 1 x cpu=1
submit x/api    no-group queue=ml owner=api 2 x cpu=1
submit x/solver no-group queue=ml owner=solver min=2 2 x cpu=1
cycle
----
bind x/api-0 n1
bind x/shell n1
bind x/api-1 n1
wait x/solver: QueueOverused ml: cpu 3 deserved, 3 held

jobs adopted min tasks
----
job       adopted  min  tasks
x/api     yes      1    2 Binding
x/shell   yes      1    1 Binding
x/solver  yes      2    2 Pending
