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
0s    bind lab/alpha-0 n1
0s    bind lab/beta-0 n1
0s    bind lab/gamma-0 n1
0s    bind lab/alpha-1 n1
0s    bind lab/beta-1 n1
0s    bind lab/alpha-2 n1
0s    bind lab/beta-2 n1
0s    bind lab/alpha-3 n1
0s    bind lab/beta-3 n1
0s    bind lab/alpha-4 n1
0s    bind lab/beta-4 n1
0s    bind lab/gamma-1 n1
0s    bind lab/alpha-5 n1
0s    bind lab/beta-5 n1
0s    bind lab/alpha-6 n1
0s    bind lab/beta-6 n1
0s    bind lab/alpha-7 n1
0s    bind lab/beta-7 n1
0s    bind lab/alpha-8 n1
0s    bind lab/beta-8 n1
0s    bind lab/alpha-9 n1
0s    bind lab/beta-9 n1
0s    bind lab/gamma-2 n1
0s    bind lab/alpha-10 n1
0s    bind lab/beta-10 n1
0s    bind lab/alpha-11 n1
0s    bind lab/beta-11 n1
0s    bind lab/alpha-12 n1
0s    bind lab/beta-12 n1
0s    bind lab/alpha-13 n1
0s    bind lab/beta-13 n1
0s    bind lab/gamma-3 n1
0s    bind lab/alpha-14 n1
0s    bind lab/beta-14 n1
0s    bind lab/alpha-15 n1
0s    bind lab/beta-15 n1
0s    bind lab/alpha-16 n1
0s    bind lab/beta-16 n1
0s    bind lab/alpha-17 n1
0s    bind lab/beta-17 n1
0s    bind lab/alpha-18 n1
0s    bind lab/beta-18 n1
0s    bind lab/gamma-4 n1
0s    bind lab/alpha-19 n1
0s    bind lab/beta-19 n1
0s    bind lab/alpha-20 n1
0s    bind lab/beta-20 n1
0s    bind lab/alpha-21 n1
0s    bind lab/beta-21 n1
0s    bind lab/alpha-22 n1
0s    bind lab/beta-22 n1
0s    bind lab/gamma-5 n1
0s    bind lab/alpha-23 n1
0s    bind lab/beta-23 n1
0s    bind lab/alpha-24 n1
0s    bind lab/beta-24 n1
0s    bind lab/alpha-25 n1
0s    bind lab/beta-25 n1
0s    bind lab/alpha-26 n1
0s    bind lab/beta-26 n1
0s    bind lab/alpha-27 n1
0s    bind lab/beta-27 n1
0s    bind lab/gamma-6 n1
0s    bind lab/alpha-28 n1
0s    bind lab/beta-28 n1
0s    bind lab/alpha-29 n1
0s    bind lab/beta-29 n1
0s    bind lab/alpha-30 n1
0s    bind lab/beta-30 n1
0s    bind lab/alpha-31 n1
0s    bind lab/beta-31 n1
0s    bind lab/gamma-7 n1
0s    bind lab/alpha-32 n1
0s    bind lab/beta-32 n1
0s    bind lab/alpha-33 n1
0s    bind lab/beta-33 n1
0s    bind lab/alpha-34 n1
0s    bind lab/beta-34 n1
0s    bind lab/alpha-35 n1
0s    bind lab/beta-35 n1
0s    bind lab/alpha-36 n1
0s    bind lab/beta-36 n1
0s    bind lab/gamma-8 n1
0s    bind lab/alpha-37 n1
0s    bind lab/beta-37 n1
0s    bind lab/alpha-38 n1
0s    bind lab/beta-38 n1
0s    bind lab/alpha-39 n1
0s    bind lab/beta-39 n1
0s    bind lab/alpha-40 n1
0s    bind lab/beta-40 n1
0s    bind lab/gamma-9 n1
0s    bind lab/alpha-41 n1
0s    bind lab/beta-41 n1
0s    bind lab/alpha-42 n1
0s    bind lab/beta-42 n1
0s    bind lab/alpha-43 n1
0s    bind lab/beta-43 n1
0s    bind lab/alpha-44 n1
0s    bind lab/beta-44 n1
wait lab/alpha: QueueOverused a: cpu 45 deserved, 45 held
wait lab/beta: QueueOverused b: cpu 45 deserved, 45 held

queues deserved allocated guarantee
----
queue  deserved  allocated  guarantee
a      cpu=45    cpu=45     cpu=30
b      cpu=45    cpu=45     -
c      cpu=10    cpu=10     -
