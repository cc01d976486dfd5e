# A queue that cannot be served takes nothing from the others.
#
# The ring and the orphan weigh a hundred, and their jobs ask for everything. good has
# the whole cluster.

node n1 cpu=8
queue good
queue hen  weight=100 parent=egg
queue egg  weight=100 parent=hen
queue lost weight=100 parent=nowhere

submit x/ring   queue=hen  min=1 8 x cpu=1
submit x/orphan queue=lost min=1 8 x cpu=1
submit x/work   queue=good min=1 8 x cpu=1
cycle
----
bind x/work-0..7 n1
wait x/orphan: QueueOrphaned lost: nowhere
wait x/ring: QueueCyclic hen

queues deserved allocated
----
queue  deserved  allocated
egg    -         -
good   cpu=8     cpu=8
hen    -         -
lost   -         -
