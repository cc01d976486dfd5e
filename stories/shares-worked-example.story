# Three queues share a hundred CPUs by weight, and what one cannot use goes to the
# others.
#
# By weight 2:3:5 they would get 20, 30 and 50. c asks for 30 only; the 20 it leaves are
# shared 2:3 among the others: 28 and 42. a may hold 50 and b has no bound, and neither
# guarantee needs help.

node n1 n2 n3 n4 n5 cpu=20
queue a weight=2 capability=cpu:50 guarantee=cpu:10
queue b weight=3
queue c weight=5 guarantee=cpu:20

submit lab/alpha queue=a min=1 80 x cpu=1
submit lab/beta  queue=b min=1 60 x cpu=1
submit lab/gamma queue=c min=1 30 x cpu=1
run
----
0s    bind lab/alpha-0..27 n1 n2 n3 n4 n5
0s    bind lab/beta-0..41 n1 n2 n3 n4 n5
0s    bind lab/gamma-0..29 n1 n2 n3 n4 n5
wait lab/alpha: QueueOverused a: cpu 28 deserved, 28 held
wait lab/beta: QueueOverused b: cpu 42 deserved, 42 held

queues weight deserved allocated request share overused
----
queue  weight  deserved  allocated  request  share  overused
a      2       cpu=28    cpu=28     cpu=80   1.00   yes
b      3       cpu=42    cpu=42     cpu=60   1.00   yes
c      5       cpu=30    cpu=30     cpu=30   1.00   yes
