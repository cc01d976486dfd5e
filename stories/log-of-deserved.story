# The log tells how deserved was found, round by round, in the words that people know
# and search for.
#
# It is the example of three queues that share a hundred CPUs: 20, 30 and 30 in the first
# round, then the 20 that c leaves go 2:3 to the others. A queue in which nothing is
# asked for, as default here, has no part in the rounds.

node n1 cpu=100
queue a weight=2 capability=cpu:50 guarantee=cpu:10
queue b weight=3
queue c weight=5 guarantee=cpu:20

submit lab/alpha queue=a min=1 80 x cpu=1
submit lab/beta  queue=b min=1 60 x cpu=1
submit lab/gamma queue=c min=1 30 x cpu=1
run until=0s
----
0s    bind lab/alpha-0..27 n1
0s    bind lab/beta-0..41 n1
0s    bind lab/gamma-0..29 n1
wait lab/alpha: QueueOverused a: cpu 28 deserved, 28 held
wait lab/beta: QueueOverused b: cpu 42 deserved, 42 held

log 4 Format
----
V4 Format queue <a> deserved resource to <cpu 20000.00, memory 0.00>
V4 Format queue <b> deserved resource to <cpu 30000.00, memory 0.00>
V4 Format queue <c> deserved resource to <cpu 30000.00, memory 0.00>
V4 Format queue <a> deserved resource to <cpu 28000.00, memory 0.00>
V4 Format queue <b> deserved resource to <cpu 42000.00, memory 0.00>

log 4 Remaining
----
V4 Remaining resource is <cpu 20000.00, memory 0.00>
V4 Remaining resource is <cpu 0.00, memory 0.00>
