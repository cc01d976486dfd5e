# The whole course of a cycle can be read, word for word as Volcano's guides show it.
#
# The queue team deserves four CPUs: its second job is refused by the queue, and the third
# pod of the first as well. closed takes no jobs. Level 3 shows decisions, level 4 who was
# considered, level 5 where the action begins and ends.

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
wait ml/elastic: QueueOverused team: cpu 4 deserved, 4 held
wait ml/late: QueueOverused team: cpu 4 deserved, 4 held
wait ml/outside: QueueNotOpen shut: Closed

log 5
----
V4 The total resource is <cpu 8000.00, memory 0.00>
V4 Considering Queue <shut>: weight <1>, total weight <2>.
V4 Format queue <shut> deserved resource to <cpu 0.00, memory 0.00>
V4 queue <shut> is meet
V4 Considering Queue <team>: weight <1>, total weight <2>.
V4 Format queue <team> deserved resource to <cpu 4000.00, memory 0.00>
V4 Remaining resource is <cpu 4000.00, memory 0.00>
V4 Considering Queue <team>: weight <1>, total weight <1>.
V4 Format queue <team> deserved resource to <cpu 4000.00, memory 0.00>
V4 queue <team> is meet
V4 Remaining resource is <cpu 4000.00, memory 0.00>
V5 Enter Enqueue ...
V3 Job <ml/elastic> enqueued into Queue <team>
V3 Job <ml/late> enqueued into Queue <team>
V5 Leaving Enqueue ...
V5 Enter Allocate ...
V4 Added Job <ml/elastic> into Queue <team>
V4 Added Job <ml/late> into Queue <team>
V3 Queue <shut> current state: Closed, is not in open state
V4 Job <ml/outside> Queue <shut> skip allocate, reason: queue shut is closed and takes no jobs
V3 Try to allocate resource to 1 Queues
V3 There are <2> nodes for Job <ml/elastic>
V5 BestNode of Task <ml/elastic-0> is <n2>, score <425000>
V3 Binding Task <ml/elastic-0> to node <n2>
V3 After allocated Task <ml/elastic-0> to Node <n2>: idle <cpu 2000.00, memory 0.00, pods 109.00>, used <cpu 2000.00, memory 0.00, pods 1.00>, releasing <cpu 0.00, memory 0.00>
V3 SubJob ready, return statement: Job <ml/elastic>, 1 placed
V3 Committing operations ...
V3 There are <1> nodes for Job <ml/late>
V3 Queue <team>: deserved <cpu 4000.00, memory 0.00>, allocated <cpu 2000.00, memory 0.00>; Candidate <ml/late-0>: resource request <cpu 3000.00, memory 0.00>
V3 Discarding operations ...
V3 There are <2> nodes for Job <ml/elastic>
V5 BestNode of Task <ml/elastic-1> is <n1>, score <425000>
V3 Binding Task <ml/elastic-1> to node <n1>
V3 After allocated Task <ml/elastic-1> to Node <n1>: idle <cpu 2000.00, memory 0.00, pods 109.00>, used <cpu 2000.00, memory 0.00, pods 1.00>, releasing <cpu 0.00, memory 0.00>
V3 SubJob ready, return statement: Job <ml/elastic>, 1 placed
V3 Committing operations ...
V3 Queue <team> is overused: deserved <cpu 4000.00, memory 0.00>, allocated <cpu 4000.00, memory 0.00>, share <1.000000>
V3 Queue <team> is overused, ignore it.
V5 Leaving Allocate ...
V5 Enter Backfill ...
V5 Leaving Backfill ...
