# A job in a queue that is missing, closed, set aside, out of the tree or no leaf waits
# with its reason, and no other job is affected.

node n1 cpu=8
queue team
queue dev parent=team
queue shut state=Closed
queue hen parent=egg
queue egg parent=hen
queue lost parent=nowhere
queue odd fault=spec.capability.cpu
queue under parent=odd

submit x/typo   queue=taem 1 x cpu=1
submit x/branch queue=team 1 x cpu=1
submit x/closed queue=shut 1 x cpu=1
submit x/ring   queue=hen  1 x cpu=1
submit x/orphan queue=lost 1 x cpu=1
submit x/absurd queue=odd  1 x cpu=1
submit x/below  queue=under 1 x cpu=1
submit x/fine   queue=dev  1 x cpu=1
cycle
----
bind x/fine-0 n1
wait x/absurd: QueueInvalid odd: spec.capability.cpu: the value makes no sense
wait x/below: QueueOrphaned under: QueueInvalid odd: spec.capability.cpu: the value makes no sense
wait x/branch: QueueNotLeaf team
wait x/closed: QueueNotOpen shut: Closed
wait x/orphan: QueueOrphaned lost: nowhere
wait x/ring: QueueCyclic hen
wait x/typo: QueueNotFound taem

problems
----
Queue/egg: spec.parent: its parents form a ring (parent "hen"): its jobs wait
Queue/hen: spec.parent: its parents form a ring (parent "egg"): its jobs wait
Queue/lost: spec.parent: its ancestor "nowhere" does not exist: its jobs wait
Queue/odd: spec.capability.cpu: the value makes no sense
Queue/taem: spec.queue: 1 job names it, and it does not exist: it waits
Queue/team: spec.queue: 1 job names it, and it has child queues: it waits, only leaves take jobs
Queue/under: spec.parent: its ancestor "odd" is not taken, see Queue/odd: its jobs wait
