# A gang of pods that must share a zone with each other begins on the best node. Where its zone
# is too small for all of them the other zones are tried, and where none has room the one
# that comes nearest is named.

node a1       cpu=8  label=zone:a
node b1 b2 b3 cpu=4  label=zone:b
node c1 c2    cpu=8  label=zone:c
submit web/one on=c1 1 x cpu=6
submit web/two on=c2 1 x cpu=6
submit ml/crew  label=app:crew  with=zone@app=crew  6 x cpu=2
cycle
----
bind ml/crew-0 b2
bind ml/crew-1 b3
bind ml/crew-2 b1
bind ml/crew-3 b2
bind ml/crew-4 b3
bind ml/crew-5 b1

submit ml/horde label=app:horde with=zone@app=horde 5 x cpu=2
cycle
----
wait ml/horde: GangIncomplete 4 of 5: PodAffinityNoRoom 4 of 5 by zone in a
