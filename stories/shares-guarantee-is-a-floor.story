# A guarantee is a floor, not a head start.
#
# By weight 1:1:2 a, b and c would get 25, 25 and 50. c asks for 10, so a and b share
# 90: each gets 45. That a is guaranteed 30 changes nothing, for 45 is more. Had the 30
# been handed out beforehand, a would end with more than b.

node n1 cpu=100
queue a weight=1 guarantee=cpu:30
queue b weight=1
queue c weight=2

submit lab/alpha queue=a min=1 60 x cpu=1
submit lab/beta  queue=b min=1 60 x cpu=1
submit lab/gamma queue=c min=1 10 x cpu=1
run
----
0s    bind lab/alpha-0..44 n1
0s    bind lab/beta-0..44 n1
0s    bind lab/gamma-0..9 n1
wait lab/alpha: QueueOverused a: cpu 45 deserved, 45 held
wait lab/beta: QueueOverused b: cpu 45 deserved, 45 held

queues deserved allocated guarantee
----
queue  deserved  allocated  guarantee
a      cpu=45    cpu=45     cpu=30
b      cpu=45    cpu=45     -
c      cpu=10    cpu=10     -
