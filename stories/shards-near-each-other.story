# Pods that must be with others, or apart, are so on the nodes of this scheduler's shard as on
# those elsewhere.

conf
  actions enqueue allocate backfill
  tier    priority gang
  tier    predicates nodeorder
node own-1 own-2 cpu=4
node other-1 other-2 cpu=4 elsewhere

submit web/db 1 x cpu=1 label=app:db on=other-2
submit web/front 1 x cpu=1 with=kubernetes.io/hostname@app=db
submit web/spread 3 x cpu=1 label=app:spread apart=kubernetes.io/hostname@app=spread
cycle
----
bind web/front-0 other-2
bind web/spread-0 own-2
bind web/spread-1 own-1
bind web/spread-2 other-1
