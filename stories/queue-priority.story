# A queue of higher priority is served first, whatever the shares say.
#
# There is room for one of the two gangs. Both queues hold nothing; rush goes first
# though its name comes last and its weight is the same.

node n1 cpu=4
queue calm
queue rush priority=10

submit ops/later queue=calm min=1 2 x cpu=2
submit ops/now   queue=rush min=1 2 x cpu=2
cycle
----
bind ops/now-0 n1
bind ops/later-0 n1
wait ops/later: QueueOverused calm: cpu 2 deserved, 2 held
wait ops/now: QueueOverused rush: cpu 2 deserved, 2 held

queues priority deserved allocated
----
queue  priority  deserved  allocated
calm   0         cpu=2     cpu=2
rush   10        cpu=2     cpu=2
