# Without the action backfill no action places pods that ask for nothing, and the job says
# so.

conf
  actions enqueue allocate
node n1 cpu=4
queue ops

submit ops/probe queue=ops min=1 2 x nothing
cycle
----
wait ops/probe: ActionNotConfigured: backfill
