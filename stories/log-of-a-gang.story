# The log of a cycle in which a gang is tried in vain, in the words that people know and
# search for: what was tried is discarded, and nothing of it is committed.

conf
  tier gang
  tier predicates nodeorder
node n1 cpu=3

submit ml/team min=2
  1 x cpu=1
  1 x cpu=3
cycle
----
wait ml/team: GangIncomplete 1 of 2: NotEnoughResources: cpu 3 asked, 2 free on n1

log 3
----
V3 Job <ml/team> enqueued into Queue <default>
V3 Try to allocate resource to 1 Queues
V3 There are <1> nodes for Job <ml/team>
V3 Binding Task <ml/team-0> to node <n1>
V3 After allocated Task <ml/team-0> to Node <n1>: idle <cpu 2000.00, memory 0.00, pods 109.00>, used <cpu 1000.00, memory 0.00, pods 1.00>, releasing <cpu 0.00, memory 0.00>
V3 Predicates failed for task <ml/team-1>: the only node does not take it: 1 lacks cpu (on n1: 3 asked, 2 free)
V3 Discarding operations ...
