# What an admitted gang that no node takes now holds of its queue's room is lent only to jobs that
# start at once with it. Those that would only wait beside it are not admitted: no more is Inqueue than
# the queue may ever hold.
#
# gang was admitted and waits for long, which stands on n1. large, which came before small, would wait,
# too, and stays outside; small starts at once beside long.

conf
  actions enqueue allocate backfill
  tier    priority gang conformance
  tier    predicates proportion nodeorder
node n1 n2 cpu=4
queue ml

submit ml/gang queue=ml min=2 minresources=cpu:8 2 x cpu=4
submit ml/long queue=ml min=0 1 x cpu=2 on=n1
cycle phases
----
phase ml/gang Inqueue
phase ml/long Running
wait ml/gang: GangIncomplete 1 of 2: NotEnoughResources: cpu 4 asked, 2 free on n1

submit ml/large queue=ml min=2 minresources=cpu:6 2 x cpu=3
submit ml/small queue=ml minresources=cpu:2 1 x cpu=2
cycle 3 phases
----
1s    bind ml/small-0 n2
1s    phase ml/small Inqueue
2s    phase ml/small Running
wait ml/gang: GangIncomplete 0 of 2: NotEnoughResources: cpu 4 asked, 2 free on n1
wait ml/large: QueueQuotaInsufficient ml: cpu 16 with it, 8 may be

queues allocated inqueue
----
queue  allocated  inqueue
ml     cpu=4      cpu=8
