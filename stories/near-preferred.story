# A preference draws pods to the zone of their cache as long as there is room, and keeps
# none of them waiting.

node a1 cpu=4  label=zone:a
node b1 cpu=16 label=zone:b
submit web/cache 1 x cpu=1 on=a1 label=app:cache
submit web/front 5 x cpu=1 near=zone@app=cache:100
cycle
----
bind web/front-0..2 a1
bind web/front-3..4 b1
