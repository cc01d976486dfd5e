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
0s    bind lab/alpha-0 n5
0s    bind lab/beta-0 n4
0s    bind lab/gamma-0 n1
0s    bind lab/beta-1 n2
0s    bind lab/gamma-1 n3
0s    bind lab/alpha-1 n5
0s    bind lab/beta-2 n4
0s    bind lab/gamma-2 n1
0s    bind lab/alpha-2 n2
0s    bind lab/beta-3 n3
0s    bind lab/beta-4 n5
0s    bind lab/gamma-3 n4
0s    bind lab/alpha-3 n1
0s    bind lab/beta-5 n2
0s    bind lab/gamma-4 n3
0s    bind lab/alpha-4 n5
0s    bind lab/beta-6 n4
0s    bind lab/beta-7 n1
0s    bind lab/gamma-5 n2
0s    bind lab/alpha-5 n3
0s    bind lab/beta-8 n5
0s    bind lab/gamma-6 n4
0s    bind lab/alpha-6 n1
0s    bind lab/beta-9 n2
0s    bind lab/gamma-7 n3
0s    bind lab/beta-10 n5
0s    bind lab/alpha-7 n4
0s    bind lab/beta-11 n1
0s    bind lab/gamma-8 n2
0s    bind lab/alpha-8 n3
0s    bind lab/beta-12 n5
0s    bind lab/gamma-9 n4
0s    bind lab/beta-13 n1
0s    bind lab/alpha-9 n2
0s    bind lab/beta-14 n3
0s    bind lab/gamma-10 n5
0s    bind lab/alpha-10 n4
0s    bind lab/beta-15 n1
0s    bind lab/gamma-11 n2
0s    bind lab/beta-16 n3
0s    bind lab/alpha-11 n5
0s    bind lab/gamma-12 n4
0s    bind lab/beta-17 n1
0s    bind lab/alpha-12 n2
0s    bind lab/beta-18 n3
0s    bind lab/gamma-13 n5
0s    bind lab/beta-19 n4
0s    bind lab/alpha-13 n1
0s    bind lab/gamma-14 n2
0s    bind lab/beta-20 n3
0s    bind lab/alpha-14 n5
0s    bind lab/beta-21 n4
0s    bind lab/gamma-15 n1
0s    bind lab/beta-22 n2
0s    bind lab/gamma-16 n3
0s    bind lab/alpha-15 n5
0s    bind lab/beta-23 n4
0s    bind lab/gamma-17 n1
0s    bind lab/alpha-16 n2
0s    bind lab/beta-24 n3
0s    bind lab/beta-25 n5
0s    bind lab/gamma-18 n4
0s    bind lab/alpha-17 n1
0s    bind lab/beta-26 n2
0s    bind lab/gamma-19 n3
0s    bind lab/alpha-18 n5
0s    bind lab/beta-27 n4
0s    bind lab/beta-28 n1
0s    bind lab/gamma-20 n2
0s    bind lab/alpha-19 n3
0s    bind lab/beta-29 n5
0s    bind lab/gamma-21 n4
0s    bind lab/alpha-20 n1
0s    bind lab/beta-30 n2
0s    bind lab/gamma-22 n3
0s    bind lab/beta-31 n5
0s    bind lab/alpha-21 n4
0s    bind lab/beta-32 n1
0s    bind lab/gamma-23 n2
0s    bind lab/alpha-22 n3
0s    bind lab/beta-33 n5
0s    bind lab/gamma-24 n4
0s    bind lab/beta-34 n1
0s    bind lab/alpha-23 n2
0s    bind lab/beta-35 n3
0s    bind lab/gamma-25 n5
0s    bind lab/alpha-24 n4
0s    bind lab/beta-36 n1
0s    bind lab/gamma-26 n2
0s    bind lab/beta-37 n3
0s    bind lab/alpha-25 n5
0s    bind lab/gamma-27 n4
0s    bind lab/beta-38 n1
0s    bind lab/alpha-26 n2
0s    bind lab/beta-39 n3
0s    bind lab/gamma-28 n5
0s    bind lab/beta-40 n4
0s    bind lab/alpha-27 n1
0s    bind lab/gamma-29 n2
0s    bind lab/beta-41 n3
wait lab/alpha: QueueOverused a: cpu 28 deserved, 28 held
wait lab/beta: QueueOverused b: cpu 42 deserved, 42 held

queues weight deserved allocated request share overused
----
queue  weight  deserved  allocated  request  share  overused
a      2       cpu=28    cpu=28     cpu=80   1.00   yes
b      3       cpu=42    cpu=42     cpu=60   1.00   yes
c      5       cpu=30    cpu=30     cpu=30   1.00   yes
