# Waiting for room that frees itself is in the log as pipelining.
#
# old is leaving; next is pipelined onto its room, and the statement is kept for this cycle.

node n1 cpu=4
queue ml

submit ml/old queue=ml 1 x cpu=4
cycle
----
bind ml/old-0 n1

delete ml/old
submit ml/next queue=ml 1 x cpu=4
cycle
----
pipeline ml/next-0 n1
wait ml/next: Pipelined 1 of 1

log 3
----
V3 Job <ml/next> enqueued into Queue <ml>
V3 Try to allocate resource to 1 Queues
V3 There are <0> nodes for Job <ml/next>
V3 Allocating operations ...
V3 Pipelining Task <ml/next-0> to node <n1>
V3 After pipelined Task <ml/next-0> to Node <n1>: idle <cpu 0.00, memory 0.00, pods 109.00>, used <cpu 4000.00, memory 0.00, pods 1.00>, releasing <cpu 4000.00, memory 0.00, pods 1.00>
V3 SubJob pipelined, return statement: Job <ml/next>, 1 placed
