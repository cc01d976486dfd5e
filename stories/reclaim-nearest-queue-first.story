# Room is taken back from the nearest queue in the tree first, and never out of a guarantee
# (seed 001 §5.1 and §9).
#
# `dev` wants three CPUs that it deserves. Its brother `prod` and, in the other team,
# `batch` both hold more than they deserve. `prod` gives the two that it has above its
# guarantee, though `batch` is further above what it deserves; `batch` gives the third.

conf
  actions enqueue allocate reclaim
  tier priority gang conformance
  tier predicates capacity(enableHierarchy=true)

node n1 cpu=12
queue team-a parent=root   deserved=cpu:7
queue team-b parent=root   deserved=cpu:3
queue dev    parent=team-a deserved=cpu:4
queue prod   parent=team-a deserved=cpu:2 guarantee=cpu:3
queue batch  parent=team-b deserved=cpu:2

submit a/prod  queue=prod  min=1 5 x cpu=1
submit b/batch queue=batch min=1 7 x cpu=1
cycle
----
bind a/prod-0 n1
bind b/batch-0 n1
bind a/prod-1..2 n1
bind b/batch-1 n1
bind a/prod-3..4 n1
bind b/batch-2..6 n1

submit a/dev-one   queue=dev 1 x cpu=1
submit a/dev-two   queue=dev 1 x cpu=1
submit a/dev-three queue=dev 1 x cpu=1
cycle
----
evict a/prod-4 n1 for a/dev-one-0
nominate a/dev-one-0 n1
evict a/prod-3 n1 for a/dev-three-0
nominate a/dev-three-0 n1
evict b/batch-6 n1 for a/dev-two-0
nominate a/dev-two-0 n1
wait a/dev-one: Reserved: n1
wait a/dev-three: Reserved: n1
wait a/dev-two: Reserved: n1

queues deserved allocated
----
queue   deserved  allocated
batch   cpu=2     cpu=6
dev     cpu=4     cpu=3
prod    cpu=3     cpu=3
team-a  cpu=7     cpu=6
team-b  cpu=3     cpu=6
