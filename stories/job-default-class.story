# A job that names no priority class has that of the cluster's default class.
#
# The default is worth 50: unnamed jobs go before those of class low, and after high.

class low 10
class usual 50 default
class high 90
node n1 cpu=2
queue ops

submit web/a-low  queue=ops priority=low  1 x cpu=1
submit web/b-none queue=ops               1 x cpu=1
submit web/c-high queue=ops priority=high 1 x cpu=1
cycle
----
bind web/c-high-0 n1
bind web/b-none-0 n1
wait web/a-low: QueueOverused ops: cpu 2 deserved, 2 held

jobs priority tasks
----
job         priority  tasks
web/a-low   10        1 Pending
web/b-none  50        1 Binding
web/c-high  90        1 Binding
