# A gang of pods that must share a zone is pipelined in the one in which room is being freed, if it
# can start in no other: not in the zone where it would find its first place at once.

node a1    cpu=6 label=zone:a
node b1 b2 cpu=4 label=zone:b
submit ml/old 1 x cpu=4 on=b1
cycle
----
nothing

delete ml/old
submit ml/crew 4 x cpu=2 label=app:crew with=zone@app=crew
cycle
----
pipeline ml/crew-0 b1
pipeline ml/crew-3 b1
wait ml/crew: Pipelined 2 of 4

log 3 domain
----
V3 Allocate Job <ml/crew> in another domain, beginning with Task <ml/crew-0> on node <b1>, score <400000>

cycle
----
bind ml/crew-0 b2
bind ml/crew-1 b1
bind ml/crew-2 b2
bind ml/crew-3 b1
