# Any user who makes pods may write volcano.sh/task-priority. It orders the tasks of their own
# job, and lets one take the room of another of that job. Against other jobs it is worth nothing:
# not to evict, not to be served first, and not to be spared.

conf
  actions enqueue allocate preempt backfill
  tier    priority gang conformance
  tier    predicates proportion nodeorder
node n1 cpu=4
class production 1000

submit prod/important 1 x cpu=4 no-group pod-priority=1000 on=n1
submit ml/cheeky 1 x cpu=4 no-group pod-priority=0 task-priority=2147483647
submit ml/gang min=2 2 x cpu=2 task-priority=2147483647
cycle
----
wait ml/cheeky: QueueOverused default: cpu 4 deserved, 4 held; preempt NoVictims: 1 VictimNotLower
wait ml/gang: QueueOverused default: cpu 4 deserved, 4 held; preempt NoVictims: 1 VictimNotLower

# Among pods of one priority the older job is served first, whatever it is called within.
finish prod/important
submit ml/later 1 x cpu=4 no-group pod-priority=0 task-priority=5
cycle 2
----
1s    bind ml/cheeky n1
wait ml/gang: QueueOverused default: cpu 4 deserved, 4 held; preempt NoVictims: 1 VictimNotLower
wait ml/later: QueueOverused default: cpu 4 deserved, 4 held; preempt NoVictims: 1 VictimNotLower

# It spares no pod either.
submit prod/urgent 1 x cpu=4 no-group pod-priority=1000
cycle
----
evict ml/cheeky n1 for prod/urgent
nominate prod/urgent n1
wait ml/gang: QueueOverused default: cpu 4 deserved, 4 held; preempt NoVictims: 1 VictimNotLower
wait ml/later: QueueOverused default: cpu 4 deserved, 4 held; preempt NoVictims: 1 VictimNotLower
wait prod/urgent: Reserved: n1
