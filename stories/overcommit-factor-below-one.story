# A factor below 1 would leave the cluster idle and is invalid: 1.2 is taken, and
# said.

conf
  actions enqueue
  tier    overcommit(overcommit-factor=0.5)
node n1 cpu=5

submit ml/six min=1 minresources=cpu:6
cycle phases
----
phase ml/six Inqueue
wait ml/six: NoPods

problems
----
plugin/overcommit: overcommit-factor: 0.5 is below 1, which would leave the cluster idle: 1.2 taken
