# Every gang has its minimum before any gang has more.
#
# Both jobs may start with two members and could use eight. hungry is first in line, but
# it waits with its third member until modest has begun. Then the room left goes member
# by member to the first in line.

node n1 cpu=10
queue ml

submit ml/hungry queue=ml min=2 8 x cpu=1
submit ml/modest queue=ml min=2 8 x cpu=1
cycle
----
bind ml/hungry-0..1 n1
bind ml/modest-0..1 n1
bind ml/hungry-2..7 n1
wait ml/modest: QueueOverused ml: cpu 10 deserved, 10 held

jobs tasks
----
job        tasks
ml/hungry  8 Binding
ml/modest  6 Pending, 2 Binding
