# A queue opens its gate to the pods it has room for; autoscalers see those and no others.
#
# Every pod came behind the gate of its queue, which may hold four CPUs; the cluster has
# two. The gate opens to the first two gangs: one starts, the other lacks a node. The third
# stays behind the gate though its pods hold nothing, for what was let through counts as
# held. A gang goes through as a whole.

conf
  tier priority gang
  tier predicates proportion

node n1 cpu=2
queue ml capability=cpu:4

submit ml/first  queue=ml min=2 2 x cpu=1 queue-gated
submit ml/second queue=ml min=2 2 x cpu=1 queue-gated
submit ml/third  queue=ml min=2 2 x cpu=1 queue-gated
cycle
----
open ml/first-0..1
open ml/second-0..1
wait ml/first: SchedulingGated 2
wait ml/second: SchedulingGated 2
wait ml/third: QueueGateShut ml 2: QueueOverused ml: cpu 2 deserved, 4 held

cycle
----
bind ml/first-0..1 n1
wait ml/second: QueueOverused ml: cpu 2 deserved, 2 held
wait ml/third: QueueGateShut ml 2: QueueOverused ml: cpu 2 deserved, 4 held

node n2 cpu=8
cycle
----
bind ml/second-0..1 n2
wait ml/third: QueueGateShut ml 2: QueueCapability ml (held): cpu 4 with it, 4 may be
