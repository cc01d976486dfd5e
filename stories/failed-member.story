# A gang that has lost a member gets one for the other, not a whole gang anew.
#
# The controller makes another pod for the one that failed. Two members run already, so
# the new one alone makes the minimum whole, and it may start by itself. Until then the
# gang is Unknown: some of it runs, and some of its minimum does not.

node n1 cpu=3
queue ml

submit ml/trio queue=ml min=3 3 x cpu=1
cycle
----
bind ml/trio-0..2 n1

cycle phases
----
phase ml/trio Running

fail ml/trio-1
cycle phases
----
phase ml/trio Unknown
wait ml/trio: NotEnoughTasks 2 of 3

grow ml/trio 1 x cpu=1
cycle phases
----
bind ml/trio-3 n1
phase ml/trio Running

cycle phases
----
nothing

jobs phase tasks
----
job      phase    tasks
ml/trio  Running  3 Running, 1 Failed
