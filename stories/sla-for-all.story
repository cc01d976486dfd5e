# What a job does not say the plugin's argument says for all: after an hour every job
# is admitted, and hasty, which says less, after five minutes.

conf
  actions enqueue
  tier    sla(sla-waiting-time=1h)
  tier    overcommit
node n1 cpu=4

submit ml/hasty min=1 minresources=cpu:8 sla=5m
submit ml/other min=1 minresources=cpu:8
run phases
----
5m    phase ml/hasty Inqueue
1h    phase ml/other Inqueue
wait ml/hasty: NoPods
wait ml/other: NoPods
