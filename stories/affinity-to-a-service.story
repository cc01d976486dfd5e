# A pod that must run in the zone of a service goes there, though the other zone has more
# room, and waits where no pod of the service runs at all. A group that must stay together
# may begin anywhere, and goes on where it began.

node a1    cpu=4  label=zone:a
node b1 b2 cpu=16 label=zone:b
submit web/early label=app:early with=zone@app=db  1 x cpu=1
cycle
----
wait web/early: PodAffinity: PodAffinity app=db by zone=b on 2 nodes; PodAffinity app=db by zone=a on a1

submit web/db    label=app:db  1 x cpu=1 on=a1
submit web/front label=app:front with=zone@app=db  2 x cpu=1
submit web/crew  label=app:crew  with=zone@app=crew  4 x cpu=3
cycle
----
bind web/early-0 a1
bind web/crew-0 b2
bind web/crew-1 b1
bind web/crew-2 b2
bind web/crew-3 b1
bind web/front-0..1 a1
