# Pods without a PodGroup are one job with those of the same controller, which is known by its
# kind and UID: two of one name are two jobs, and so is a bare pod that is called like them. Where
# two jobs look alike they are shown with what they are made for.

node n1 cpu=4
queue batch
queue prod

# A Job that wants three pods and has two, and a StatefulSet of its name that wants one.
submit ml/app queue=batch min=3 no-group owner=Job.batch/app/j1  2 x cpu=1
submit ml/app-db queue=prod no-group owner=StatefulSet.apps/app/s1  1 x cpu=1
submit ml/app queue=prod no-group  1 x cpu=1
cycle
----
bind ml/app n1
bind ml/app-db n1
wait ml/app (Job.batch): NotEnoughTasks 2 of 3

jobs adopted queue tasks
----
job                        adopted  queue  tasks
ml/app (Pod)               yes      prod   1 Binding
ml/app (Job.batch)         yes      batch  2 Pending
ml/app (StatefulSet.apps)  yes      prod   1 Binding

# The StatefulSet was deleted and made again; a pod of its first life still runs.
submit ml/app-db-new queue=prod min=2 no-group owner=StatefulSet.apps/app/s2  1 x cpu=1
cycle
----
wait ml/app (Job.batch): NotEnoughTasks 2 of 3
wait ml/app (StatefulSet.apps s2): NotEnoughTasks 1 of 2

# When the first is gone, one name is enough to tell the StatefulSets apart, not so the others.
delete ml/app-db
cycle 2
----
wait ml/app (Job.batch): NotEnoughTasks 2 of 3
wait ml/app (StatefulSet.apps): NotEnoughTasks 1 of 2

jobs tasks
----
job                        tasks
ml/app (Pod)               1 Running
ml/app (Job.batch)         2 Pending
ml/app (StatefulSet.apps)  1 Pending
