# The example tree of the capacity guide (seed 001 §3.2): what training is given, team-a
# and root hold too, and no other queue does.
#
# A team may hold its 60: the 40 that both teams are guaranteed leave 60 of the 100, and
# its own 20 come back. Below team-a the same: 60 less 20 is 40, and with its own 10 training
# could hold 50; its capability says 40.

conf
  tier priority gang
  tier predicates capacity(enableHierarchy=true)

node n1 cpu=100
queue team-a team-b deserved=cpu:40 capability=cpu:60 guarantee=cpu:20
queue training    parent=team-a deserved=cpu:25 capability=cpu:40 guarantee=cpu:10
queue inference   parent=team-a deserved=cpu:15 capability=cpu:30 guarantee=cpu:10
queue batch       parent=team-b deserved=cpu:30 capability=cpu:40 guarantee=cpu:15
queue interactive parent=team-b deserved=cpu:10 capability=cpu:30 guarantee=cpu:5

submit lab/train queue=training 1 x cpu=10
run
----
0s    bind lab/train-0 n1

queues all allocated deserved real share
----
queue        allocated  deserved  real     share
batch        -          cpu=30    cpu=40   0.00
default      -          -         cpu=60   1.00
inference    -          cpu=15    cpu=30   0.00
interactive  -          cpu=10    cpu=30   0.00
root         cpu=10     cpu=100   cpu=100  0.10
team-a       cpu=10     cpu=40    cpu=60   0.25
team-b       -          cpu=40    cpu=60   0.00
training     cpu=10     cpu=25    cpu=40   0.40
