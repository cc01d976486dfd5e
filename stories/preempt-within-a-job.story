# Phase 2: tasks of one job. Where priority alone says which job starves (JobStarving of gang is
# off), a more important task of a job takes the place of a less important one of the same
# job, and the gang's minimum is kept (seed 002 §2.1, §2.2).

conf
  actions enqueue allocate backfill preempt
  tier    priority gang(enableJobStarving=false)
  tier    predicates nodeorder
node n1 cpu=3

submit ml/job min=1 3 x cpu=1 pod-priority=1
cycle
----
bind ml/job-0..2 n1

grow ml/job 1 x cpu=1 pod-priority=9
cycle
----
evict ml/job-2 n1 for ml/job-3
nominate ml/job-3 n1
wait ml/job: Reserved: n1

evictions for priority against whole rules
----
pod       for       priority  against  whole  rules
ml/job-2  ml/job-3  1         9        no     1:priority

cycle
----
bind ml/job-3 n1

grow ml/job 1 x cpu=1 pod-priority=1
cycle
----
wait ml/job: NotEnoughResources: cpu 1 asked, 0 free on n1; preempt NoVictims
