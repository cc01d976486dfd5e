# The course of a cycle can be read, word for word as Volcano's guides show it.
#
# The queue team may hold four CPUs: its second job is refused by the queue, and it is
# overused before the third pod of the first. The queue shut takes no jobs. Level 3 shows
# decisions, level 4 what was considered, level 5 where an action begins and ends.

node n1 cpu=4
node n2 cpu=4
queue team capability=cpu:4
queue shut state=Closed

submit ml/elastic queue=team min=1 3 x cpu=2
submit ml/late    queue=team min=1 1 x cpu=3
submit ml/outside queue=shut 1 x cpu=1
cycle
----
bind ml/elastic-0 n2
bind ml/elastic-1 n1
wait ml/elastic: QueueCapability team (held): cpu 4 with it, 4 may be
wait ml/late: QueueCapability team (held): cpu 4 with it, 4 may be
wait ml/outside: QueueNotOpen shut: Closed

log 5 Allocate
----
V5 Enter Allocate ...
V5 Leaving Allocate ...

log 4 skip
----
V4 Job <ml/outside> Queue <shut> skip allocate, reason: queue shut is closed and takes no jobs

log 4 Added
----
V4 Added Job <ml/elastic> into Queue <team>
V4 Added Job <ml/late> into Queue <team>

log 5 BestNode
----
V5 BestNode of Task <ml/elastic-0> is <n2>, score <425000>
V5 BestNode of Task <ml/elastic-1> is <n1>, score <425000>

log 3 Queue
----
V3 Job <ml/elastic> enqueued into Queue <team>
V3 Job <ml/late> enqueued into Queue <team>
V3 Queue <shut> current state: Closed, is not in open state
V3 Try to allocate resource to 1 Queues
V3 Queue <team>: deserved <cpu 4000.00, memory 0.00>, allocated <cpu 2000.00, memory 0.00>; Candidate <ml/late-0>: resource request <cpu 3000.00, memory 0.00>
V3 Queue <team> is overused: deserved <cpu 4000.00, memory 0.00>, allocated <cpu 4000.00, memory 0.00>, share <1.000000>
V3 Queue <team> is overused, ignore it.
