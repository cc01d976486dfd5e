# What would make a job run that waits for its queue, for the queue above it, for its namespace, or for a queue at all.
#
# Where two queues bind both are raised. A job without pods would be admitted.

conf
  actions enqueue allocate backfill
  tier priority gang conformance
  tier predicates capacity(enableHierarchy=true) resourcequota nodeorder

node n1 cpu=64
queue team capability=cpu:8
queue lab  parent=team capability=cpu:6
queue test parent=team capability=cpu:4
queue shut
close shut
quota tiny/compute hard=cpu:2

submit lab/first  queue=lab min=4 4 x cpu=1 guess=1h
submit lab/short  queue=lab 1 x cpu=1 guess=10m
cycle
----
bind lab/first-0..3 n1
bind lab/short-0 n1

submit lab/train  queue=lab min=4 minresources=cpu:4 4 x cpu=1
submit test/both  queue=test min=6 6 x cpu=1
submit tiny/over  queue=default min=3 minresources=cpu:3
submit lab/closed queue=shut 1 x cpu=1
cycle
----
wait lab/closed: QueueNotOpen shut: Closed
wait lab/train: QueueQuotaInsufficient lab: cpu 9 with it, 6 may be
wait test/both: never QueueTooSmall test: cpu 6 asked, 4 there; GangIncomplete 3 of 6: QueueCapability team: cpu 9 with it, 8 may be
wait tiny/over: NamespaceQuotaExceeded compute: cpu 3 with it, 2 may be

would-run lab/train
----
minMember 1 instead of 4
queue default instead of lab
after lab/first ends
queue lab: capability 3 cpu higher, and queue team: capability 1 cpu higher

would-run test/both
----
minMember 3 instead of 6
its pods ask for 0.5 cpu each instead of 1
queue default instead of test
queue test: capability 2 cpu higher, and queue team: capability 3 cpu higher

would-run tiny/over
----
minMember 2 instead of 3
ResourceQuota tiny/compute: 1 cpu higher

would-run lab/closed
----
queue default instead of shut
queue lab instead of shut
queue test instead of shut
queue shut is opened, which is closed
