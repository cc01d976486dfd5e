# What is kept for a job without pods is kept for a minute.
#
# Controllers make pods within seconds once a job is admitted. forgotten has none, and keeps more than is
# left for others, in its own queue and in the cluster. It stays admitted, and is served when its pods come.

conf
  actions enqueue allocate
  tier    gang overcommit predicates proportion nodeorder
node n1 n2 cpu=5
queue old ml

submit old/forgotten queue=old min=2 minresources=cpu:10
cycle phases
----
phase old/forgotten Inqueue
wait old/forgotten: NoPods

submit old/next queue=old min=1 minresources=cpu:2
submit ml/large queue=ml  min=2 minresources=cpu:8
cycle phases
----
wait ml/large: ClusterOvercommitted: cpu 18 with it, 12 may be
wait old/forgotten: NoPods
wait old/next: QueueQuotaInsufficient old: cpu 12 with it, 10 may be

run phases
----
1m1s  phase ml/large Inqueue
1m1s  phase old/next Inqueue
wait ml/large: NoPods
wait old/forgotten: NoPods
wait old/next: NoPods

grow old/forgotten 2 x cpu=5
cycle phases
----
bind old/forgotten-0 n1
bind old/forgotten-1 n2
wait ml/large: NoPods
wait old/next: NoPods
